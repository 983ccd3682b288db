"""The page docs/contributing/templates.md: the figures of the expected results."""
import textwrap

HEAD = """# Public templates as tests

`make check-templates` reads {total} public templates of other teams with `authorizer-local routes` and serves them with
`serve`. It sends requests to each route, with and without a credential. **{served} of {total} are served.**

The expected results are in [scripts/expected-templates.json](../../scripts/expected-templates.json), written from AWS's
documentation. The check fails if

- a route differs in its access, API key, resource policy, integration or kind of API
- `serve` needs a second or longer to listen
- a template is not in the list
- this page is not current; `UPDATE=1` writes it

The templates are not part of this repository. The check reads them from `../shared/templates`, or from the folder of
`TEMPLATES=`, and skips this part without one. It also compares random templates with AWS's SAM translator.

The folder `cdk` in it has templates that AWS CDK and the Serverless Framework have written, with their results in
[scripts/expected-built-templates.json](../../scripts/expected-built-templates.json), each with its commit.

## Add a template

1. Copy it as `OWNER_REPOSITORY--PATH` into the folder, with `~` for `/`.
2. Read the documentation and add an entry to the list, with the values that the template needs in `parameters`.
3. Run `make check-templates UPDATE=1`.

## Results

"""
BUILT = """
## Templates of AWS CDK and the Serverless Framework

Of {total} templates of {owners} owners, {frameworks} by the Serverless Framework, **{served} are served**: {counts}.
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


def counted(served):
    guards = [guard(row) for entry in served for row in entry["routes"]]
    return ", ".join(f"{-count} {name}" for count, name in sorted({(-guards.count(name), name) for name in guards}))


def served(expected):
    return [entry for entry in expected.values() if entry["verdict"] == "served"]


def refused(expected):
    return "".join(
        f'| {title(name)} | {entry["why"]} |\n' for name, entry in sorted(expected.items()) if entry["verdict"] != "served")


def built_text(built):
    names = [name.partition("--") for name in built]
    words = BUILT.format(
        total=len(built), served=len(served(built)), owners=len({name.partition("_")[0] for name, _, _ in names}),
        frameworks=sum(".serverless~" in path for _, _, path in names), counts=counted(served(built)))
    head, _, last = words.strip("\n").rpartition("\n\n")
    return f"\n{head}\n\n{textwrap.fill(last, 120)}\n" + REFUSED + refused(built)


def text(expected, built):
    routes = textwrap.fill(f"The served routes by who may call them: {counted(served(expected))}.", 120) + "\n"
    return (HEAD.format(total=len(expected), served=len(served(expected))) + routes + REFUSED + refused(expected)
            + built_text(built))


def differences(path, wanted, update):
    if update:
        path.write_text(wanted)
        return []
    if path.exists() and path.read_text() == wanted:
        return []
    return [f"{path}: is not current; make check-templates UPDATE=1 writes it"]
