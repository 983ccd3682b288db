
// ---- The secret
//
// serve shows decisions only to those who can read its development folder: each user of this machine can connect to its
// port. The address that it prints has the secret after #, which a browser sends to no server.

const SECRET_HEADER = "X-Development-Secret";
const SECRET_KEY = "authorizer-local.secret";

/** Returns what this browser stores. Storage can be switched off: there is nothing then. */
function stored(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores a text in this browser, if it can. */
function keep(key, text) {
  try {
    localStorage.setItem(key, text);
  } catch {
    // It lasts until the page is closed.
  }
}

/** The secret; null if this browser does not have it yet. */
let secret = stored(SECRET_KEY);

const secretHeaders = (value = secret) => (value ? { [SECRET_HEADER]: value } : {});

/** Takes the secret out of the address. Every page can lead here, so one that serve refuses replaces no other. */
async function takeSecret() {
  const given = /^#secret=([\w-]+)$/.exec(location.hash)?.[1];
  if (!given) return;
  history.replaceState(null, "", "#/");
  const answer = await fetch("/dev/session", { headers: secretHeaders(given) }).catch(() => null);
  if (secret && !answer?.ok) return;
  secret = given;
  keep(SECRET_KEY, given);
}

// ---- The gateway's routes

/** An answer that is not the expected one. Its message is the gateway's, with its hint. */
class ServerError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** The time in milliseconds after which a request counts as failed. A backend may take the gateway's 29 s. */
const REQUEST_LIMIT = 40_000;

async function call(path, options = {}) {
  let response;
  try {
    response = await fetch(path, {
      ...options, headers: { ...options.headers, ...secretHeaders() }, signal: AbortSignal.timeout(REQUEST_LIMIT),
    });
  } catch (error) {
    throw new ServerError(
      0,
      error.name === "TimeoutError" ? "serve did not answer in 40 s" : "serve does not answer; is it running?",
    );
  }
  const text = await response.text();
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    throw new ServerError(response.status, `${path} answered ${response.status} without JSON`);
  }
  if (!response.ok) throw new ServerError(response.status, body.error ?? `${path} answered ${response.status}`);
  return body;
}

const getJSON = (path) => call(path);

const postJSON = (path, body) =>
  call(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

/** The latest load of each element. */
const loads = new WeakMap();

/** Fills an element with what `load` returns, or with its error. An answer that a later load has overtaken is dropped. */
async function fill(target, load) {
  const own = Symbol("load");
  loads.set(target, own);
  target.setAttribute("aria-busy", "true");
  let content, unexpected;
  try {
    content = [await load()].flat().filter((child) => child !== null);
  } catch (error) {
    content = [notice(error.message || error.name, { "data-tone": "fail", role: "alert" })];
    if (!(error instanceof ServerError)) unexpected = error;
  }
  if (loads.get(target) !== own) return;
  target.replaceChildren(...content);
  target.removeAttribute("aria-busy");
  if (unexpected) throw unexpected;
}

// ---- What the gateway serves

/** The answer of /dev/session, and the difference between the gateway's clock and this machine's. */
const session = { apis: [], users: [], scopes: [], clockOffset: 0, version: "", shape: "" };

/** The address of the APIs and of the development issuer: nothing but the console has the origin of this page. */
const apiOrigin = () => location.origin.replace("//console.localhost", "//127.0.0.1");

/** The gateway's time in milliseconds. */
const gatewayNow = () => Date.now() + session.clockOffset * 1000;

async function loadSession() {
  const { apis, users, scopes, version } = await getJSON("/dev/session");
  Object.assign(session, { apis, users, scopes, version, shape: JSON.stringify(apis) });
  updateSuggestions();
  setText(byID("version"), session.version);
  await loadClock();
}

async function loadClock() {
  const clock = await getJSON("/dev/clock");
  session.clockOffset = Number(clock.offsetSeconds) || 0;
  return clock;
}

/** Suggestions for inputs that take a user or scopes. */
function updateSuggestions() {
  for (const [id, values] of [["users", session.users], ["scopes", session.scopes]]) {
    const suggestions = byID(id) ?? document.body.appendChild(element("datalist", { id }));
    suggestions.replaceChildren(...values.map((value) => element("option", { value })));
  }
}
