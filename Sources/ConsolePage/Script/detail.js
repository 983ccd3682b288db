
// ---- One decision
//
// The path of a request: identity sources, cache, function, checks, policy, context, response. The step that decided is
// marked and open.

/** The decision that is shown, in full. */
let shown = null;

/** Marks of a step, as text and colour. `refused` is a decision, `failed` a check or a call that failed. */
const STEP_STATES = {
  passed: ["passed", "good"],
  failed: ["failed here", "bad"],
  refused: ["decided here", "bad"],
  skipped: ["not reached", "plain"],
  info: ["", "plain"],
};

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
      element("p", { class: "verdict" }, verdictBadges(decision),
        quiet(facts(decision)))),
    element("p", { class: "words", "data-outcome": decision.outcome }, isolated(whyWords(decision))),
    decision.backend ? element("p", { class: "notice" }, isolated(`Backend ${decision.backend}`)) : null,
    decision.warning ? element("p", { class: "notice", text: decision.warning }) : null,
    decision.replayOf ? element("p", {}, "This is a replay of ", element(
      "a",
      { href: `#/decisions/${decision.replayOf}`, text: `decision ${decision.replayOf}` },
    ), ". ",
      element("a", { href: `#/compare/${decision.replayOf}/${decision.id}`, text: "Compare both" })) : null,
    decision.omitted?.length ? element("p",
      { class: "notice", text: `Too large to be stored: ${decision.omitted.join(", ")}` },
    ) : null,
    actionBar(decision),
    element("div", { id: "replay", hidden: true }),
    element("h4", { text: "Path of the decision" }),
    element("ol", { class: "path" }, pathSteps(decision)),
    element("h4", { text: "Token" }),
    tokenPart(decision.token),
  ];
}

const facts = (decision) =>
  [
    timeOfDay(decision.time),
    decision.user,
    decision.api,
    decision.route,
    `${decision.microseconds?.toLocaleString("en") ?? "?"} µs`,
  ].filter(Boolean).map(short).join(" · ");

/** Who decided and why: the authorizer's sentence, or the words of the gateway's log. */
const whyWords = (decision) => brief(decision.sentence ?? decision.why ?? decision.decision ?? NONE);

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
  const called = decision.answer === "called" || decision.answer === "cache";
  if (decision.outcome === "open" || decision.answer === "native") return "response";
  if (decision.outcome === "failure") return called ? "function" : "response";
  if (!called) return "sources";
  if (decision.outcome === "unauthorized") return decision.checks?.some(
    (check) => check.result === "failed"
  ) ? "checks" : "function";
  return "policy";
}

const STEP_ORDER = ["sources", "cache", "function", "checks", "policy", "context", "response"];

function pathSteps(decision) {
  const deciding = decidingStep(decision);
  const at = STEP_ORDER.indexOf(deciding);
  const bad = !["allow", "open"].includes(decision.outcome);
  const steps = {
    sources: sourcesStep,
    cache: cacheStep,
    function: functionStep,
    checks: checksStep,
    policy: policyStep,
    context: contextStep,
    response: responseStep,
  };
  return STEP_ORDER.map((name, index) => {
    const { title, summary, content, state } = steps[name](decision);
    const stops = decision.outcome === "deny" ? "refused" : "failed";
    const otherwise = name === "response" ? "info" : index > at && bad ? "skipped" : "passed";
    const derived = (name === deciding && bad ? stops : state) ?? otherwise;
    const [text, tone] = STEP_STATES[derived];
    const label = name === deciding && !bad ? "decided here" : text;
    const heading = [
      element("span", { class: "step-title", text: title }),
      label ? badge(label, tone) : null,
      quiet(summary),
    ];
    const open = name === deciding || (
      name === "checks" && decision.checks?.some((check) => check.result === "failed")
    );
    return element("li", { "data-state": derived, "data-step": name },
      content.length === 0
        ? element("div", { class: "step-head" }, heading)
        : element("details", { open },
          element("summary", {}, heading), element("div", { class: "step-body" }, content)));
  });
}

function sourcesStep({ identitySources: sources, authorizer }) {
  if (!sources || sources.length === 0) return {
    title: "Identity sources",
    summary: authorizer ? "none configured" : "the route has no authorizer",
    content: [],
    state: authorizer ? undefined : "info",
  };
  const missing = sources.filter((source) => !source.present);
  return {
    title: "Identity sources",
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

const cacheStep = ({ answer }) => (
  {
    title: "Cache",
    summary: CACHE_WORDS[answer] ?? "no authorizer",
    content: [],
    state: answer === "called" || answer === "cache" ? "passed" : "skipped",
  }
);

function functionStep({ answer, authorizer, event }) {
  const words = {
    called: `${authorizer} was called`,
    cache: `${authorizer} was not called again`,
    "not-called": "not called",
  };
  return {
    title: "Function", summary: words[answer] ?? "no function",
    content: event ? [
      quietParagraph("The event as the function got it, without tokens and cookies:"),
      block(pretty(event), "Event"),
    ] : [],
    state: answer === "called" || answer === "cache" ? undefined : "skipped",
  };
}

const RESULT_TONE = { passed: "good", failed: "bad", skipped: "plain" };

const UNKNOWN_CHECKS = "unknown: the function is of another author, or was started with --function";

function checksStep({ checks, answer }) {
  if (!checks) return {
    title: "Checks",
    summary: answer === "called" || answer === "cache" ? UNKNOWN_CHECKS : "none",
    content: [],
    state: answer === "not-called" ? "skipped" : "info",
  };
  const failed = checks.filter((check) => check.result === "failed");
  return {
    state: failed.length ? "info" : undefined,
    title: "Checks",
    summary: failed.length
      ? `${failed.length} of ${checks.length} failed: ${failed.map(({ check }) => check).join(", ")}`
      : `${checks.length} checks`,
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
    [check, badge(result, RESULT_TONE[result]), code(brief(expected)), code(brief(found))]), { class: "checks" });

/** The statements of a policy, or the members of a simple answer. */
function policyStep(decision) {
  const { policy, statement, answer } = decision;
  if (!policy) return {
    title: "Policy",
    summary: "no policy",
    content: [],
    state: answer === "called" || answer === "cache" ? undefined : "skipped",
  };
  const found = policy.Statement ?? policy.policyDocument?.Statement ?? [];
  const statements = Array.isArray(found) ? found : [found];
  const words = statement?.words ?? "no statement matched";
  const parts = statements.map((one, index) => {
    const decides = index === statement?.index;
    return element("li", { class: decides ? "deciding" : "" },
      element("p", {},
        strong(`Statement ${index + 1}`),
        decides ? badge("decides", one.Effect === "Allow" ? "good" : "bad") : null,
      ),
      block(pretty(one), `Statement ${index + 1}`),
    );
  });
  const content = [
    statements.length ? element("ul", { class: "statements" }, parts) : block(pretty(policy), "Answer of the function")
  ];
  if (decision.route) content.push(
    element("p", {}, button("Which rule is behind this?", () => showMatrixCell(decision), { class: "small" }))
  );
  return { title: "Policy", summary: short(words), content };
}

function contextStep({ context, outcome }) {
  const members = Object.entries(context ?? {});
  if (members.length === 0) return {
    title: "Context",
    summary: "none for the backend",
    content: [],
    state: outcome === "allow" ? "info" : "skipped",
  };
  return {
    title: "Context",
    summary: `${members.length} members for the backend`,
    content: [hiddenValues("Context for the backend", members)],
  };
}

function responseStep({ response, status }) {
  if (!response) return { title: "Response", summary: String(status), content: [] };
  const headers = Array.isArray(response.headers) ? response.headers.map(
    (header) => [header.name ?? header[0], header.value ?? header[1]]
  ) : Object.entries(response.headers ?? {});
  return {
    title: "Response", summary: String(response.status ?? status),
    content: [
      table("Headers of the response",
        ["header", "value"],
        headers.map(([name, value]) => [code(name), code(brief(value))]),
      ),
      response.body ? block(response.body, "Body of the response") : quietParagraph("No text body."),
    ],
  };
}

// ---- Hidden values

/** A table of names and values. Values are hidden until the reader asks, because screens are shared; times are shown in words. */
function hiddenValues(caption, members, plain = new Set()) {
  const cells = members.map(([name, value]) => plain.has(name) ? shownValue(value) : hiddenValue(name, value));
  const all = button("Show all values", () => {
    const showing = all.getAttribute("aria-pressed") !== "true";
    for (const cell of cells) cell.set(showing);
    all.setAttribute("aria-pressed", String(showing));
    setText(all, showing ? "Hide all values" : "Show all values");
  }, { class: "small", "aria-pressed": "false" });
  return element("div", { class: "hidden-values" }, all,
    table(caption, ["name", "value"], members.map(([name], index) => [code(name), cells[index].node])));
}

/** A value that says nothing about a user. */
const shownValue = (value) => ({ node: code(brief(value)), set: () => {} });

/** The members of a header that name how it is signed (RFC 7515 section 4.1). */
const HEADER_NAMES = new Set(["alg", "kid", "typ", "cty", "crit"]);

function hiddenValue(name, value) {
  const node = element("span", {});
  const set = (showing) => {
    const words = timeWords(name, value);
    const toggle = button(showing ? "Hide" : "Show", () => {
      set(!showing);
      node.querySelector("button").focus();
    }, { class: "small", "aria-label": `${showing ? "Hide" : "Show"} the value of ${short(name)}` });
    node.replaceChildren(
      words ? element("span", { class: "time-words", text: words + " " }) : "",
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
    element("h5", { text: "Header" }), hiddenValues("Header of the token", Object.entries(token.header ?? {}), HEADER_NAMES),
    element("h5", { text: "Claims" }), hiddenValues("Claims of the token", Object.entries(token.claims ?? {})),
    token.notes?.length ? element("ul", { class: "notes" }, token.notes.map((note) => element("li", { text: brief(note) }))) : null);
}
