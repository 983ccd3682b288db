"""The command ``authorizer-local``: the tool of this package takes the place of Python."""

import os
import shutil
import sys

from ._process import GatewayError, tool


def main() -> None:
    try:
        path = tool()
    except GatewayError as error:
        sys.exit(f"error: {error}")
    # The tool prints the next commands with the name that it was called by.
    name = os.path.abspath(sys.argv[0])
    if name == shutil.which("authorizer-local"):
        name = "authorizer-local"
    os.execv(path, [path if name.endswith(".py") else name, *sys.argv[1:]])


if __name__ == "__main__":
    main()
