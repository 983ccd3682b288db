
// ---- Matrix of routes and users

/** The users that the reader added to the default ones. */
const addedUsers = [];

async function showMatrix() {
  const target = byID("matrix");
  await fill(target, async () => {
    const users = addedUsers.length ? [...new Set([...session.users.map(userName), ...addedUsers])] : [];
    const query = users.map((user) => "user=" + encodeURIComponent(user)).join("&");
    return matrixParts(await getJSON("/dev/matrix" + (query ? "?" + query : "")));
  });
}

const CELL_WORDS = { 200: "allowed", 401: "no valid token", 403: "forbidden", 500: "failed" };

function matrixParts({ users, routes, cells }) {
  if (routes.length === 0) return emptyState("The template has no routes.", element("p", {}, "See ", element("a", { href: "#/findings", text: "findings" }), " for what closes them."));
  const behind = element("div", { class: "card behind", id: "behind", role: "status" }, element("p", { class: "quiet", text: "Choose a cell: the rule behind it appears here." }));
  const head = element("tr", {}, element("th", { scope: "col", text: "Route" }),
    users.map((user) => element("th", { scope: "col" }, element("bdi", { text: short(user.label ?? user.name) }), user.scope ? element("span", { class: "second", text: short(user.scope) }) : null)));
  const rows = routes.map((route, row) => element("tr", {},
    element("th", { scope: "row" }, element("strong", { text: short(route.method) }), " ", element("bdi", { text: short(route.path) }), element("span", { class: "second", text: short(route.api) })),
    users.map((user, column) => element("td", {}, matrixCell(cells[row][column], route, user, row + column === 0, behind)))));
  const grid = element("table", { class: "matrix" }, element("caption", { class: "unseen", text: "Routes and users" }), element("thead", {}, head), element("tbody", {}, rows));
  grid.addEventListener("keydown", moveInMatrix);
  const wrong = cells.flat().filter((cell) => cell.status >= 500).length;
  return [
    wrong ? element("p", { class: "notice", "data-tone": "fail", text: `${wrong} cells failed: the authorizer could not decide.` }) : null,
    element("div", { class: "matrix-side" }, element("div", { class: "scrolls" }, grid), behind),
  ].filter(Boolean);
}

function matrixCell(cell, route, user, first, behind) {
  const words = cell.reason ?? CELL_WORDS[cell.status] ?? "";
  const name = `${user.label ?? user.name}, ${requestLine(route)}: ${cell.status} ${words}`;
  const chosen = button("", () => showBehind(behind, cell, route, user), { class: "cell", tabindex: first ? "0" : "-1", "data-tone": statusTone(cell.status), "aria-label": short(name) });
  chosen.append(element("span", { class: "cell-status", text: cell.status }), element("span", { class: "cell-words", text: short(words) }));
  chosen.addEventListener("focus", () => {
    for (const other of chosen.closest("table").querySelectorAll(".cell")) other.tabIndex = other === chosen ? 0 : -1;
  });
  return chosen;
}

function showBehind(target, cell, route, user) {
  for (const other of document.querySelectorAll(".cell[aria-current]")) other.removeAttribute("aria-current");
  document.activeElement?.classList.contains("cell") && document.activeElement.setAttribute("aria-current", "true");
  target.replaceChildren(
    element("h3", {}, element("bdi", { text: short(user.label ?? user.name) }), " · ", element("bdi", { text: short(requestLine(route)) })),
    element("p", { class: "verdict" }, statusBadge(cell.status), cell.reason ? element("code", { text: cell.reason }) : null),
    element("p", {}, element("strong", { text: "Rule: " }), element("bdi", { text: cell.rule ?? "no rule applies" })),
    element("p", { class: "actions" },
      cell.decision ? element("a", { href: `#/decisions/${cell.decision}`, class: "button", text: "Open the decision" }) : null,
      button("Send this request", () => {
        draft = { api: route.api, method: route.method, path: route.path, user: user.name === "no token" ? "" : user.name, scope: user.scope ?? "" };
        location.hash = "#/request";
      })));
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
