"""Sends the same requests to `authorizer-local serve` and MiniStack and lists differences from AWS: `make check-ministack`.

Exit 0: serve answers like AWS, but for the differences in `edge_cases.KNOWN`. Exit 1: it answers differently, or a gateway
could not be started.
"""
import argparse
import datetime
import http.client
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
import zipfile
from importlib.metadata import version
from pathlib import Path

import apis
import cases
import edge_cases
import edge_sides
import sides
import smoke
import wire

HERE = Path(__file__).resolve().parent
SECTIONS = (
    ("The shipped function", lambda api: api.function == "Real"),
    ("REST API, TOKEN", lambda api: api.function != "Real" and api.kind == "TOKEN"),
    ("REST API, REQUEST", lambda api: api.function != "Real" and api.kind == "REQUEST"),
    ("HTTP API, payload 1.0", lambda api: api.function != "Real" and api.kind == "1.0"),
    ("HTTP API, payload 2.0 with policies", lambda api: api.function != "Real" and api.kind == "2.0"),
    ("HTTP API, payload 2.0 with simple answers", lambda api: api.function != "Real" and api.kind == "simple"),
    ("WebSocket API, the handshake", lambda api: api.function != "Real" and api.kind == "socket"),
)
SOURCES = cases.SOURCES | edge_cases.SOURCES
# The line of the page with the date of the last update and the versions.
VERSIONS = re.compile(r"\d{4}-\d\d-\d\d: MiniStack ")
CONFIGURATION = {
    "issuers": [{
        "preset": "apple", "audiences": ["com.example.app"], "requiredClaims": {"email_verified": True},
        "keys": {"seed": "keys.json", "pinned": True}}]}


def archive(path, entries):
    """Writes a deployment package with these files, of which `bootstrap` is executable."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in entries.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.create_system = 3
            entry.external_attr = (0o100755 if name == "bootstrap" else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            package.writestr(entry, content)
    return path


class Workplace:
    """A folder with packages, development keys and tokens."""

    def __init__(self, folder, harness, package, bootstrap="dist/bootstrap"):
        shutil.rmtree(folder, ignore_errors=True)
        (folder / ".git").mkdir(parents=True)
        self.folder, self.harness = folder, harness
        keys = self.tool("keys", "show")
        self.scripted = archive(folder / "scripted.zip", {"bootstrap": (HERE / "function.py").read_bytes()})
        self.edge = archive(folder / "edge.zip", {"bootstrap": (HERE / "edge.py").read_bytes()})
        self.variables = {"AUTHORIZER_DEVELOPMENT": "1"}
        if package is None:
            self.package = archive(folder / "authorizer.zip", {
                "bootstrap": Path(bootstrap).read_bytes(),
                "authorizer.json": json.dumps(CONFIGURATION), "keys.json": keys})
        else:
            # A package for deployment trusts no development key, so the configuration is in the environment.
            self.package = Path(package)
            (folder / "keys.json").write_text(keys)
            own = json.loads(json.dumps(CONFIGURATION))
            own["issuers"][0]["keys"]["seed"] = str(folder / "keys.json")
            self.variables["AUTHORIZER_CONFIG"] = json.dumps(own)

    def tool(self, *arguments):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
        return subprocess.run(
            [self.harness, *arguments], cwd=self.folder, env=environment, stdout=subprocess.PIPE, check=True,
            text=True).stdout

    def header(self, *arguments):
        token = self.tool(
            "token", "--preset", "apple", "--audience", "com.example.app", "--subject", "001234.abc", *arguments)
        return {"Authorization": "Bearer " + token.strip()}

    def cases(self):
        return [
            *cases.real(
                self.header("--claim", "email_verified=true"),
                self.header("--claim", "email_verified=true", "--expires=-1h"),
                self.header("--claim", "email_verified=false")),
            *cases.rest(), *cases.http(), *cases.socket()]


def differences(truth, seen):
    """The differences of an answer from AWS's."""
    found = []
    if seen.status != truth.status:
        found.append(f"{seen.status} `{edge_sides.short(seen.body)[:110]}`")
    elif truth.body is not None and seen.body not in (truth.body, truth.other or truth.body):
        found.append(f"body `{edge_sides.short(seen.body)[:140]}`")
    if truth.error_type and seen.status == truth.status and seen.error_type != truth.error_type:
        found.append(f"x-amzn-ErrorType {seen.error_type}")
    if truth.holds is not None and seen.status == truth.status:
        found += [f"context {line}" for line in edge_sides.missing(truth.holds, seen.body)]
    if truth.calls is not None and seen.calls != truth.calls:
        found.append(f"{seen.calls} calls instead of {truth.calls}")
    return found


def ask(side, case):
    """The differences of a gateway from AWS in a case; an empty list if it agrees."""
    api = next(api for api in apis.ALL if api.name == case.api)
    found = []
    for index, step in enumerate(case.steps):
        time.sleep(step.wait)
        label = f"request {index + 1}: " if len(case.steps) > 1 else ""
        found += [label + line for line in differences(step.truth, side.send(api, step.path, step.headers))]
    return found


def edge(side, case):
    """The differences of a gateway from AWS in a case around the authorizer; `None` if it cannot be asked."""
    if case.only_serve and side.name != "serve":
        return None
    try:
        if case.run:
            return case.run(side)
        found = []
        for index, probe in enumerate(case.probes):
            label = f"request {index + 1}: " if len(case.probes) > 1 else ""
            found += [label + line for line in side.differences(case.api, probe)]
        return found
    except (OSError, ValueError, KeyError, AttributeError, TypeError, http.client.HTTPException, wire.Refused) as error:
        return [f"{type(error).__name__}: {edge_sides.short(str(error))[:110]}"]


def truth_text(case):
    """AWS's answers in one line."""
    if isinstance(case, edge_cases.EdgeCase):
        return case.truth or "; ".join(probe_text(probe, len(case.probes) == 1) for probe in case.probes)
    texts = []
    for step in case.steps:
        text = str(step.truth.status)
        if len(case.steps) == 1 and step.truth.body is not None:
            text += f" `{edge_sides.short(step.truth.body)}`"
        if step.truth.calls is not None:
            text += {0: ", not invoked", 1: ", invoked"}[step.truth.calls] if len(case.steps) > 1 else ""
        texts.append(text)
    return "; ".join(texts)


def probe_text(probe, is_whole):
    """What AWS answers to a probe."""
    def plain(value):
        if isinstance(value, dict):
            return {name: plain(member) for name, member in value.items()}
        return f"/{value.pattern}/" if isinstance(value, re.Pattern) else value

    text = str(probe.status)
    if is_whole and probe.answer is not None:
        text += f" `{edge_sides.short(probe.answer)}`"
    if is_whole and probe.holds is not None:
        text += f" with `{json.dumps(plain(probe.holds), ensure_ascii=False, separators=(',', ':'))}`"
    for name, value in (probe.sent or {}).items() if is_whole else ():
        text += f", no `{name}`" if value is None else f", `{name}: {plain(value).strip()}`"
    return text


def sections(rows):
    """The title of each section, its rows, and the name of a row in it."""
    own = [row for row in rows if isinstance(row[0], cases.Case)]
    for title, belongs in SECTIONS:
        chosen = [row for row in own if belongs(next(api for api in apis.ALL if api.name == row[0].api))]
        yield title, chosen, (lambda case: case.title) if title != SECTIONS[0][0] else (
            lambda case: f"{case.api.removeprefix('Real')}: {case.title}")
    areas = {row[0].area: None for row in rows if isinstance(row[0], edge_cases.EdgeCase)}
    for area in areas:
        yield area, [row for row in rows if getattr(row[0], "area", None) == area], lambda case: case.title


def figures(rows):
    """The two tables of the page: the agreement by what is known about AWS's answer, and by section."""
    is_open = lambda row: SOURCES[row[0].source][0] == "open"

    def agreeing(chosen, side):
        asked = [row for row in chosen if row[side] is not None]
        return f"{sum(row[side] == [] for row in asked)}/{len(asked)}" if asked else "not asked"

    line = lambda title, chosen: f"| {title} | {agreeing(chosen, 1)} | {agreeing(chosen, 2)} |"
    return {
        "| AWS's answer | serve agrees | MiniStack agrees |": [
            line("documented, recorded or reported", [row for row in rows if not is_open(row)]),
            line("unknown: MiniStack is compared with serve's default", [row for row in rows if is_open(row)])],
        "| section | serve agrees | MiniStack agrees |": [line(title, chosen) for title, chosen, _ in sections(rows)]}


def page(text, rows, versions):
    """The text of the page with the figures of these rows in its tables."""
    lines, table = [], None
    tables = figures(rows)
    for line in text.splitlines():
        if line in tables:
            table = line
            lines += [line, "|---|---|---|", *tables.pop(line)]
        elif table is None or not line.startswith("|"):
            table = None
            lines.append(f"{datetime.date.today().isoformat()}: {versions}." if VERSIONS.match(line) else line)
    if tables:
        raise SystemExit(f"check-ministack: the page lacks the table {next(iter(tables))}")
    return "\n".join(lines) + "\n"


def record(rows):
    """The text of the record: the sources, and each case with AWS's answer and how both gateways compare with it."""
    said = lambda found: "not asked" if found is None else "; ".join(found) or "agrees"
    written = lambda value: json.dumps(value, ensure_ascii=False)
    cases = []
    for title, chosen, name in sections(rows):
        for case, ours, theirs in chosen:
            cells = {"section": title, "case": name(case), "aws": truth_text(case), "source": case.source,
                     "serve": said(ours), "ministack": said(theirs)}
            cases.append(written({key: re.sub(r"\s+", " ", cell) for key, cell in cells.items()}))
    sources = [f"{written(source)}: {written(f'{kind}: {text}')}" for source, (kind, text) in SOURCES.items()]
    return ('{\n"sources": {\n' + ",\n".join(sources) + '\n},\n"cases": [\n' + ",\n".join(cases) + "\n]\n}\n")


def verdicts(text):
    """What two runs have in common: MiniStack's wrong answers have ports and identifiers that change."""
    recorded = json.loads(text)
    shorter = lambda found: found if found in ("agrees", "not asked") else "differs"
    return recorded["sources"], [case | {"ministack": shorter(case["ministack"])} for case in recorded["cases"]]


def publish(page_path, record_path, rows, versions, is_wanted):
    """Writes page and record, or reports which one is outdated; ignores the line with date and versions."""
    text, recorded = page(page_path.read_text(), rows, versions), record(rows)
    bare = lambda text: [line for line in text.splitlines() if not VERSIONS.match(line)]
    if is_wanted:
        page_path.write_text(text)
        record_path.write_text(recorded)
        print(f"check-ministack: wrote {page_path} and {record_path}")
        return
    if bare(page_path.read_text()) != bare(text):
        print(f"check-ministack: {page_path} is outdated: run make check-ministack UPDATE=1")
    if not record_path.exists() or verdicts(record_path.read_text()) != verdicts(recorded):
        print(f"check-ministack: {record_path} is outdated: run make check-ministack UPDATE=1")


def compared(place, running):
    """Each case with the differences of both gateways, and what `smoke` sees otherwise."""
    backend = wire.backend()
    address = f"http://127.0.0.1:{backend.server_address[1]}"
    scripted = HERE / "function.py"
    served = sides.Served(place.folder, place.harness, place.package.resolve(), scripted, place.variables)
    running.append(served)
    ministack = sides.MiniStack(place.folder, place.package, place.scripted, place.variables)
    running.append(ministack)
    rows = [(case, ask(served, case), ask(ministack, case)) for case in place.cases()]
    others = smoke.problems(place, ministack, rows)
    edges = edge_sides.ServedEdges(
        place.folder, place.harness, {"Edge": HERE / "edge.py", "Scripted": scripted}, address)
    running.append(edges)
    deployed = edge_sides.DeployedEdges(ministack, place.edge, address)
    return rows + [(case, edge(edges, case), edge(deployed, case)) for case in edge_cases.all_cases()], others


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--zip")
    parser.add_argument("--harness", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--page", required=True)
    parser.add_argument("--record", required=True)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    place = Workplace(Path(options.folder).resolve(), str(Path(options.harness).resolve()), options.zip)
    running = []
    try:
        rows, others = compared(place, running)
    finally:
        for side in running:
            side.stop()
    for line in others:
        print(f"  FAILED  smoke: {line}")
    faults, stale = len(others), 0
    for case, ours, theirs in rows:
        is_open = SOURCES[case.source][0] == "open"
        is_known = (getattr(case, "area", case.api), case.title) in edge_cases.KNOWN
        faults += bool(ours) and not is_open and not is_known
        stale += is_known and not ours
        word = ("FAILED " if ours and not is_open and not is_known else "STALE  " if is_known and not ours
                else "differs" if ours or theirs else "agrees ")
        print(f"  {word} {getattr(case, 'area', case.api)}: {case.title}")
        for name, found in (("serve", ours), ("MiniStack", theirs)):
            for line in found or []:
                print(f"            {name}: {line}")
    versions = (f"MiniStack {version('ministack')}, boto3 {version('boto3')}, Python {platform.python_version()}, "
                f"{platform.system()} {platform.machine()}")
    publish(Path(options.page), Path(options.record), rows, versions, options.update)
    print(f"check-ministack: {len(rows)} cases, serve differs from AWS in {sum(bool(row[1]) for row in rows)}, "
          f"MiniStack in {sum(bool(row[2]) for row in rows)}; {faults} failures")
    if stale:
        print(f"check-ministack: {stale} differences in edge_cases.KNOWN are gone: remove them there")
    sys.exit(1 if faults or stale else 0)


if __name__ == "__main__":
    main()
