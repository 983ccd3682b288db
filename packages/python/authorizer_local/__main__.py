"""The command ``authorizer-local``: the tool of this package takes the place of Python."""

import os
import sys

from ._process import GatewayError, tool


def main() -> None:
    try:
        path = tool()
    except GatewayError as error:
        sys.exit(f"error: {error}")
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
