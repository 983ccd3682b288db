
// ---- Request builder

/** What the fields have, also while another view is shown. Another view may set it. */
let draft = { api: "", method: "GET", path: "/", query: "", headers: "", body: "", user: "alice", scope: "", claims: "" };

/** Fills the fields with a request of another view. */
function draftRequest(request) {
  draft = { ...draft, query: "", headers: "", body: "", ...request };
  byID("builder").replaceChildren();
  go("#/request");
}

/** The method and the path of a route key such as "GET /orders"; null for keys without a path, such as "$default". */
function routeParts({ route }) {
  const match = /^(\S+)\s+(\/\S*)$/.exec(route);
  return match ? { method: match[1], path: match[2] } : null;
}

/** Names an API of the session: one API can have several stages. */
const apiKey = ({ name, stage }) => JSON.stringify([name, stage ?? null]);

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/** Builds the form, unless it is there already: what was written stays when serve restarts with the same APIs. */
function showBuilder() {
  const target = byID("builder");
  if (target.querySelector("form") && target.dataset.version === session.shape) return;
  target.dataset.version = session.shape;
  if (session.apis.length === 0) {
    target.replaceChildren(
      !session.shape ? quietParagraph("Loading") : emptyState(
        "The template has no API.",
        element("p", {}, "See ", element("a", { href: "#/findings", text: "findings" }), " for the reasons."),
      )
    );
    return;
  }
  const apis = session.apis.filter((api) => !/socket/i.test(api.kind));
  const input = (name, properties = {}) => textInput(name, { value: draft[name] ?? "", ...properties });
  const area = (name, rows, placeholder) => {
    const created = element("textarea", { name, rows, spellcheck: "false", placeholder });
    created.value = draft[name] ?? "";
    return created;
  };
  const select = (name, options) => element("select", { name },
    options.map(([value, text]) => element("option", { value, text, selected: value === draft[name] })),
  );
  const result = element("div", { id: "builder-result", role: "status" });
  const form = element("form", { class: "builder", "aria-label": "Request" },
    element("fieldset", {}, element("legend", { text: "Who" }),
      field("User (empty: no token)", input("user", { list: "users" })), field("Scopes", input("scope", { list: "scopes" })),
      field("Claims, as JSON", input("claims", { placeholder: '{"org_id":"acme"}' }), { class: "grow" })),
    element("fieldset", {}, element("legend", { text: "What" }),
      field("API",
        select("api",
          apis.map((api) => [apiKey(api), [api.name, api.stage, `(${api.kind})`].filter(Boolean).join(" ")]),
        ),
      ),
      field("Route", element("select", { name: "route" })),
      field("Method",
        select("method", [...new Set([...METHODS, draft.method ?? "GET"])].map((method) => [method, method])),
      ),
      field("Path", input("path", { required: true }), { class: "grow" }),
      element("div", { class: "parameters" }),
      field("Query", input("query", { placeholder: "limit=1&sort=name" }), { class: "grow" })),
    element("fieldset", {}, element("legend", { text: "With" }),
      field("Headers, one in a line", area("headers", 3, "Accept: application/json"), { class: "grow" }),
      field("Body", area("body", 3, ""), { class: "grow" })),
    element("p", { class: "actions" }, element("button", { class: "primary", text: "Send" })), result);
  const routes = () => fillRoutes(form, apis);
  form.elements.api.addEventListener("change", routes);
  form.elements.route.addEventListener("change", () => chooseRoute(form));
  form.addEventListener("input", () => {
    askParameters(form);
    saveDraft(form);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    fill(result, () => send(saveDraft(form)));
  });
  target.replaceChildren(form);
  routes();
  askParameters(form);
}

/** The parameters of a path as routes write them: "{id}", "{proxy+}". */
const PARAMETER = /\{[^{}/]+\}/g;

/** Asks for a value of each parameter of the path. */
function askParameters(form) {
  const names = [...new Set(form.elements.path.value.match(PARAMETER))];
  const target = form.querySelector(".parameters");
  if ([...target.querySelectorAll("input")].map(({ name }) => name).join() === names.join()) return;
  target.replaceChildren(...names.map((name) =>
    field(`Value of ${name}`, textInput(name, { value: draft[name], required: true }))));
}

/** The path with the values of its parameters. Only that of {name+} can have slashes. */
const filledPath = (request) => request.path.replace(PARAMETER, (name) => {
  const parts = name.endsWith("+}") ? request[name].split("/") : [request[name]];
  return parts.map(encodeURIComponent).join("/");
});

function saveDraft(form) {
  draft = Object.fromEntries([...new FormData(form)].filter(([name]) => name !== "route"));
  return draft;
}

/** Offers the routes of the chosen API. */
function fillRoutes(form, apis) {
  const api = apis.find((one) => apiKey(one) === form.elements.api.value);
  const routes = (api?.routes ?? []).map(routeParts).filter(Boolean);
  form.elements.route.replaceChildren(element("option", { value: "", text: "write method and path" }),
    ...routes.map(({ method, path }) => element("option", {
      value: `${method} ${path}`,
      text: `${method} ${path}`,
      selected: method === draft.method && path === draft.path,
    })));
  if (draft.path === "/" && routes.length) {
    form.elements.route.selectedIndex = 1;
    chooseRoute(form);
  }
}

function chooseRoute(form) {
  const parts = routeParts({ route: form.elements.route.value });
  if (!parts) return;
  form.elements.method.value = METHODS.includes(parts.method) ? parts.method : "GET";
  form.elements.path.value = parts.path;
  askParameters(form);
  saveDraft(form);
}

/** Parses "Name: value" lines. */
function headerLines(text) {
  const headers = {};
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const at = line.indexOf(":");
    if (at <= 0) throw new ServerError(0, `"${short(line)}" is not a header: write Name: value`);
    headers[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return headers;
}

async function send(request) {
  const { method, query, body, user, scope, claims } = request;
  const path = filledPath(request);
  const [api, stage] = JSON.parse(request.api);
  const answer = await postJSON("/dev/send", {
    api, ...(stage && { stage }), method, path, ...(query && { query }), ...(body && { body }),
    headers: headerLines(request.headers ?? ""),
    // Without a user there is no token. Scopes alone would make one for a user of the server's choice.
    ...(user && { user }), ...(user && scope && { scope }), ...(user && claims && { claims }),
  });
  const decision = await getJSON(`/dev/decisions/${answer.decision}`);
  return [
    element("p", { class: "verdict" }, verdict(decision),
      element("a", { href: `#/decisions/${decision.id}`, class: "button", text: "How was this decided?" })),
    whyPart(decision),
    block(brief(answer.body) || "(no body)", "Body of the response"),
    headerTable(answer.headers),
  ];
}
