
// ---- One decision
//
// The path of a request: identity sources, cache, function, checks, policy, context, response. The step that decided is
// marked and open.

/** The decision that is shown, in full. */
let shown = null;

/** Marks of a step, as text and colour. */
const STEP_STATES = { passed: ["passed", "good"], failed: ["failed here", "bad"], skipped: ["not reached", "plain"], info: ["", "plain"] };

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
      return emptyState(`Decision ${id} is gone.`, element("p", { text: `The gateway keeps the latest ${CAPACITY} decisions, until serve restarts.` }), closeLink());
    }
    return decisionParts(shown);
  });
}

const closeLink = () => element("a", { href: "#/", class: "close", text: "Close", "aria-keyshortcuts": "Escape" });

function decisionParts(decision) {
  return [
    element("header", { class: "detail-head" },
      element("div", { class: "title-row" },
        element("h3", { id: "detail-title", tabindex: "-1" }, element("span", { class: "quiet", text: `${decision.id} ` }), element("bdi", { text: short(requestLine(decision)) })),
        closeLink()),
      element("p", { class: "verdict" }, statusBadge(decision.status), outcomeBadge(decision.outcome), decision.reason ? element("code", { text: decision.reason }) : null,
        element("span", { class: "quiet", text: facts(decision) }))),
    element("p", { class: "words" }, element("strong", { text: "Why: " }), element("bdi", { text: whyWords(decision) })),
    decision.replayOf ? element("p", {}, "This is a replay of ", element("a", { href: `#/decisions/${decision.replayOf}`, text: `decision ${decision.replayOf}` }), ". ",
      element("a", { href: `#/compare/${decision.replayOf}/${decision.id}`, text: "Compare both" })) : null,
    actionBar(decision),
    element("div", { id: "replay", hidden: true }),
    element("h4", { text: "Path of the decision" }),
    element("ol", { class: "path" }, pathSteps(decision)),
    element("h4", { text: "Token" }),
    tokenPart(decision.token),
  ];
}

const facts = (decision) =>
  [timeOfDay(decision.time), decision.api, decision.route, `${decision.microseconds?.toLocaleString("en") ?? "?"} µs`].filter(Boolean).map(short).join(" · ");

/** The reason in a sentence: the failed check if there is one, else the words of the gateway's log. */
function whyWords(decision) {
  const failed = decision.checks?.find((check) => check.result === "failed");
  if (!failed || decision.outcome === "allow") return decision.decision ?? NONE;
  return `${failed.check}: expected ${brief(failed.expected)}, found ${brief(failed.found)}`;
}

function actionBar(decision) {
  return element("div", { class: "actions", role: "group", "aria-label": "With this decision" },
    button("Replay…", () => openReplay(decision), { "aria-keyshortcuts": "r", "aria-expanded": "false", id: "open-replay" }),
    button("Compare with…", () => mark(decision.id), { "aria-keyshortcuts": "c" }),
    button("Make a test", () => openTest(decision), { "aria-keyshortcuts": "t" }),
    button("Event file", () => openEvent(decision)),
    button("curl", () => openCurl(decision)),
    element("a", { href: "#/matrix", class: "button", text: "Who else may?" }));
}

// ---- The steps

/** The name of the step that decided. */
function decidingStep(decision) {
  const called = decision.answer === "called" || decision.answer === "cache";
  if (decision.outcome === "open" || decision.answer === "native") return "response";
  if (decision.outcome === "failure") return called ? "function" : "response";
  if (!called) return "sources";
  if (decision.outcome === "unauthorized") return decision.checks?.some((check) => check.result === "failed") ? "checks" : "function";
  return "policy";
}

const STEP_ORDER = ["sources", "cache", "function", "checks", "policy", "context", "response"];

function pathSteps(decision) {
  const deciding = decidingStep(decision);
  const at = STEP_ORDER.indexOf(deciding);
  const bad = !["allow", "open"].includes(decision.outcome);
  const steps = { sources: sourcesStep, cache: cacheStep, function: functionStep, checks: checksStep, policy: policyStep, context: contextStep, response: responseStep };
  return STEP_ORDER.map((name, index) => {
    const { title, summary, content, state } = steps[name](decision);
    const derived = state ?? (name === deciding && bad ? "failed" : name === "response" ? "info" : index > at && bad ? "skipped" : "passed");
    const [text, tone] = STEP_STATES[derived];
    const label = name === deciding && !bad ? "decided here" : name === deciding && derived === "info" ? "decided here" : text;
    const heading = [element("span", { class: "step-title", text: title }), label ? badge(label, tone) : null, element("span", { class: "quiet", text: summary })];
    const open = name === deciding;
    return element("li", { "data-state": derived, "data-step": name },
      content.length === 0 ? element("div", { class: "step-head" }, heading) : element("details", { open }, element("summary", {}, heading), element("div", { class: "step-body" }, content)));
  });
}

function sourcesStep({ identitySources: sources, authorizer }) {
  if (!sources || sources.length === 0) return { title: "Identity sources", summary: authorizer ? "none configured" : "the route has no authorizer", content: [], state: authorizer ? undefined : "info" };
  const missing = sources.filter((source) => !source.present);
  return {
    title: "Identity sources",
    summary: missing.length ? `missing: ${missing.map(({ source }) => source).join(", ")}` : "all present",
    content: [table("Identity sources", ["source", "in the request", "value"], sources.map(({ source, present, value }) => [code(source), present ? "present" : "missing", value ?? NONE]))],
  };
}

const CACHE_WORDS = {
  called: "no cached answer", cache: "a cached answer was used; the function was not called", "not-called": "not looked up", native: "the gateway checks by itself, without a function",
};

const cacheStep = ({ answer }) => ({ title: "Cache", summary: CACHE_WORDS[answer] ?? "no authorizer", content: [], state: answer === "called" || answer === "cache" ? "passed" : "skipped" });

function functionStep({ answer, authorizer, event }) {
  const words = { called: `${authorizer} was called`, cache: `${authorizer} was not called again`, "not-called": "not called" };
  return {
    title: "Function", summary: words[answer] ?? "no function",
    content: event ? [element("p", { class: "quiet", text: "The event as the function got it, without tokens and cookies:" }), block(pretty(event), "Event")] : [],
    state: answer === "called" || answer === "cache" ? undefined : "skipped",
  };
}

const RESULT_TONE = { passed: "good", failed: "bad", skipped: "plain" };

function checksStep({ checks, answer }) {
  if (!checks) return { title: "Checks", summary: answer === "called" || answer === "cache" ? "unknown: the function is not this project's authorizer" : "none", content: [], state: answer === "not-called" ? "skipped" : "info" };
  const failed = checks.filter((check) => check.result === "failed").length;
  return {
    title: "Checks", summary: failed ? `${failed} failed of ${checks.length}` : `${checks.length} checks`,
    content: [table("Checks", ["check", "result", "expected", "found"],
      checks.map((check) => [check.check, badge(check.result, RESULT_TONE[check.result]), code(brief(check.expected)), code(brief(check.found))]), { class: "checks" })],
  };
}

/** The statements of a policy, or the members of a simple answer. */
function policyStep({ policy, statement, answer }) {
  if (!policy) return { title: "Policy", summary: "no policy", content: [], state: answer === "called" || answer === "cache" ? undefined : "skipped" };
  const found = policy.Statement ?? policy.policyDocument?.Statement ?? [];
  const statements = Array.isArray(found) ? found : [found];
  const words = statement?.words ?? "no statement matched";
  const parts = statements.map((one, index) => {
    const decides = index === statement?.index;
    return element("li", { class: decides ? "deciding" : "" }, element("p", {}, element("strong", { text: `Statement ${index + 1}` }), decides ? badge("decides", one.Effect === "Allow" ? "good" : "bad") : null), block(pretty(one), `Statement ${index + 1}`));
  });
  const content = [element("p", {}, element("bdi", { text: words })), statements.length ? element("ul", { class: "statements" }, parts) : block(pretty(policy), "Answer of the function")];
  return { title: "Policy", summary: short(words), content };
}

function contextStep({ context, outcome }) {
  const members = Object.entries(context ?? {});
  if (members.length === 0) return { title: "Context", summary: "none for the backend", content: [], state: outcome === "allow" ? "info" : "skipped" };
  return { title: "Context", summary: `${members.length} members for the backend`, content: [hiddenValues("Context for the backend", members)] };
}

function responseStep({ response, status }) {
  if (!response) return { title: "Response", summary: String(status), content: [] };
  const headers = Array.isArray(response.headers) ? response.headers.map((header) => [header.name ?? header[0], header.value ?? header[1]]) : Object.entries(response.headers ?? {});
  return {
    title: "Response", summary: String(response.status ?? status),
    content: [
      table("Headers of the response", ["header", "value"], headers.map(([name, value]) => [code(name), code(brief(value))])),
      response.body ? block(response.body, "Body of the response") : element("p", { class: "quiet", text: "No text body." }),
    ],
  };
}

// ---- Hidden values

/** A table of names and values. Values are hidden until the reader asks, because screens are shared; times are shown in words. */
function hiddenValues(caption, members) {
  const cells = members.map(([name, value]) => hiddenValue(name, value));
  const all = button("Show all values", () => {
    const showing = all.getAttribute("aria-pressed") !== "true";
    for (const cell of cells) cell.set(showing);
    all.setAttribute("aria-pressed", String(showing));
    setText(all, showing ? "Hide all values" : "Show all values");
  }, { class: "small", "aria-pressed": "false" });
  return element("div", { class: "hidden-values" }, all,
    table(caption, ["name", "value"], members.map(([name], index) => [code(name), cells[index].node])));
}

function hiddenValue(name, value) {
  const node = element("span", {});
  const set = (showing) => {
    const words = timeWords(name, value);
    const toggle = button(showing ? "Hide" : "Show", () => {
      set(!showing);
      node.querySelector("button").focus();
    }, { class: "small", "aria-label": `${showing ? "Hide" : "Show"} the value of ${short(name)}` });
    node.replaceChildren(words ? element("span", { class: "time-words", text: words + " " }) : "", showing ? code(brief(value)) : element("span", { class: "dots", "aria-hidden": "true", text: "••••••" }), " ", toggle);
  };
  set(false);
  return { node, set };
}

function tokenPart(token) {
  if (!token) return element("p", { class: "quiet", text: "The request has no token that can be decoded." });
  return element("div", { class: "token" },
    element("h5", { text: "Header" }), hiddenValues("Header of the token", Object.entries(token.header ?? {})),
    element("h5", { text: "Claims" }), hiddenValues("Claims of the token", Object.entries(token.claims ?? {})),
    token.notes?.length ? element("ul", { class: "notes" }, token.notes.map((note) => element("li", { text: brief(note) }))) : null);
}
