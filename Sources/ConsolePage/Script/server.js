
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
    response = await fetch(path, { ...options, signal: AbortSignal.timeout(REQUEST_LIMIT) });
  } catch (error) {
    throw new ServerError(0, error.name === "TimeoutError" ? "serve did not answer in 40 s" : "serve does not answer; is it running?");
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

/** Shows a failed request in place of its result. */
function problem(error) {
  return element("p", { class: "notice", "data-tone": "fail", role: "alert", text: error.message });
}

/** Fills an element with what `load` returns: while it runs a notice, and its error if it fails. */
async function fill(target, load) {
  target.setAttribute("aria-busy", "true");
  try {
    target.replaceChildren(...[await load()].flat());
  } catch (error) {
    target.replaceChildren(problem(error));
    if (!(error instanceof ServerError)) throw error;
  } finally {
    target.removeAttribute("aria-busy");
  }
}

// ---- What the gateway serves

/** The answer of /dev/session, and the difference between the gateway's clock and this machine's. */
const session = { apis: [], users: [], clockOffset: 0, version: "" };

/** The gateway's time in milliseconds. */
const gatewayNow = () => Date.now() + session.clockOffset * 1000;

async function loadSession() {
  const answer = await getJSON("/dev/session");
  Object.assign(session, { apis: answer.apis ?? [], users: answer.users ?? [], version: answer.version ?? "", realKeys: answer.realKeys === true });
  setText(byID("version"), session.version);
  await loadClock();
}

async function loadClock() {
  const clock = await getJSON("/dev/clock");
  session.clockOffset = Number(clock.offsetSeconds) || 0;
  return clock;
}

/** The name of a user in /dev/session, which lists names or objects with names. */
const userName = (user) => (typeof user === "string" ? user : user.name);

/** Suggestions for inputs that take a user. */
function userList() {
  const list = byID("users") ?? document.body.appendChild(element("datalist", { id: "users" }));
  list.replaceChildren(...session.users.map((user) => element("option", { value: userName(user) })));
}
