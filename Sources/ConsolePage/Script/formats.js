
// ---- Formats

/** The time of day of an RFC 3339 text, in the reader's time zone, with milliseconds. */
function timeOfDay(text) {
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime())) return String(text ?? "");
  const two = (number, digits = 2) => String(number).padStart(digits, "0");
  return `${two(moment.getHours())}:${two(moment.getMinutes())}:${two(moment.getSeconds())}.${two(moment.getMilliseconds(), 3)}`;
}

/** A length of time in words, with the largest fitting unit: "45 s", "4 min", "3 h", "12 days". */
function duration(seconds) {
  const length = Math.abs(seconds);
  if (length < 90) return `${Math.round(length)} s`;
  if (length < 90 * 60) return `${Math.round(length / 60)} min`;
  if (length < 36 * 3600) return `${Math.round(length / 3600)} h`;
  return `${Math.round(length / 86_400)} days`;
}

/** The claims of RFC 7519 and OpenID Connect that are times, with words for the future and the past. */
const TIME_CLAIMS = {
  exp: ["ends in %", "ended % ago"],
  nbf: ["begins in %", "began % ago"],
  iat: ["will be issued in %", "issued % ago"],
  auth_time: ["sign-in in %", "signed in % ago"],
};

/** Words for a claim that is a time, by the gateway's clock; null for all other claims. */
function timeWords(claim, value) {
  const words = TIME_CLAIMS[claim];
  if (!words || typeof value !== "number") return null;
  const seconds = value - gatewayNow() / 1000;
  return words[seconds > 0 ? 0 : 1].replace("%", duration(seconds));
}

/** JSON for readers: indented, and texts as they are. */
const pretty = (value) => JSON.stringify(value, null, 2);

/** One value on one line. */
const brief = (value) => (value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value));

/** A text as one word of a command line that shells read as this text; null if there is none. The rule of
 *  Sources/Text/ShellWord.swift, which has the reasons. */
function shellWord(text) {
  if (/^(?![=%])[A-Za-z0-9%+,\-./:=@_]+$/.test(text)) return text;
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u.test(text)) return null;
  return `'${text.replace(/['\\!]/g, "'\\$&'")}'`;
}

// ---- Words of a decision

/** Words for members of a decision that are null. */
const NONE = "none";

const ANSWER_WORDS = { called: "called", cache: "cache", "not-called": "not called", native: "gateway" };

/** The kind of colour for an outcome. The word itself is always shown too. */
const OUTCOME_TONE = {
  allowed: "good",
  open: "plain",
  policy: "plain",
  forbidden: "bad",
  unauthorized: "warn",
  refused: "warn",
  failure: "fail",
  closed: "fail",
};

/** The kind of colour for a status: 2xx, 401, other 4xx, 5xx. */
function statusTone(status) {
  if (status >= 500) return "fail";
  if (status === 401) return "warn";
  if (status >= 400) return "bad";
  return status >= 200 && status < 400 ? "good" : "plain";
}

/** A word with a colour. */
function badge(text, tone = "plain") {
  return element("span", { class: "badge", "data-tone": tone, text });
}

const outcomeBadge = (outcome) => badge(outcome ?? NONE, OUTCOME_TONE[outcome]);
const statusBadge = (status) => badge(status, statusTone(status));

/** Status, outcome and reason of a decision. */
const verdictBadges = ({ status, outcome, reason }) => [
  statusBadge(status),
  outcomeBadge(outcome),
  reason ? element("code", { text: reason }) : null,
];

/** "GET /orders/7", in one line. */
const requestLine = (decision) => `${decision.method} ${decision.path}`;
