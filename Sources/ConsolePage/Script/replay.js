
// ---- Replay

/** The offered distances of the clock, and words for them. */
const CLOCKS = [
  ["", "same"], ["+5m", "5 min later"], ["+1h", "1 h later"], ["+1d", "1 day later"], ["-1h", "1 h earlier"],
  ["-1d", "1 day earlier"],
];

/** Opens or closes the form that replays a decision. */
function openReplay(decision) {
  const target = byID("replay");
  target.hidden = !target.hidden;
  byID("open-replay").setAttribute("aria-expanded", String(!target.hidden));
  if (target.hidden) return;
  const result = element("div", { id: "replay-result", role: "status" });
  const form = element("form", { class: "bar", "aria-label": "Replay" },
    field("Another user", textInput("user", { list: "users", placeholder: decision.user ?? "same" })),
    field("Scopes", textInput("scope", { list: "scopes", placeholder: "same" })),
    field("Clock", element("select", { name: "clock" },
      CLOCKS.map(([value, text]) => element("option", { value, text })))),
    element("label", { class: "check" }, element("input", { type: "checkbox", name: "emptyCache" }), "empty cache"),
    element("label", { class: "check" },
      element("input", { type: "checkbox", name: "backend" }),
      "call the backend too",
    ),
    element("button", { class: "primary", text: "Replay" }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    fill(result, () => replay(decision, new FormData(form)));
  });
  target.replaceChildren(quietParagraph("Empty fields stay as they were. A replay fills no cache."), form, result);
  form.elements.user.focus();
}

async function replay(decision, form) {
  const body = {};
  for (const name of ["user", "scope", "clock"]) if (form.get(name)) body[name] = form.get(name);
  for (const name of ["emptyCache", "backend"]) if (form.get(name)) body[name] = true;
  const answer = await postJSON(`/dev/decisions/${decision.id}/replay`, body);
  const after = answer.decision;
  return [
    whyPart(after),
    ...differencePart(decision, after),
    element("p", {}, decisionLink(after.id, `Open decision ${after.id}`)),
  ];
}

// ---- Differences

/** The scopes of a token: a text (RFC 8693), or a list as some issuers write it. */
const scopesOf = ({ token }) => [token?.claims?.scope ?? token?.claims?.scp ?? []].flat().join(" ");

/** What tells two decisions apart for most readers; all other members are folded. */
const MAIN_MEMBERS = [
  ["outcome", verdict],
  ["user", ({ user }) => plain(user)],
  ["scope", (decision) => plain(scopesOf(decision))],
  ["rule", ({ rule }) => plain(Number.isInteger(rule) ? `rules[${rule}]` : null)],
];

function differencePart(before, after) {
  const found = differences(before, after);
  const rows = MAIN_MEMBERS.map(([name, cell]) => {
    const [first, second] = [cell(before), cell(after)];
    return [name, first, first.textContent === second.textContent ? quiet("same") : second];
  });
  const isShown = before.token?.isDevelopment !== false && after.token?.isDevelopment !== false;
  return [
    table("Outcome, user, scope and rule", ["", "before", "after"], rows, { class: "differences" }),
    element("details", { class: "others" },
      element("summary", { text: found.length === 1 ? "1 difference" : `All ${found.length} differences` }),
      differenceTable(found, isShown)),
  ];
}

/** The members of a decision that a comparison reads. Times and IDs always differ. */
const COMPARED = [
  "api",
  "method",
  "path",
  "route",
  "authorizer",
  "answer",
  "status",
  "outcome",
  "reason",
  "identitySources",
  "checks",
  "policy",
  "statement",
  "context",
  "response",
];

/** Returns the differences of two decisions as JSON pointers with both values. */
function differences(before, after) {
  const found = [];
  const walk = (path, a, b) => {
    if (a === b || JSON.stringify(a) === JSON.stringify(b)) return;
    const branches = a && b && typeof a === "object" && typeof b === "object" && Array.isArray(a) === Array.isArray(b);
    if (!branches) {
      found.push({ path, before: a, after: b });
      return;
    }
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) walk(
      `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`,
      a[key],
      b[key],
    );
  };
  walk("", comparedValues(before), comparedValues(after));
  return found;
}

/** Checks have their names in place of their positions, so that an additional check does not shift the others. */
const comparedValues = (decision) => ({
  ...Object.fromEntries(COMPARED.map((name) => [name, decision[name]])),
  checks: decision.checks &&
    Object.fromEntries(decision.checks.map(({ check, result, found }) => [check, `${result}: ${brief(found)}`])),
  claims: decision.token?.claims,
  header: decision.token?.header,
});

/** A table of differences. The values of claims are hidden until asked, except those of the development issuer. */
function differenceTable(found, isShown) {
  if (found.length === 0) return quietParagraph("No difference.");
  const secret = (path) => !isShown && /^\/(claims|header|context)\b/.test(path);
  const draw = (showing) => table("Differences", ["member", "before", "after"], found.map(({ path, before, after }) => [
    code(path || "/"), ...[before, after].map((value) => differenceValue(path, value, showing || !secret(path))),
  ]), { class: "differences stacks" });
  const holder = element("div", {}, draw(false));
  if (!found.some(({ path }) => secret(path))) return holder;
  const toggle = valueToggle("values of claims", (showing) => holder.replaceChildren(draw(showing)));
  return element("div", { class: "hidden-values" }, toggle, holder);
}

function differenceValue(path, value, showing) {
  if (value === undefined || value === null) return quiet(NONE);
  const words = timeWords(path.split("/").at(-1), value);
  if (words) return element("span", {}, words + " ", showing ? code(brief(value)) : null);
  return showing ? code(brief(value)) : element("span", { class: "dots", text: "hidden" });
}

// ---- Comparison of any two

/** Chooses a decision for a comparison. The second chosen one opens the comparison. */
function mark(id) {
  if (list.marked && list.marked !== id) {
    const first = list.marked;
    setMark(0);
    go(`#/compare/${first}/${id}`);
    return;
  }
  setMark(list.marked === id ? 0 : id);
}

function setMark(id) {
  list.marked = id;
  list.redraw();
  const notice = byID("compare-notice");
  notice.hidden = id === 0;
  if (id === 0) return;
  notice.replaceChildren(
    `Compare decision ${id} with: choose a second one in the list. `,
    button("Cancel", () => setMark(0), { class: "small" }),
  );
  announce(`Decision ${id} is chosen. Choose a second one.`);
}

async function showComparison(first, second) {
  const form = byID("compare-form");
  form.elements.first.value = first;
  form.elements.second.value = second;
  await fill(byID("comparison"), async () => {
    const [before, after] = await Promise.all([first, second].map((id) => getJSON(`/dev/decisions/${id}`)));
    return [
      element("div", { class: "pair" }, [
        ["Before", before],
        ["After", after],
      ].map(([title, decision]) => element("div", { class: "card" },
        element("h3", {}, `${title}: `, decisionLink(decision.id)),
        element("p", {}, isolated(short(requestLine(decision)))),
        whyPart(decision)))),
      ...differencePart(before, after),
    ];
  });
}

// ---- Exports

/** Shows files of a decision, to copy and to save. */
function openExport(title, explanation, files) {
  const dialog = byID("export");
  dialog.replaceChildren(
    element("div", { class: "title-row" },
      element("h2", { id: "export-title", tabindex: "-1", autofocus: true, text: title }),
      element("div", { class: "actions" }, button("Close", () => dialog.close()))),
    ...explanation,
    ...files.map(exportedFile));
  dialog.showModal();
}

function exportedFile({ name, text, save }) {
  return element("section", { "aria-label": name },
    element("div", { class: "title-row" },
      element("h3", { text: name }),
      element("div", { class: "actions" },
        button("Copy", (event) => copy(text, event.currentTarget)),
        save ? button("Save the file", () => download(save, text)) : null)),
    block(text, name));
}

/** A file of JSON, to copy and to save. */
const jsonFile = (name, value) => ({ name, save: name, text: pretty(value) + "\n" });

/** The recipes of a test's tokens, if it has any. */
const tokenFiles = (test) => (test?.tokens ? [jsonFile("tokens.json", test.tokens)] : []);

const lastName = (path) => String(path).split("/").at(-1);

function openTest(decision) {
  const test = decision.test;
  if (!test) return announceMissing(
    "This decision has no event: the authorizer was not called, so there is nothing to test."
  );
  if (!test.eventDocument) return announceMissing(`There is no test of this decision: ${test.note}`);
  const saved = element("div", { role: "status" });
  const save = button("Save into the project", () => fill(saved, async () => {
    const answer = await postJSON(`/dev/decisions/${decision.id}/test`, {});
    return [quietParagraph(`Saved: ${answer.files.join(", ")}. Now run:`), command(answer.command)];
  }), { class: "primary" });
  openExport("Make a test", [element("p", { class: "actions" }, save), saved], [
    jsonFile(lastName(test.event), test.eventDocument), jsonFile(lastName(test.expected), test.expectedDocument),
    ...tokenFiles(test),
  ]);
}

function openEvent(decision) {
  const document = decision.test?.eventDocument ?? decision.event;
  if (!document) return announceMissing("This decision has no event: the authorizer was not called.");
  const name = lastName(decision.test?.event ?? `decision-${decision.requestId.slice(0, 8)}.json`);
  openExport("Event file", [
    element("p", {}, "Send it to the function with ",
      element("code", { text: `authorizer-local invoke ${shellWord(name) ?? "FILE"}` }), ".")
  ], [jsonFile(name, document), ...tokenFiles(decision.test)]);
}

function openCurl(decision) {
  // Only a name that a shell takes as it is. Any other one would be a command of the caller's.
  const user = /^[\w.@-]+$/.test(decision.user ?? "") ? decision.user : "alice";
  const omitted = decision.curl === null ? ["the address"] : decision.curlOmits ?? [];
  openExport("curl", [
    element("p", { text: "The command has no token. Set TOKEN first, for example to one of the development issuer:" }),
    notice(omitted.length && `Left out, because a shell or a terminal could interpret it: ${omitted.join(", ")}`),
  ].filter(Boolean), [
    {
      name: "Token",
      text: `TOKEN=$(curl -s -H 'Accept: text/plain' -d user=${user} ${apiOrigin()}/dev/token)`,
    },
    { name: "Request", text: decision.curl ?? "" },
  ]);
}

function announceMissing(text) {
  openExport("No event", [element("p", { text })], []);
}
