
// ---- Matrix of routes and users

/** The users of the server's own choice, and those that the reader added. */
let defaultUsers = [];
const addedUsers = [];

/** The ID of the decision whose cell is chosen when the matrix is shown next. */
let wanted = null;

/** Shows the matrix with the request of a decision as the first row, and its token as the first column. */
function showMatrixCell({ id }) {
  wanted = id;
  go("#/matrix");
}

const isWanted = ({ decision }) => wanted !== null && decision === wanted;

/** Adds a column for a user, with scopes and claims or without, and scrolls to it. */
async function addMatrixUser(name, scope, claims) {
  addedUsers.push({ name, scope, claims });
  await showMatrix();
  byID("matrix").querySelector("thead th:last-child")?.scrollIntoView({ block: "nearest", inline: "end" });
}

/** The query of /dev/matrix: scope and claims belong to the user before them, and a user without a name has no token. */
function matrixQuery() {
  const query = new URLSearchParams(wanted === null ? {} : { decision: wanted });
  if (addedUsers.length) for (const { name, scope, claims } of [...defaultUsers, ...addedUsers]) {
    query.append("user", name ?? "");
    if (scope) query.append("scope", scope);
    if (claims) query.append("claims", claims);
  }
  return `?${query}`;
}

async function showMatrix() {
  const target = byID("matrix");
  await fill(target, async () => {
    if (addedUsers.length && defaultUsers.length === 0) defaultUsers = (await getJSON("/dev/matrix")).users;
    // The server refuses the column that was added last.
    const refused = (error) => { if (error.status === 400) addedUsers.pop(); throw error; };
    const answer = await getJSON("/dev/matrix" + matrixQuery()).catch(refused);
    if (addedUsers.length === 0) defaultUsers = answer.users.filter(({ decision }) => !decision);
    return matrixParts(answer);
  });
  const chosen = target.querySelector(".cell.wanted");
  if (!wanted || target.hasAttribute("aria-busy")) return;
  wanted = null;
  chosen?.focus();
  chosen?.click();
}

/** What a cell says: what the token lacks, or that the path is another user's, else the outcome. */
const cellWords = ({ needs, outcome }, { owner }) => needs?.length ? `needs ${needs.join(", ")}`
  : owner === "another" && outcome === "forbidden" ? "own path only" : wordOf(outcome);

const OWNERS = { own: "· own", another: "· another user's" };

/** Whether the route is the handshake of a WebSocket API, the only one of its routes with an authorizer. */
const isConnect = (route) => route.route === "$connect";

/** The request of a row, with what its message asks for. */
const rowLine = (route) => [requestLine(route), route.message?.title].filter(Boolean).join(" ");

function matrixParts({ users, routes, cells, truncated }) {
  if (routes.length === 0) return emptyState(
    "The template has no routes.",
    element("p", {}, "See ", element("a", { href: "#/findings", text: "findings" }), " for what closes them."),
  );
  const behind = element("div", { class: "card behind", id: "behind", role: "status" },
    quietParagraph("Choose a cell: the rule behind it appears here."),
  );
  const head = element("tr", {}, element("th", { scope: "col", text: "Route" }),
    users.map((user, column) => element("th", { scope: "col" }, isolated(short(user.label ?? user.name)),
      element("span", { class: "second" }, isolated(short(cells.map((row) => row[column].has).find(Boolean) ?? ""))))));
  const rows = routes.map((route, row) => element("tr", { class: isWanted(route) ? "wanted" : null },
    element("th", { scope: "row" },
      strong(isConnect(route) ? "$connect" : short(route.method)),
      " ",
      isConnect(route) ? "" : isolated(short(route.path)),
      route.message ? element("span", { class: "second" }, isolated(short(route.message.title))) : null,
      element("span", { class: "second", text: short([route.api, route.stage, OWNERS[route.owner]].filter(Boolean).join(" ")) }),
    ),
    users.map((user, column) => {
      const cell = matrixCell(cells[row][column], route, user, row + column === 0, behind);
      cell.classList.toggle("wanted", isWanted(route) && isWanted(user));
      return element("td", {}, cell);
    })));
  const grid = element("table", { class: "matrix" },
    element("caption", { class: "unseen", text: "Routes and users" }),
    element("thead", {}, head),
    element("tbody", {}, rows),
  );
  grid.addEventListener("keydown", moveInMatrix);
  const wrong = cells.flat().filter((cell) => cell.outcome === "failure").length;
  return [
    notice(truncated && "The template has more routes than the matrix shows: it has a bound, and it ends after 30 s."),
    notice(wrong && `The authorizer could not decide ${wrong} of the cells.`, { "data-tone": "fail" }),
    element("div", { class: "matrix-side" }, element("div", { class: "scrolls" }, grid), behind),
  ];
}

function matrixCell(cell, route, user, first, behind) {
  const words = cellWords(cell, route);
  const name = `${user.label ?? user.name}, ${rowLine(route)}: ${cell.status} ${words}`;
  const chosen = button("",
    () => showBehind(behind, cell, route, user),
    { class: "cell", tabindex: first ? "0" : "-1", "data-tone": toneOf(cell.outcome), "aria-label": short(name) },
  );
  chosen.append(
    element("span", { class: "cell-status", text: cell.status }),
    element("span", { class: "cell-words", text: short(words) }),
  );
  chosen.addEventListener("focus", () => {
    inSight(chosen);
    for (const other of chosen.closest("table").querySelectorAll(".cell")) other.tabIndex = other === chosen ? 0 : -1;
  });
  return chosen;
}

/** Scrolls a cell out from under the names of the routes and the card of the rule. */
function inSight(cell) {
  const names = cell.closest("tr").cells[0].offsetWidth;
  cell.closest(".scrolls").style.scrollPadding = `0 8px 0 ${names + 8}px`;
  cell.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function showBehind(target, cell, route, user) {
  for (const other of document.querySelectorAll(".cell[aria-current]")) other.removeAttribute("aria-current");
  document.activeElement?.classList.contains("cell") && document.activeElement.setAttribute("aria-current", "true");
  target.replaceChildren(...[
    element("h3", {}, isolated(short(user.label ?? user.name)), " · ", isolated(short(rowLine(route)))),
    element("p", { class: "verdict" },
      verdict(cell),
      cell.reason ? element("code", { text: cell.reason }) : null,
    ),
    whyPart(cell),
    cell.decision && cell.decision !== cell.sentence ? element("p", { class: "quiet" },
      "Policy: ",
      isolated(cell.decision),
    ) : null,
    route.guard ? element("p", { class: "quiet" }, "Authorizer: ", isolated(route.guard)) : null,
    element("p", { class: "actions" },
      button("Send this request", () => draftRequest({
        api: apiKey({ name: route.api, stage: route.stage }),
        method: route.method,
        path: cell.path ?? route.path,
        user: user.name ?? "",
        scope: user.scope ?? "",
        claims: user.claims ?? "",
        ...(route.message && {
          headers: Object.entries(route.message.headers).map(([name, value]) => `${name}: ${value}`).join("\n"),
          body: route.message.body,
        }),
      }))),
  ].filter(Boolean));
  const chosen = document.querySelector(".cell[aria-current]");
  if (chosen) inSight(chosen);
}

/** Moves between cells with the arrow keys, Home and End. */
function moveInMatrix(event) {
  const cell = event.target.closest(".cell");
  if (!cell) return;
  const column = cell.closest("td").cellIndex;
  const row = cell.closest("tr");
  const place = {
    ArrowRight: () => row.cells[column + 1], ArrowLeft: () => row.cells[column - 1],
    ArrowDown: () => row.nextElementSibling?.cells[column], ArrowUp: () => row.previousElementSibling?.cells[column],
    Home: () => row.cells[1], End: () => row.cells[row.cells.length - 1],
  }[event.key]?.();
  const next = place?.querySelector(".cell");
  if (!next) return;
  event.preventDefault();
  next.focus();
}
