"""Sends the same requests to `authorizer-local serve` and MiniStack and lists differences from AWS: `make check-ministack`.

Exit 0: serve answers like AWS. Exit 1: it answers differently, or a gateway could not be started.
"""
import argparse
import datetime
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
import sides

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

    def __init__(self, folder, harness, package):
        shutil.rmtree(folder, ignore_errors=True)
        (folder / ".git").mkdir(parents=True)
        self.folder, self.harness = folder, harness
        keys = self.tool("keys", "show")
        self.scripted = archive(folder / "scripted.zip", {"bootstrap": (HERE / "function.py").read_bytes()})
        self.variables = {"AUTHORIZER_DEVELOPMENT": "1"}
        if package is None:
            self.package = archive(folder / "authorizer.zip", {
                "bootstrap": Path("dist/bootstrap").read_bytes(),
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


def short(body):
    """A body in one line, with identifiers that change between runs removed."""
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,}", "…", text)


def missing(wanted, found, path=""):
    """The members of `wanted` that `found` does not have with the same value."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return [line for name in wanted for line in missing(wanted[name], found.get(name), f"{path}.{name}" if path else name)]
    return [] if type(wanted) is type(found) and wanted == found else [f"`{path}` {short(found)} instead of {short(wanted)}"]


def differences(truth, seen):
    """The differences of an answer from AWS's."""
    found = []
    if seen.status != truth.status:
        found.append(f"**{seen.status}** `{short(seen.body)[:110]}`")
    elif truth.body is not None and seen.body not in (truth.body, truth.other or truth.body):
        found.append(f"body `{short(seen.body)[:140]}`")
    if truth.error_type and seen.status == truth.status and seen.error_type != truth.error_type:
        found.append(f"x-amzn-ErrorType {seen.error_type}")
    if truth.holds is not None and seen.status == truth.status:
        found += [f"context {line}" for line in missing(truth.holds, seen.body)]
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


def truth_text(case):
    """AWS's answers as a table cell."""
    texts = []
    for step in case.steps:
        text = str(step.truth.status)
        if len(case.steps) == 1 and step.truth.body is not None:
            text += f" `{short(step.truth.body)}`"
        if step.truth.calls is not None:
            text += {0: ", not invoked", 1: ", invoked"}[step.truth.calls] if len(case.steps) > 1 else ""
        texts.append(text)
    return "; ".join(texts)


def page(rows, versions):
    """The text of the page."""
    names = {source: index + 1 for index, source in enumerate(cases.SOURCES)}
    settled = [row for row in rows if cases.SOURCES[row[0].source][0] != "open"]
    count = lambda rows, side: sum(not row[side] for row in rows)
    opened = [row for row in rows if row not in settled]
    lines = [
        "# Agreement with AWS and with another emulator", "",
        "Generated by `make check-ministack`. The same requests go to `authorizer-local serve` and to MiniStack, an independent",
        "emulator; both run the same `bootstrap` packages. The column AWS has AWS's answer and its source. The comparison includes",
        "status, body, `x-amzn-ErrorType`, the context that reaches the backend, and the invocations of the authorizer.", "",
        f"{datetime.date.today().isoformat()}: {versions}.", "",
        "| | cases | serve agrees | MiniStack agrees |", "|---|---|---|---|",
        f"| AWS's answer is documented or reported | {len(settled)} | {count(settled, 1)} | {count(settled, 2)} |",
        f"| AWS's answer is undocumented; MiniStack is compared with serve's default | {len(opened)} | {count(opened, 1)} | {count(opened, 2)} |", "",
        "These cases have not been run on AWS itself. Numbers in brackets refer to the sources below.", ""]
    for title, belongs in SECTIONS:
        chosen = [row for row in rows if belongs(next(api for api in apis.ALL if api.name == row[0].api))]
        lines += [f"## {title}", "", "| case | AWS | serve | MiniStack |", "|---|---|---|---|"]
        for case, ours, theirs in chosen:
            name = case.title if title != SECTIONS[0][0] else f"{case.api.removeprefix('Real')}: {case.title}"
            word = "open" if cases.SOURCES[case.source][0] == "open" else ""
            cells = [name, f"{truth_text(case)} [{names[case.source]}]" + (f" {word}" if word else ""),
                     "; ".join(ours) or "agrees", "; ".join(theirs) or "agrees"]
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        lines.append("")
    lines += ["## Sources", ""]
    lines += [f"{names[source]}. {kind}: {text}" for source, (kind, text) in cases.SOURCES.items()]
    return "\n".join(lines) + "\n"


def publish(path, rows, versions, is_wanted):
    """Writes the page, or reports that it is outdated; ignores the line with date and versions."""
    text = page(rows, versions)
    bare = lambda text: [line for line in text.splitlines() if not line[:1].isdigit() or ": MiniStack" not in line]
    if is_wanted:
        path.write_text(text)
        print(f"check-ministack: wrote {path}")
    elif not path.exists() or bare(path.read_text()) != bare(text):
        print(f"check-ministack: {path} is outdated: run make check-ministack UPDATE=1")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--zip")
    parser.add_argument("--harness", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--page", required=True)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    place = Workplace(Path(options.folder).resolve(), str(Path(options.harness).resolve()), options.zip)
    running = []
    try:
        running.append(sides.Served(place.folder, place.harness, place.package.resolve(), HERE / "function.py", place.variables))
        running.append(sides.MiniStack(place.folder, place.package, place.scripted, place.variables))
        rows = [(case, *(ask(side, case) for side in running)) for case in place.cases()]
    finally:
        for side in running:
            side.stop()
    faults = 0
    for case, ours, theirs in rows:
        is_open = cases.SOURCES[case.source][0] == "open"
        faults += bool(ours) and not is_open
        word = "FAILED " if ours and not is_open else "differs" if ours or theirs else "agrees "
        print(f"  {word} {case.api}: {case.title}")
        for name, found in (("serve", ours), ("MiniStack", theirs)):
            for line in found:
                print(f"            {name}: {line}")
    versions = (f"MiniStack {version('ministack')}, boto3 {version('boto3')}, Python {platform.python_version()}, "
                f"{platform.system()} {platform.machine()}")
    publish(Path(options.page), rows, versions, options.update and not faults)
    print(f"check-ministack: {len(rows)} cases, serve differs from AWS in {sum(bool(row[1]) for row in rows)}, "
          f"MiniStack in {sum(bool(row[2]) for row in rows)}; {faults} failures")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
