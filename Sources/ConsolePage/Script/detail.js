
// ---- One decision
//
// The path of a request: identity sources, cache, function, checks, policy, context, response. Each step is used or
// skipped; the one that decided is marked and open.

/** The decision that is shown, in full. */
let shown = null;

/** Loads a decision and shows it beside the list. */
async function showDecision(id) {
  const target = byID("detail");
  target.hidden = false;
  await fill(target, async () => {
    try {
      shown = await getJSON(`/dev/decisions/${id}`);
    } catch (error) {
      shown = null;
      if (error.status !== 404) throw error;
      return emptyState(
        `Decision ${id} is gone.`,
        element("p", { text: `The gateway keeps the latest ${CAPACITY} decisions, until serve restarts.` }),
        closeLink(),
      );
    }
    return decisionParts(shown);
  });
}

const decisionLink = (id, text = `decision ${id}`) => element("a", { href: `#/decisions/${id}`, text });
const closeLink = () => element("a", { href: "#/", class: "close", text: "Close", "aria-keyshortcuts": "Escape" });

function decisionParts(decision) {
  return [
    element("header", { class: "detail-head" },
      element("div", { class: "title-row" },
        element("h3", { id: "detail-title", tabindex: "-1" },
          quiet(`${decision.id} `),
          isolated(short(requestLine(decision))),
        ),
        closeLink()),
      element("p", { class: "verdict" },
        verdict(decision),
        decision.reason ? element("code", { text: decision.reason }) : null,
        element("span", { class: "quiet" }, moment(decision.time), isolated(facts(decision))))),
    whyPart(decision),
    decision.backend ? element("p", { class: "notice" }, isolated(`Backend ${decision.backend}`)) : null,
    notice(decision.warning),
    decision.replayOf ? element("p", {}, "This is a replay of ", decisionLink(decision.replayOf), ". ",
      element("a", { href: `#/compare/${decision.replayOf}/${decision.id}`, text: "Compare both" })) : null,
    notice(decision.omitted?.length && `Too large to be stored: ${decision.omitted.join(", ")}`),
    actionBar(decision),
    element("div", { id: "replay", hidden: true }),
    element("h4", { text: "Path of the decision" }),
    element("ol", { class: "path" }, pathSteps(decision)),
    element("h4", { text: "Token" }),
    tokenPart(decision.token),
  ];
}

/** What follows the time of a decision, each fact after a dot. */
const facts = ({ user, api, route, microseconds }) =>
  [user, api, route, `${microseconds?.toLocaleString("en") ?? "?"} µs`].filter(Boolean).map((fact) => ` · ${short(fact)}`).join("");

function actionBar(decision) {
  return element("div", { class: "actions", role: "group", "aria-label": "With this decision" },
    button("Replay…",
      () => openReplay(decision),
      { "aria-keyshortcuts": "r", "aria-expanded": "false", id: "open-replay" },
    ),
    button("Compare with…", () => mark(decision.id), { "aria-keyshortcuts": "c" }),
    button("Make a test", () => openTest(decision), { "aria-keyshortcuts": "t" }),
    button("Event file", () => openEvent(decision)),
    button("curl", () => openCurl(decision)),
    decision.route ? button("Who may call this?", () => showMatrixCell(decision)) : null);
}

// ---- The steps

/** The name of the step that decided. */
function decidingStep(decision) {
  const called = wasAsked(decision.answer);
  if (decision.outcome === "open" || decision.answer === "native") return "response";
  if (decision.outcome === "failure") return called ? "function" : "response";
  if (!called) return "sources";
  if (decision.outcome === "unauthorized") return decision.checks?.some(
    (check) => check.result === "failed"
  ) ? "checks" : "function";
  return "policy";
}

function pathSteps(decision) {
  const deciding = decidingStep(decision);
  const steps = {
    sources: ["Identity sources", sourcesStep],
    cache: ["Cache", cacheStep],
    function: ["Function", functionStep],
    checks: ["Checks", checksStep],
    policy: ["Policy", policyStep],
    context: ["Context", contextStep],
    response: ["Response", responseStep],
  };
  return Object.entries(steps).map(([name, [title, step]]) => {
    const { summary, content = [], isUsed = true } = step(decision);
    const state = name === deciding ? "decided" : isUsed ? "used" : "skipped";
    const tone = state === "decided" ? toneOf(decision.outcome) : "plain";
    const heading = [
      element("span", { class: "step-title", text: title }),
      badge(state === "decided" ? "decided here" : state, tone),
      quiet(summary),
    ];
    const open = name === deciding || (
      name === "checks" && decision.checks?.some((check) => check.result === "failed")
    );
    return element("li", { "data-state": state, "data-step": name, "data-tone": tone },
      content.length === 0
        ? element("div", { class: "step-head" }, heading)
        : element("details", { open },
          element("summary", {}, heading), element("div", { class: "step-body" }, content)));
  });
}

function sourcesStep({ identitySources: sources, authorizer }) {
  if (!sources || sources.length === 0) return {
    summary: authorizer ? "none configured" : "the route has no authorizer", isUsed: false,
  };
  const missing = sources.filter((source) => !source.present);
  return {
    summary: missing.length ? `missing: ${missing.map(({ source }) => source).join(", ")}` : "all present",
    content: [
      table("Identity sources",
        ["source", "in the request", "value"],
        sources.map(({ source, present, value }) => [code(source), present ? "present" : "missing", value ?? NONE]),
      )
    ],
  };
}

const CACHE_WORDS = {
  called: "no cached answer",
  cache: "a cached answer was used; the function was not called",
  "not-called": "not looked up",
  native: "the gateway checks by itself, without a function",
};

const cacheStep = ({ answer }) => ({ summary: CACHE_WORDS[answer] ?? "no authorizer", isUsed: wasAsked(answer) });

/** Whether the function was asked, now or when its answer was cached. */
const wasAsked = (answer) => answer === "called" || answer === "cache";

function functionStep({ answer, authorizer, event }) {
  const words = {
    called: `${authorizer} was called`,
    cache: `${authorizer} was not called again`,
    "not-called": "not called",
  };
  return {
    summary: words[answer] ?? "no function",
    content: event ? [
      quietParagraph("The event as the function got it, without tokens and cookies:"),
      block(pretty(event), "Event"),
    ] : [],
    isUsed: answer === "called",
  };
}

/** The word and the kind of colour for the result of a check. */
const RESULTS = { passed: ["passed", "good"], failed: ["failed", "bad"], skipped: ["not made", "plain"] };

const UNKNOWN_CHECKS = "unknown: the function is of another author, or was started with --function";

function checksStep({ checks, answer }) {
  if (!checks) return { summary: wasAsked(answer) ? UNKNOWN_CHECKS : "none", isUsed: wasAsked(answer) };
  const failed = checks.filter((check) => check.result === "failed");
  return {
    summary: failed.length
      ? `${failed.length} of ${checks.length} failed: ${failed.map(({ check }) => check).join(", ")}`
      : `${checks.length} passed`,
    content: failed.length && failed.length < checks.length ? [
      checkTable("Failed checks", failed),
      element("details", { class: "others" },
        element("summary", { text: `The other ${checks.length - failed.length} checks` }),
        checkTable("Other checks", checks.filter((check) => !failed.includes(check))),
      ),
    ] : [checkTable("Checks", checks)],
  };
}

const checkTable = (caption, checks) => table(caption, ["check", "result", "expected", "found"],
  checks.map(({ check, result, expected, found }) =>
    [check, badge(...RESULTS[result]), code(brief(expected)), code(brief(found))]), { class: "checks stacks" });

/** The statements of a policy, or the members of a simple answer. */
function policyStep(decision) {
  const { policy, statement } = decision;
  if (!policy) return { summary: "no policy", isUsed: false };
  const found = policy.Statement ?? policy.policyDocument?.Statement ?? [];
  const statements = Array.isArray(found) ? found : [found];
  const words = statement?.words ?? "no statement matched";
  const parts = statements.map((one, index) => {
    const decides = index === statement?.index;
    return element("li", { class: decides ? "deciding" : "" },
      element("p", {},
        strong(`Statement[${index}]`),
        decides ? badge("decides", one.Effect === "Allow" ? "good" : "bad") : null,
      ),
      block(pretty(one), `Statement[${index}]`),
    );
  });
  const content = [
    statements.length ? element("ul", { class: "statements" }, parts) : block(pretty(policy), "Answer of the function")
  ];
  if (decision.route) content.push(
    element("p", {}, button("Which rule is behind this?", () => showMatrixCell(decision), { class: "small" }))
  );
  return { summary: short(words), content };
}

function contextStep({ context, token }) {
  const members = Object.entries(context ?? {});
  if (members.length === 0) return { summary: "none for the backend", isUsed: false };
  return {
    summary: `${members.length} members for the backend`,
    content: [valueTable("Context for the backend", members, () => token?.isDevelopment)],
  };
}

function responseStep({ response, status }) {
  if (!response) return { summary: String(status) };
  return {
    summary: String(response.status ?? status),
    content: [
      headerTable(response.headers),
      response.body ? block(response.body, "Body of the response") : quietParagraph("No text body."),
    ],
  };
}

/** A response's headers, which are the members of an object. */
const headerTable = (headers) => table("Headers of the response", ["header", "value"],
  Object.entries(headers ?? {}).map(([name, value]) => [code(name), code(brief(value))]));

// ---- Values of tokens

/** A table of names and values, with times in words. Values are hidden until the reader asks, because screens are
 *  shared; those of the development issuer describe no real person and are shown. */
function valueTable(caption, members, isShown) {
  const cells = members.map(([name, value]) => isShown(name) ? shownValue(name, value) : hiddenValue(name, value));
  const isAnyHidden = members.some(([name]) => !isShown(name));
  const all = valueToggle("all values", (showing) => cells.forEach((cell) => cell.set(showing)));
  return element("div", { class: "hidden-values" }, isAnyHidden ? all : null,
    table(caption, ["name", "value"], members.map(([name], index) => [code(name), cells[index].node])));
}

/** A value that says nothing about a user. */
const shownValue = (name, value) =>
  ({ node: element("span", {}, timeMark(name, value), code(brief(value))), set: () => {} });

/** A claim that is a time, in words; null for all others. */
function timeMark(name, value) {
  const words = timeWords(name, value);
  return words ? element("span", { class: "time-words", text: words + " " }) : null;
}

/** The members of a header that name how it is signed (RFC 7515 section 4.1). */
const HEADER_NAMES = new Set(["alg", "kid", "typ", "cty", "crit"]);

function hiddenValue(name, value) {
  const node = element("span", {});
  const set = (showing) => {
    const toggle = button(showing ? "Hide" : "Show", () => {
      set(!showing);
      node.querySelector("button").focus();
    }, { class: "small", "aria-label": `${showing ? "Hide" : "Show"} the value of ${short(name)}` });
    node.replaceChildren(
      timeMark(name, value) ?? "",
      showing ? code(brief(value)) : element("span", { class: "dots", "aria-hidden": "true", text: "••••••" }),
      " ",
      toggle,
    );
  };
  set(false);
  return { node, set };
}

function tokenPart(token) {
  if (!token) return quietParagraph("The request has no token that can be decoded.");
  return element("div", { class: "token" },
    element("h5", { text: "Header" }), valueTable("Header of the token", Object.entries(token.header ?? {}), (name) => token.isDevelopment || HEADER_NAMES.has(name)),
    element("h5", { text: "Claims" }), valueTable("Claims of the token", Object.entries(token.claims ?? {}), () => token.isDevelopment),
    token.notes?.length ? element("ul", { class: "notes" }, token.notes.map((note) => element("li", { text: brief(note) }))) : null);
}
