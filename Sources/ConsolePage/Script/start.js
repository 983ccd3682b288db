
// ---- Views
//
// The part of the address after # names the view, so that Back, Forward and links work.

const TITLES = {
  decisions: "Decisions",
  compare: "Compare",
  matrix: "Matrix",
  request: "Send a request",
  state: "Cache, keys, clock",
  findings: "Findings",
};

/** The view that is shown, with the numbers of its address. */
let view = { name: "decisions", ids: [] };

/** Parses "#/decisions/12", "#/compare/3/7", "#/matrix". Unknown addresses are the list. */
function parseAddress(hash) {
  const [name = "", ...rest] = hash.replace(/^#\//, "").split("/");
  const ids = rest.map(Number).filter((id) => Number.isInteger(id) && id > 0);
  return { name: Object.hasOwn(TITLES, name) ? name : "decisions", ids };
}

/** Goes to a place of the page at once, so that the next key finds the new view. */
function go(place) {
  if (location.hash !== place) history.pushState(null, "", place);
  showView();
}

function showView() {
  const before = view;
  view = parseAddress(location.hash);
  for (const section of document.querySelectorAll(".view")) section.hidden = section.id !== `view-${view.name}`;
  for (const link of document.querySelectorAll("nav a")) {
    const current = link.dataset.view === view.name;
    if (current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${TITLES[view.name]} · authorizer-local`;
  refreshView(before);
}

/** Loads the data of the shown view again. */
async function refreshView(before = view) {
  const moved = before !== view;
  switch (view.name) {
    case "decisions": return showDecisions(moved ? before : null);
    case "compare": if (view.ids.length === 2) await showComparison(...view.ids); break;
    case "matrix":
      await showMatrix();
      if (byID("matrix").contains(document.activeElement)) return;
      break;
    case "request": showBuilder(); break;
    case "state": await showState(); break;
    case "findings": await showFindings(); break;
  }
  if (moved) byID(`${view.name}-title`).focus();
}

async function showDecisions(before) {
  const id = view.ids[0] ?? 0;
  const wasOpen = list.open;
  list.open = id;
  if (id) list.active = id;
  byID("view-decisions").classList.toggle("has-detail", id > 0);
  updateList();
  list.reveal(id || wasOpen);
  if (id === 0) {
    byID("detail").hidden = true;
    byID("detail").replaceChildren();
    shown = null;
    if (before && (wasOpen || before.name !== "decisions")) wasOpen ? list.focus() : byID("decisions-title").focus();
    return;
  }
  if (id === wasOpen && !before) return;
  await showDecision(id);
  if (before) byID("detail-title")?.focus();
}

/** Opens a decision, or compares it if another one was chosen for a comparison. */
function choose(id) {
  list.active = id;
  if (list.marked) mark(id);
  else go(`#/decisions/${id}`);
}

// ---- Theme

const THEME_KEY = "authorizer-local.theme";

function startTheme() {
  const select = byID("theme");
  select.value = ["light", "dark"].includes(stored(THEME_KEY)) ? stored(THEME_KEY) : "auto";
  document.documentElement.dataset.theme = select.value;
  select.addEventListener("change", () => {
    document.documentElement.dataset.theme = select.value;
    keep(THEME_KEY, select.value);
  });
}

// ---- Start

function startControls() {
  byID("pause").addEventListener("click", togglePause);
  byID("clear-filters").addEventListener("click", clearFilters);
  byID("filter-form").addEventListener("input", updateList);
  byID("more-filters").addEventListener("click", ({ currentTarget }) => {
    const isHidden = byID("filters").toggleAttribute("hidden");
    currentTarget.setAttribute("aria-expanded", String(!isHidden));
  });
  byID("filter-form").addEventListener("submit", (event) => event.preventDefault());
  byID("open-help").addEventListener("click", () => byID("help").showModal());
  byID("close-help").addEventListener("click", () => byID("help").close());
  byID("list").addEventListener("keydown", listKeys);
  byID("matrix-reload").addEventListener("click", showMatrix);
  byID("matrix-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const { user, scope, claims } = event.target.elements;
    addMatrixUser(user.value.trim(), scope.value.trim(), claims.value.trim());
    event.target.reset();
  });
  byID("compare-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const { first, second } = event.target.elements;
    go(`#/compare/${first.value}/${second.value}`);
  });
  document.addEventListener("keydown", pageKeys);
  window.addEventListener("hashchange", async () => {
    await takeSecret();
    showView();
  });
}

async function start() {
  startTheme();
  list = new DecisionList();
  store.onChange = () => {
    if (store.paused) {
      updateListFrame(readFilters().count);
      announceWaiting();
    } else {
      updateList();
    }
  };
  startControls();
  await takeSecret();
  await Promise.allSettled([loadDecisions(), loadSession()]);
  showView();
  followDecisions();
  getJSON("/dev/findings").then(({ findings }) => countFindings(findings), () => {});
}

start();
