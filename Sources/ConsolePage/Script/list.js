
// ---- The list of decisions
//
// Only the rows in sight are in the document. Filter and scroll therefore cost the same for 5 and for 500 decisions.

/** The rows above and below the visible ones, so that a small scroll shows no gap. */
const OVERSCAN = 4;

/** The columns in the order of index.html: class, and the content of a cell. */
const COLUMNS = [
  ["time", (decision) => moment(decision.time)],
  ["api", (decision) => plain(COMMON.api(decision))],
  ["request", (decision) => requestCell(decision)],
  ["user", (decision) => plain(decision.user)],
  ["authorizer", (decision) => plain(decision.authorizer)],
  ["answer", (decision) => plain(ANSWER_WORDS[decision.answer])],
  ["outcome", verdict],
  ["reason", (decision) => plain(reasonWords(decision))],
  ["microseconds", (decision) => plain(decision.microseconds?.toLocaleString("en"))],
];

/** The values of the columns that are hidden while they are the same in all rows. */
const COMMON = {
  api: ({ api, stage }) => [api, stage].filter(Boolean).join(" "),
  user: ({ user }) => user,
  authorizer: ({ authorizer }) => authorizer,
  answer: ({ answer }) => ANSWER_WORDS[answer],
};

/** The characters of a text in a row: more do not fit on any screen. */
const ROW_TEXT = 300;

const short = (text) => (String(text).length > ROW_TEXT ? String(text).slice(0, ROW_TEXT) + "…" : String(text));

/** Why the request was refused: a sentence, else the reason code, else the words of the gateway. */
const reasonWords = ({ why, reason, outcome, decision }) => why ?? reason ?? (
  ["allowed", "open"].includes(outcome) ? null : decision
);

/** A text that is isolated from the direction of the text around it, or a dash for nothing. */
function plain(value) {
  if (value === null || value === undefined || value === "") return element("span", { class: "none" },
    element("span", { "aria-hidden": "true", text: "–" }),
    element("span", { class: "unseen", text: NONE }),
  );
  return element("bdi", { text: short(value), title: short(value) });
}

function requestCell(decision) {
  const details = [
    decision.user,
    reasonWords(decision),
    ANSWER_WORDS[decision.answer],
    timeOfDay(decision.time).slice(0, 8),
  ];
  return element("div", {},
    element("a", { href: `#/decisions/${decision.id}`, tabindex: "-1", title: short(requestLine(decision)) },
      strong(short(decision.method)), " ", isolated(short(decision.path))),
    decision.replayOf ? element("span", { class: "tag", text: `replay of ${decision.replayOf}` }) : null,
    element("div", { class: "second", "aria-hidden": "true" },
      isolated(details.filter(Boolean).map(short).join(" · "))));
}

/** The list: what is filtered, which row is active, and the rows in the document. */
class DecisionList {
  #scroller = byID("list");
  #body = byID("rows");
  #spacers = [...this.#scroller.querySelectorAll(".spacer tr")];
  #table = this.#scroller.querySelector("table");
  /** The rows in the document by their decision's ID. */
  #rows = new Map();
  /** The filtered decisions, newest first. */
  decisions = [];
  #rowHeight = 34;
  /** The decision that the arrow keys move from. */
  active = 0;
  /** The decision that is shown beside the list, and the first of a comparison. */
  open = 0;
  marked = 0;
  matches = () => true;

  constructor() {
    this.#scroller.addEventListener("scroll", () => this.redraw(), { passive: true });
    new ResizeObserver(() => this.#resize()).observe(this.#scroller);
    this.#body.addEventListener("click", (event) => {
      const row = event.target.closest("tr");
      if (row) choose(Number(row.dataset.id));
    });
  }

  /** Reads the store again. The open row stays in its place, else a reader who has scrolled keeps the rows in sight. */
  update() {
    const top = this.#scroller.scrollTop;
    const open = this.#indexOf(this.open);
    const at = this.#isInSight(open) ? open : top > 0 ? Math.floor(top / this.#rowHeight) : -1;
    const anchor = this.decisions[at]?.id;
    this.decisions = store.newestFirst().filter(this.matches);
    this.#hideColumns();
    const moved = anchor ? this.#indexOf(anchor) : -1;
    this.#setHeights();
    if (moved >= 0) this.#scroller.scrollTop = top + (moved - at) * this.#rowHeight;
    this.redraw();
    this.#scroller.hidden = this.decisions.length === 0;
  }

  /** Moves the active row by a number of rows, and scrolls it into sight. */
  move(distance, focused = true) {
    const at = this.#indexOf(this.active);
    const next = Math.max(0, Math.min(this.decisions.length - 1, at < 0 ? 0 : at + distance));
    const decision = this.decisions[next];
    if (!decision) return 0;
    this.active = decision.id;
    this.#reveal(next);
    this.redraw();
    if (focused) this.focus();
    return decision.id;
  }

  /** The number of rows that Page Down moves by. */
  get page() {
    return Math.max(1, Math.floor(this.#scroller.clientHeight / this.#rowHeight) - 2);
  }

  /** Puts the focus on the active row, or on the list if the row is not in sight. */
  focus() {
    const link = this.#rows.get(this.active)?.querySelector("a") ?? this.#rows.values().next().value?.querySelector("a");
    (link ?? this.#scroller).focus({ preventScroll: true });
  }

  /** Scrolls to a share of the whole list, for the measurement. */
  scrollTo(share) {
    this.#scroller.scrollTop = share * this.#scroller.scrollHeight;
  }

  #indexOf(id) {
    return this.decisions.findIndex((decision) => decision.id === id);
  }

  #isInSight(index) {
    const top = index * this.#rowHeight - this.#scroller.scrollTop;
    return index >= 0 && top > -this.#rowHeight && top < this.#scroller.clientHeight;
  }

  /** Hides the columns with one value for all stored decisions, and says the values above the list. */
  #hideColumns() {
    const decisions = store.newestFirst();
    const same = Object.entries(COMMON).filter(([, value]) =>
      decisions.length > 1 && decisions.every((decision) => value(decision) === value(decisions[0])));
    const hidden = same.map(([name]) => name);
    if (decisions.every((decision) => !reasonWords(decision))) hidden.push("reason");
    this.#scroller.dataset.hidden = hidden.join(" ");
    const values = same.map(([, value]) => value(decisions[0])).filter(Boolean);
    setText(byID("list-same"), values.length ? `all: ${values.map(short).join(" · ")}` : "");
  }

  /** Scrolls to the row of a decision, if the list has it. */
  reveal(id) {
    this.#reveal(this.#indexOf(id));
    this.redraw();
  }

  #reveal(index) {
    if (index < 0) return;
    const top = index * this.#rowHeight;
    const head = this.#table.tHead.offsetHeight;
    const height = this.#scroller.clientHeight - head;
    if (top < this.#scroller.scrollTop) this.#scroller.scrollTop = top;
    else if (top + this.#rowHeight > this.#scroller.scrollTop + height) this.#scroller.scrollTop = top + this.#rowHeight - height;
  }

  /** The width decides which columns are shown, and so the height of a row. */
  #resize() {
    const width = this.#scroller.clientWidth;
    if (width === 0) return;
    const kept = this.#indexOf(this.open || this.active);
    const wasInSight = this.#isInSight(kept);
    this.#scroller.dataset.width = width >= 940 ? "wide" : width >= 480 ? "medium" : "narrow";
    const height = parseFloat(getComputedStyle(this.#scroller).getPropertyValue("--row-height"));
    if (height > 0) this.#rowHeight = height;
    this.#setHeights();
    if (wasInSight) this.#reveal(kept);
    this.redraw();
  }

  #range() {
    const first = Math.max(0, Math.floor(this.#scroller.scrollTop / this.#rowHeight) - OVERSCAN);
    const count = Math.ceil((this.#scroller.clientHeight || 600) / this.#rowHeight) + 2 * OVERSCAN;
    return [first, Math.min(this.decisions.length, first + count)];
  }

  #setHeights([first, end] = this.#range()) {
    this.#spacers[0].style.height = `${first * this.#rowHeight}px`;
    this.#spacers[1].style.height = `${(this.decisions.length - end) * this.#rowHeight}px`;
    this.#table.setAttribute("aria-rowcount", String(this.decisions.length + 1));
  }

  /** Brings the rows of the visible range into the document. Rows that stay are not moved, so they keep the focus. */
  redraw() {
    // Before rows are removed: a layout with fewer rows and the old heights would move the list.
    const [first, end] = this.#range();
    const wanted = this.decisions.slice(first, end);
    const hadFocus = this.#body.contains(document.activeElement);
    const known = new Set(wanted.map((decision) => decision.id));
    for (const [id, row] of this.#rows) {
      if (known.has(id)) continue;
      row.remove();
      this.#rows.delete(id);
    }
    this.#setHeights([first, end]);
    let next = this.#body.firstElementChild;
    wanted.forEach((decision, offset) => {
      const row = this.#rows.get(decision.id) ?? this.#row(decision);
      if (row === next) next = row.nextElementSibling;
      else this.#body.insertBefore(row, next);
      this.#decorate(row, decision, first + offset);
    });
    if (hadFocus && !this.#body.contains(document.activeElement)) this.#scroller.focus({ preventScroll: true });
  }

  #row(decision) {
    const row = element("tr", { "data-id": decision.id, "data-outcome": decision.outcome ?? NONE },
      COLUMNS.map(([name, content]) => element("td", { class: name }, content(decision))));
    this.#rows.set(decision.id, row);
    return row;
  }

  #decorate(row, decision, index) {
    const link = row.querySelector("a");
    const reachable = decision.id === this.active || (
      index === 0 && !this.decisions.some(({ id }) => id === this.active)
    );
    link.tabIndex = reachable ? 0 : -1;
    row.setAttribute("aria-rowindex", String(index + 2));
    row.classList.toggle("active", decision.id === this.active);
    row.classList.toggle("marked", decision.id === this.marked);
    if (decision.id === this.open) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
    row.classList.toggle("open", decision.id === this.open);
  }
}

// ---- Filters

/** The members that a filter compares as they are. */
const EXACT = ["api", "method", "status", "authorizer", "answer", "outcome", "reason"];

/** Returns a function that says whether a decision passes the filters, and the number of set filters. */
function readFilters() {
  const form = new FormData(byID("filter-form"));
  const set = [...form].filter(([, value]) => value !== "");
  const wanted = Object.fromEntries(set);
  const text = wanted.text?.toLowerCase();
  const least = Number(wanted.microseconds ?? 0);
  const seconds = Number(wanted.seconds ?? 0);
  const matches = (decision) =>
    EXACT.every((name) => wanted[name] === undefined || String(decision[name] ?? NONE) === wanted[name]) &&
    (decision.microseconds ?? 0) >= least &&
    (!seconds || gatewayNow() - new Date(decision.time).getTime() <= seconds * 1000) &&
    (!text || searched(decision).includes(text));
  return { matches, count: set.length };
}

const searched = (decision) =>
  [
    requestLine(decision),
    decision.route,
    decision.decision,
    decision.reason,
    decision.why,
    decision.status,
    wordOf(decision.outcome),
    ...Object.values(COMMON).map((value) => value(decision)),
  ].filter(Boolean).join("\n").toLowerCase();

/** Adds values to the selects that occur in the list now. Values that were there stay, also while they are chosen. */
function updateFilterValues(decisions) {
  for (const select of byID("filter-form").querySelectorAll("[data-values]")) {
    const known = new Set([...select.options].map((option) => option.value));
    const found = new Set(decisions.map((decision) => String(decision[select.name] ?? NONE)));
    const fresh = [...found].filter((value) => !known.has(value)).sort();
    // A client chooses the method, so it could fill the list with values.
    for (const value of fresh.slice(0, Math.max(0, 60 - known.size))) {
      select.append(
        element("option", { value, text: select.name === "answer" ? ANSWER_WORDS[value] ?? value
          : select.name === "outcome" ? wordOf(value) : short(value) })
      );
    }
  }
}

// ---- The list's surroundings

let list;

/** Shows the number of decisions, the state of the filters, and what to do if there is no decision. */
function updateListFrame(filterCount) {
  const shown = list.decisions.length;
  const total = store.size;
  setText(
    byID("list-count"),
    total === shown ? `${total} ${total === 1 ? "decision" : "decisions"}` : `${shown} of ${total} decisions`,
  );
  byID("clear-filters").hidden = filterCount === 0;
  const pause = byID("pause");
  pause.setAttribute("aria-pressed", String(store.paused));
  setText(pause, store.paused ? `Resume (${store.waitingCount} new)` : "Pause");
  const empty = byID("list-empty");
  empty.hidden = shown > 0;
  if (shown > 0) return;
  const kind = total === 0 ? "none" : "filtered";
  if (empty.dataset.kind === kind && kind === "filtered") return;
  empty.dataset.kind = kind;
  empty.replaceChildren(
    kind === "none" ? noRequests() : emptyState(
      `None of the ${total} decisions passes the filters.`,
      button("Show all decisions", clearFilters),
    )
  );
}

function noRequests() {
  const api = session.apis[0];
  const route = api?.routes?.map(routeParts).find(Boolean);
  const address = apiOrigin() + (api ? api.base + (route?.path ?? "/") : "/");
  return emptyState("No requests yet.",
    element("p", { text: "Each request that the gateway answers appears here. Send the first one:" }),
    command(`curl -i ${shellWord(address) ?? "ADDRESS"}`),
    element("p", {}, "Or let this page send it, with a token: ", element("a", { href: "#/request", text: "Send a request" }), "."));
}

function clearFilters() {
  byID("filter-form").reset();
  updateList();
}

/** Brings the list up to date with store and filters. */
function updateList() {
  const { matches, count } = readFilters();
  list.matches = matches;
  updateFilterValues(store.newestFirst());
  list.update();
  updateListFrame(count);
}

/** Says how many decisions wait, at most once in 10 s: a screen reader must not read each row. */
let announcedAt = 0;
function announceWaiting() {
  if (!store.paused || store.waitingCount === 0 || Date.now() - announcedAt < 10_000) return;
  announcedAt = Date.now();
  announce(`Paused, ${store.waitingCount} new decisions`);
}

function togglePause() {
  store.setPaused(!store.paused);
  announcedAt = Date.now();
  announce(store.paused ? "Paused" : "Live again");
}

// ---- Measurement

/** Waits until the next frame has been drawn. */
const drawn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));

/** Runs a change and returns the milliseconds until its frame was drawn (User Timing). */
async function measured(name, change) {
  const start = performance.now();
  change();
  await drawn();
  return performance.measure(name, { start, end: performance.now() }).duration;
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** Measures filter and scroll of the list with what it has now: medians, which one pause of a busy machine does not
 *  change. `make check-console` reads the result. */
globalThis.measureList = async () => {
  const input = byID("filter-form").elements.text;
  const filter = [], scroll = [];
  for (const text of ["e", "zz", "/", "al", ""]) {
    filter.push(await measured("filter", () => {
      input.value = text;
      updateList();
    }));
  }
  for (const share of [1, 0.5, 0.2, 0.8, 0]) scroll.push(await measured("scroll", () => list.scrollTo(share)));
  performance.clearMeasures();
  return {
    decisions: store.size,
    nodes: document.getElementsByTagName("*").length,
    filter: median(filter),
    scroll: median(scroll),
  };
};
