"""Logs in twice with the client of docs/guides/mcp.md, as a browser does that also asks for /favicon.ico: callback.py CLIENT.

The MCP SDK is not needed: empty modules stand for it, and the client gets a free port.
"""

import asyncio
import pathlib
import sys
import threading
import types
import urllib.error
import urllib.request


class Anything:
    """Takes any arguments, and has them as attributes."""

    def __init__(self, *_, **members):
        self.__dict__.update(members)


def module(name, *names):
    sys.modules[name] = made = types.ModuleType(name)
    made.__dict__.update({each: Anything for each in names})


module("httpx2")
module("mcp", "Client")
module("mcp.client")
module("mcp.client.auth", "OAuthClientProvider")
module("mcp.client.auth.oauth2", "AuthorizationCodeResult")
module("mcp.client.streamable_http", "streamable_http_client")
module("mcp.shared")
module("mcp.shared.auth", "OAuthClientMetadata")

source = pathlib.Path(sys.argv[1]).read_text()
main = "asyncio.run(main())"
assert source.rstrip().endswith(main) and source.count("53682") == 2
client = {}
exec(source.replace(main, "").replace("53682", "0"), client)
address = f"http://127.0.0.1:{client['server'].server_port}"


def visit(pages, statuses):
    """Opens the pages one after the other."""
    for page in pages:
        try:
            with urllib.request.urlopen(address + page, timeout=60) as answer:
                statuses.append(answer.status)
        except urllib.error.HTTPError as error:
            statuses.append(error.code)


def log_in(redirect):
    """Prints what the client gets of a login, and what its browser gets."""
    statuses = []
    browser = threading.Thread(target=visit, args=(["/favicon.ico", redirect], statuses), daemon=True)
    browser.start()
    found = asyncio.run(client["answer"]())
    print(found.code, found.state, found.iss, flush=True)
    browser.join()
    print(*statuses, flush=True)


log_in("/callback?code=one&state=a&iss=i")
log_in("/callback?error=access_denied&state=b&iss=i")
