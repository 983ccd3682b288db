
// ---- Findings of doctor

const SEVERITY_TONE = { closed: "fail", error: "bad", warning: "warn", note: "plain" };

async function showFindings() {
  await fill(byID("findings"), async () => {
    const { findings } = await getJSON("/dev/findings");
    countFindings(findings);
    if (findings.length === 0) return emptyState(
      "doctor finds nothing.",
      element("p", { text: "Template and configuration agree." }),
    );
    return element("ul", { class: "findings" }, findings.map(findingPart));
  });
}

function findingPart(finding) {
  const place = finding.file ? [finding.file, finding.line].filter(Boolean).join(":") : null;
  return element("li", { class: "card" },
    element("p", { class: "verdict" }, badge(
      finding.severity,
      SEVERITY_TONE[finding.severity],
    ), finding.code ? element("code", { text: finding.code }) : null,
      place ? button(place, (event) => copy(place, event.currentTarget), { class: "small place", "aria-label": `Copy ${place}` }) : null),
    element("p", {}, isolated(finding.text)),
    finding.hint ? element("p", { class: "quiet" }, strong("Hint: "), isolated(finding.hint)) : null);
}

/** Shows in the navigation how many errors and warnings there are. */
function countFindings(findings) {
  const count = findings.filter(({ severity }) => ["closed", "error", "warning"].includes(severity)).length;
  const shown = byID("finding-count");
  shown.hidden = count === 0;
  setText(shown, String(count));
}
