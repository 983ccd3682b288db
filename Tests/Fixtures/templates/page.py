"""The page docs/harness/templates.md: one row for each template, and the results in `others.txt`."""
from pathlib import Path

# The results of templates that are in no folder of the check.
OTHERS = Path(__file__).resolve().parent / "others.txt"

HEAD = """# Templates of other teams

`make check-templates` reads {total} public templates with `authorizer-local routes`, serves them with `serve`, and sends
requests to each route, with and without a credential. The expected results were written from the documentation of
SAM, CloudFormation and API Gateway before the code that reads these templates
([scripts/expected-templates.json](../../scripts/expected-templates.json)). The command compares both, and fails if a
route differs, if `serve` needs a second or longer to listen, or if this page is not current (`UPDATE=1` writes it).

**{served} of {total} are served.** The others are closed: their routes are in a file that is not beside the template,
or nothing deploys them. `serve` refuses a closed route with 501, or the template if nothing else is in it, and says why.

The templates are not part of this repository. The check reads them from `../shared/templates`, or from the folder of
`TEMPLATES=`, and is skipped without one.

| template | result | routes | who may call them | answered by | to give as `--parameter` |
|---|---|---|---|---|---|
"""
WORDS = {
    "open": "open", "lambda": "Lambda authorizer", "jwt": "JWT authorizer", "userPool": "Cognito user pool",
    "iam": "IAM", "closed": "no client"}
TARGETS = {"function": "function", "mock": "mock", "http": "HTTP backend", "aws": "AWS service", "unavailable": "–"}


def counted(values):
    """`3 a, 1 b`: how often each value occurs, in the order of their first occurrence."""
    names = list(dict.fromkeys(values))
    values = list(values)
    return ", ".join(f"{values.count(name)} {name}" for name in names)


def title(name):
    owner, _, rest = name.partition("_")
    repository, _, path = rest.partition("--")
    return f"{owner}/{repository}: `{path.replace('~', '/')}`"


def guard(row):
    words = [WORDS[row["access"].partition(":")[0]]]
    if row["apiKey"]:
        words.append("API key")
    if row["resourcePolicy"]:
        words.append("resource policy")
    return " + ".join(words)


def text(expected):
    rows = []
    for name, entry in sorted(expected.items()):
        routes = entry["routes"]
        kinds = {"rest": "REST", "http": "HTTP", "webSocket": "WebSocket"}
        result = entry["verdict"] if entry["verdict"] == "served" else f'closed: {entry["why"]}'
        parameters = ", ".join(f"`{parameter}`" for parameter in sorted(entry["parameters"])) or "–"
        cells = [
            title(name), result, f'{len(routes)} {"/".join(sorted({kinds[row["kind"]] for row in routes}))}' if routes else "–",
            counted([guard(row) for row in routes]) or "–",
            counted([TARGETS[row["integration"].partition(":")[0]] for row in routes]) or "–", parameters]
        rows.append("| " + " | ".join(cells) + " |\n")
    served = sum(entry["verdict"] == "served" for entry in expected.values())
    return HEAD.format(total=len(expected), served=served) + "".join(rows) + "\n" + OTHERS.read_text()


def differences(path, wanted, update):
    if update:
        path.write_text(wanted)
        return []
    if path.exists() and path.read_text() == wanted:
        return []
    return [f"{path}: is not current; make check-templates UPDATE=1 writes it"]
