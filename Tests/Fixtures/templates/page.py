"""The page docs/contributing/templates.md: the figures of the expected results, and the text of `others.txt`."""
import textwrap
from pathlib import Path

# The results of templates that are in no folder of the check.
OTHERS = Path(__file__).resolve().parent / "others.txt"

HEAD = """# Public templates as tests

`make check-templates` reads {total} public templates of other teams with `authorizer-local routes` and serves them with
`serve`. It sends requests to each route, with and without a credential. **{served} of {total} are served.**

The expected results are in [scripts/expected-templates.json](../../scripts/expected-templates.json). They were written
from the documentation of SAM, CloudFormation and API Gateway, not from the output of `routes`. The check fails if

- a route differs in its access, API key, resource policy, integration or kind of API
- `serve` needs a second or longer to listen
- a template is not in the list
- this page is not current; `UPDATE=1` writes it

The templates are not part of this repository. The check reads them from `../shared/templates`, or from the folder of
`TEMPLATES=`, and skips this part without one. It also compares random templates with AWS's SAM translator.

## Add a template

1. Copy it as `OWNER_REPOSITORY--PATH` into the folder, with `~` in place of each `/` in PATH.
2. Read the documentation and add an entry to the list, with the values that the template needs in `parameters`.
3. Run `make check-templates UPDATE=1`.

## Results

"""
REFUSED = """
`serve` refuses the others, and says why:

| template | why |
|---|---|
"""
WORDS = {
    "open": "open", "lambda": "Lambda authorizer", "jwt": "JWT authorizer", "userPool": "Cognito user pool",
    "iam": "IAM"}


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
    served = [entry for entry in expected.values() if entry["verdict"] == "served"]
    guards = [guard(row) for entry in served for row in entry["routes"]]
    counted = sorted({(-guards.count(name), name) for name in guards})
    routes = textwrap.fill(
        f"The served routes by who may call them: {', '.join(f'{-count} {name}' for count, name in counted)}.", 120) + "\n"
    refused = "".join(
        f'| {title(name)} | {entry["why"]} |\n' for name, entry in sorted(expected.items()) if entry["verdict"] != "served")
    return HEAD.format(total=len(expected), served=len(served)) + routes + REFUSED + refused + "\n" + OTHERS.read_text()


def differences(path, wanted, update):
    if update:
        path.write_text(wanted)
        return []
    if path.exists() and path.read_text() == wanted:
        return []
    return [f"{path}: is not current; make check-templates UPDATE=1 writes it"]
