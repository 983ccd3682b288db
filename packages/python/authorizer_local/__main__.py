"""The command ``authorizer-local``: the tool of this package takes the place of Python."""

import os
import shutil
import sys
from typing import NoReturn

from ._process import GatewayError, tool


def fail(problem: str) -> NoReturn:
    print(f"error: {problem}\nhint: install the wheel for this machine: pip install authorizer_local-*.whl", file=sys.stderr)
    sys.exit(69)


def main() -> None:
    try:
        path = tool()
    except GatewayError as error:
        fail(str(error))
    # The tool prints the next commands with the name that it was called by.
    name = os.path.abspath(sys.argv[0])
    if name == shutil.which("authorizer-local"):
        name = "authorizer-local"
    try:
        os.execv(path, [path if name.endswith(".py") else name, *sys.argv[1:]])
    except OSError as error:
        fail(f"{path} cannot be started: {error.strerror}")


if __name__ == "__main__":
    main()
