
// ---- Cache, keys, revocations, clock

/** Loads the four parts side by side. A part that fails does not hide the others. */
async function showState() {
  const parts = [
    ["Clock", clockPart],
    ["Revocations", revocationsPart],
    ["Cached answers", cachePart, "card wide"],
    ["Signing keys", keysPart, "card wide"],
  ];
  const cards = parts.map(([title, load, kind = "card"]) => {
    const content = element("div", {});
    const card = element("section", { class: kind, "aria-label": title }, element("h3", { text: title }), content);
    return { card, content, load };
  });
  byID("state").replaceChildren(...cards.map(({ card }) => card));
  await Promise.all(cards.map(({ content, load }) => fill(content, () => load(content))));
}

async function clockPart(target) {
  const clock = await loadClock();
  const move = (distance) => fill(target, async () => {
    await postJSON("/dev/clock", { move: distance });
    announce("The clock was moved");
    return clockPart(target);
  });
  const offset = session.clockOffset;
  const form = element("form", { class: "bar" },
    field("Move by", textInput("move", { value: "+1h", required: true, "aria-describedby": "clock-hint" })),
    element("button", { text: "Move" }),
    offset ? button("Back to this machine's time", () => move(`${offset > 0 ? "-" : "+"}${Math.abs(offset)}s`)) : null);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    move(form.elements.move.value.trim());
  });
  return [
    element("p", {},
      element("strong", { title: `UTC: ${clock.time}`, text: datedTime(clock.time) }),
      " ",
      quiet(offset ? `${duration(offset)} ${offset > 0 ? "ahead of" : "behind"} this machine` : "this machine's time"),
    ),
    form, element("p",
      {
        class: "quiet",
        id: "clock-hint",
        text: "+10m, -1h, +90s, +2d, within a year. Gateway, issuer and function use this clock.",
      },
    ),
    notice(clock.unmovedFunctions?.length && `Not moved: ${clock.unmovedFunctions.join(", ")}`),
  ];
}

async function cachePart(target) {
  const { answers } = await getJSON("/dev/cache");
  if (answers.length === 0) return emptyState(
    "No cached answers.",
    element("p",
      { text: "An answer is cached if the authorizer has a TTL above 0 and all identity sources are present." },
    ),
  );
  const flush = button("Empty the cache", () => fill(target, async () => {
    const { flushed } = await postJSON("/dev/cache/flush", {});
    announce(`${flushed} cached answers were removed`);
    return cachePart(target);
  }));
  return [
    element("p", { class: "actions" }, flush, quiet(`${answers.length} cached`)),
    table("Cached answers", ["principal", "scope", "stored", "ends in", "answer", "authorizer", "API", "key"], answers.map((answer) => [
      plain(answer.principal),
      plain(answer.scope),
      moment(answer.storedAt),
      duration(answer.endsInSeconds),
      badge(wordOf(answer.outcome), toneOf(answer.outcome)),
      plain(answer.authorizer),
      plain([answer.api, answer.stage].filter(Boolean).join(" ")),
      code(answer.key),
    ]), { class: "stacks" }),
    quietParagraph("Each value of the identity sources, such as each token, has its own answer. The key is a digest of it."),
  ];
}

async function keysPart() {
  const { sets } = await getJSON("/dev/keys");
  if (sets.length === 0) return emptyState("No key sets.",
    element("p", { text: "The configuration names no issuer with keys." }),
  );
  return sets.map((set) => element("div", {},
    element("h4", {}, code(set.issuer)), quietParagraph(set.source ?? NONE),
    element("details", { open: set.keys.length <= 3 }, element(
      "summary",
      { text: set.keys.length === 1 ? "1 key" : `${set.keys.length} keys` },
    ),
      table(`Keys of ${short(set.issuer)}`, ["kid", "type", "algorithm", "use"],
        set.keys.map(({ kid, kty, alg, use }) => [code(kid ?? NONE), plain(kty), plain(alg), plain(use)])))));
}

async function revocationsPart() {
  const { available, rows, how } = await getJSON("/dev/revocations");
  const isCommand = /^(authorizer-local|curl|make) /.test(how ?? "");
  const hint = isCommand ? [quietParagraph("To add one:"), command(how)] : how ? [
    element("p", { class: "quiet" }, isolated(how))
  ] : [];
  if (!available) return [element("p", { text: "Revocations are not looked up." }), ...hint];
  if (rows.length === 0) return [element("p", { text: "No user is revoked." }), ...hint];
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return [
    table("Revocations",
      columns,
      rows.map((row) => columns.map((column) => plain(row[column] === undefined ? null : brief(row[column])))),
    ),
    ...hint,
  ];
}
