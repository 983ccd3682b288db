"""Holds `authorizer-local` against templates of other teams: `make check-templates`.

The expected results are in scripts/expected-templates.json. Each template is read by `routes` and served by `serve`; each
route gets requests with and without a credential.

Exit 0: everything is as expected. Exit 1: something differs, and standard output has the differences.
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import calls
import page

HERE = Path(__file__).resolve().parent
COMPARED = ("access", "apiKey", "integration", "kind", "resourcePolicy")
# `serve` must listen within this time.
LIMIT_SECONDS = 1.0
# A start can be slow because the machine is busy.
REPEATED_STARTS = 5
# A program that does not answer ends after this time. No result depends on it.
HANG_SECONDS = 600


def name_of(row):
    return f'{row["api"]} {row["stage"] or "(no stage)"} {row["route"]}'


def parameters(expected):
    return [word for name, value in sorted(expected["parameters"].items()) for word in ("--parameter", f"{name}={value}")]


def read_routes(harness, template, expected):
    """The rows that `routes` prints, or none if it refuses the template; and why something is closed."""
    ran = subprocess.run(
        [harness, "routes", "--json", "--template", template, *parameters(expected)], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, timeout=HANG_SECONDS)
    if ran.returncode != 0:
        return None, ran.stderr.strip() or f"exit status {ran.returncode} and no message"
    document = json.loads(ran.stdout)
    return document["routes"], "\n".join(line for api in document["closed"] for line in api["why"])


def compared(expected, rows, refusal):
    """The differences of what `routes` prints from the list, one line each."""
    if rows is None:
        if expected["verdict"] == "closed" and re.search(r":\d+: .*\(.+\)", refusal):
            return []
        return ["refused: " + line for line in refusal.splitlines()[:4]]
    found = []
    wanted = {name_of(row): row for row in expected["routes"]}
    seen = {name_of(row): row for row in rows}
    if len(seen) != len(rows):
        found.append("a route is printed twice")
    for name, row in seen.items():
        if row["access"] == "closed" and not row.get("why"):
            found.append(f"{name}: closed without a reason")
        if name in wanted:
            continue
        # SAM adds the stage `Stage`, with the same routes and the same guards.
        twins = [twin for twin in expected["routes"]
                 if (twin["api"], twin["route"]) == (row["api"], row["route"]) and row["stage"] in expected.get("implicitStages", [])]
        if twins:
            wanted[name] = twins[0]
        elif not (expected["verdict"] == "closed" and row["access"] == "closed"):
            found.append(f"{name}: is not in the list: {row['access']}")
    for name, row in wanted.items():
        if name not in seen:
            # The route of an API without a stage need not be printed.
            if row["access"] != "closed":
                found.append(f"{name}: missing" + (f" ({refusal.splitlines()[0]})" if refusal else ""))
            continue
        for member in COMPARED:
            if row["access"] == "closed" and member != "access":
                continue
            if seen[name].get(member) != row[member]:
                reason = f' ({"; ".join(seen[name]["why"])})' if seen[name].get("why") else ""
                found.append(f"{name}: {member} {seen[name].get(member)!r} instead of {row[member]!r}{reason}")
    return found


class Served:
    """`serve` of one template, on a free port; with `authorizer.py` as its authorizers unless it is plain."""

    def __init__(self, harness, template, expected, folder, plain=False):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".git").mkdir(exist_ok=True)
        self.log = folder / "serve.log"
        command = [harness, "serve", "--port", "0", "--template", template, *parameters(expected)]
        if not plain:
            command += ["--function", f"exec {sys.executable} -B {HERE / 'authorizer.py'}"]
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": os.environ.get("TMPDIR", "/tmp")}
        started = time.monotonic()
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True)
        self.port = None
        for line in self.process.stdout:
            found = re.match(r"serve: http://127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found.group(1))
                break
        self.seconds = time.monotonic() - started

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(HANG_SECONDS)
        self.process.stdout.close()


def refused(gateway, expected):
    """What is wrong with a gateway that does not start: nothing if the template is closed and the message says where."""
    text = gateway.log.read_text()
    if expected["verdict"] == "closed" and re.search(r":\d+: .*\(.+\)", text):
        return []
    return ["serve does not start: " + line for line in text.strip().splitlines()[-3:]]


def started(harness, template, expected, folder):
    """The seconds until a plain `serve` listens, as a user starts it first; the fastest of a few, if one is slow."""
    seconds = None
    for _ in range(REPEATED_STARTS):
        with Served(harness, template, expected, folder, plain=True) as gateway:
            if gateway.port is None:
                return refused(gateway, expected), None
            seconds = min(seconds or gateway.seconds, gateway.seconds)
        if seconds < LIMIT_SECONDS:
            return [], seconds
    if os.getloadavg()[0] > os.cpu_count():
        print(f"           {seconds:.2f} s until serve listens are not judged: other programs use the processors")
        return [], seconds
    return [f"serve listened after {seconds:.2f} s; the limit is {LIMIT_SECONDS:.0f} s"], seconds


def called(harness, template, expected, rows, folder):
    """The differences that requests to each route show."""
    with Served(harness, template, expected, folder) as gateway:
        if gateway.port is None:
            return refused(gateway, expected)
        found = []
        for row in rows or []:
            request = expected.get("requests", {}).get(row["route"], {})
            found += calls.differences(gateway.port, row, expected.get("credential"), request)
        if gateway.process.poll() is not None:
            found.append(f"serve ended with status {gateway.process.returncode}")
        return found


def examined(harness, folder, name, expected, workplace):
    template = str(folder / name)
    if not os.path.exists(template):
        return ["the template is not in the folder"], None
    rows, refusal = read_routes(harness, template, expected)
    found = compared(expected, rows, refusal)
    slow, seconds = started(harness, template, expected, workplace)
    return found + slow + called(harness, template, expected, rows, workplace), seconds


def main():
    # A caller that blocks signals would pass that on to `serve`, which could then not be ended.
    signal.pthread_sigmask(signal.SIG_SETMASK, set())
    options = argparse.ArgumentParser()
    for option in ("--harness", "--templates", "--list", "--folder"):
        options.add_argument(option, required=True)
    options.add_argument("--page", help="the page to compare with the list")
    options.add_argument("--built", help="the list of another run, for the page")
    options.add_argument("--update", action="store_true")
    given = options.parse_args()
    harness = os.path.abspath(given.harness)
    expected = json.loads(Path(given.list).read_text())
    templates = Path(given.templates).resolve()
    unknown = sorted({entry.name for entry in templates.iterdir() if entry.suffix in (".yaml", ".yml", ".json")} - set(expected))
    failures, total = [], 0
    for name, entry in sorted(expected.items()):
        found, seconds = examined(harness, templates, name, entry, Path(given.folder).resolve())
        word = "DIFFERS" if found else entry["verdict"]
        print(f"  {word:8} {'-' if seconds is None else f'{seconds:.2f} s':>7}  {len(entry['routes']):3}  {name}", flush=True)
        failures += [f"{name}: {line}" for line in found]
        total += not found and entry["verdict"] == "served"
        for line in found:
            print(f"           {line}", flush=True)
    others = [f"{name}: is not in {given.list}" for name in unknown]
    if given.page:
        others += page.differences(Path(given.page), page.text(expected, json.loads(Path(given.built).read_text())), given.update)
    for line in others:
        print("  " + line)
    failures += others
    print(f"check-templates: {total} of {len(expected)} served as listed, {len(failures)} differences")
    sys.exit(1 if failures else 0)


main()
