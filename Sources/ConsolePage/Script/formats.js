
// ---- Formats

/** A function that formats an RFC 3339 text in the reader's time zone, and leaves other texts as they are. */
const timeFormat = (options) => {
  const format = new Intl.DateTimeFormat("en-GB", options);
  return (text) => (Number.isNaN(Date.parse(text)) ? String(text ?? "") : format.format(new Date(text)));
};

/** The time of day, with milliseconds. */
const timeOfDay = timeFormat({ hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 });

/** Date, time and zone. */
const datedTime = timeFormat({ dateStyle: "medium", timeStyle: "long" });

/** A time of day. Its title has the date, the zone, and the time in UTC. */
const moment = (text) => element("time", { text: timeOfDay(text), title: `${datedTime(text)}; UTC: ${text}` });

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

/** JSON on one line, with spaces. */
const oneLine = (value) => pretty(value).replace(/\n\s*/g, " ");

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

/** The word and the kind of colour of each outcome, the same in rows, sentences, steps and cells. */
const OUTCOMES = {
  allowed: ["allowed", "good"],
  open: ["open", "plain"],
  policy: ["policy", "plain"],
  forbidden: ["forbidden", "bad"],
  unauthorized: ["unauthorized", "warn"],
  refused: ["refused", "warn"],
  failure: ["failed", "fail"],
  closed: ["closed", "fail"],
};
const wordOf = (outcome) => OUTCOMES[outcome]?.[0] ?? outcome ?? NONE;
const toneOf = (outcome) => OUTCOMES[outcome]?.[1] ?? "plain";

/** A word with a colour. */
function badge(text, tone = "plain") {
  return element("span", { class: "badge", "data-tone": tone, text });
}

/** Status and outcome of a decision: its one badge. */
const verdict = ({ status, outcome }) => badge([status, wordOf(outcome)].filter(Boolean).join(" "), toneOf(outcome));

/** Why a request was decided as it was: a sentence in the colour of the outcome, and the rule that it names. */
function whyPart(decision) {
  return element("div", { class: "why", "data-tone": toneOf(decision.outcome) },
    element("p", { class: "words" }, isolated(whyWords(decision))),
    decision.hint ? element("p", { class: "quiet" }, isolated(`Hint: ${brief(decision.hint)}`)) : null,
    decision.ruleText ? element("p", { class: "rule" }, quiet(`rules[${decision.rule}] `), code(oneLine(decision.ruleText))) : null);
}

/** The authorizer's sentence, or the words of the gateway's log. */
const whyWords = ({ sentence, why, decision, answer }) =>
  brief(sentence ?? why ?? decision ?? NONE) + (answer === "not-called" ? "; the authorizer was not called." : "");

/** "GET /orders/7", in one line. */
const requestLine = (decision) => `${decision.method} ${decision.path}`;
