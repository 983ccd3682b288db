"""Logs the MCP Python SDK in at `serve` and calls tools: client.py BASE, with the address that `serve` printed.

A person is played by HTTP requests: they read the login page and send its form.
"""

import asyncio
import contextlib
import html
import logging
import re
import sys
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.oauth2 import AuthorizationCodeResult
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata
from mcp.shared.exceptions import MCPError

base = sys.argv[1]
url = base + "/Api/prod/mcp"
passed = failed = 0


def expect(what, found, wanted):
    global passed, failed
    if found == wanted:
        passed += 1
        return
    failed += 1
    print(f"  FAILED  {what}: {found!r} instead of {wanted!r}")


class Storage:
    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Person:
    """Answers each login page with the next of `answers`: the scopes that it must show, and those to grant (None: deny)."""

    def __init__(self, user, answers):
        self.user = user
        self.answers = answers
        self.pages = []
        self.redirect = None

    async def open(self, address):
        async with httpx2.AsyncClient() as browser:
            page = await browser.get(address)
            self.pages.append(page)
            ticket = re.search(r'name="ticket" value="(\w+)"', page.text).group(1)
            scopes = [html.unescape(text) for text in re.findall(r'name="scope" value="([^"]*)"', page.text)]
            shown, answer = self.answers[len(self.pages) - 1]
            form = {"ticket": ticket, "user": self.user}
            form |= {"decision": "deny"} if answer is None else {"decision": "allow", "scope": answer}
            expect("the page shows the scopes", sorted(scopes), shown)
            done = await browser.post(base + "/dev/oauth/authorize", data=form, headers={"Origin": base})
            expect("the login ends with a redirect", done.status_code, 303)
            self.redirect = done.headers["Location"]

    async def callback(self):
        answer = {name: values[0] for name, values in parse_qs(urlsplit(self.redirect).query).items()}
        expect("the redirect names the issuer", answer.get("iss"), base + "/dev/oauth")
        return AuthorizationCodeResult(code=answer.get("code", ""), state=answer["state"], iss=answer["iss"])


def provider(person, storage):
    metadata = OAuthClientMetadata(
        client_name="check-mcp", redirect_uris=["http://127.0.0.1:53682/callback"],
        grant_types=["authorization_code", "refresh_token"])
    return OAuthClientProvider(url, metadata, storage, person.open, person.callback)


class Log:
    """The requests of a client, as `METHOD PATH STATUS`, and the revisions of MCP that they name."""

    def __init__(self):
        self.lines = []
        self.revisions = set()

    async def add(self, response):
        request = response.request
        self.lines.append(f"{request.method} {request.url.path} {response.status_code}")
        if request.url.path == "/Api/prod/mcp":
            self.revisions.add(request.headers.get("MCP-Protocol-Version"))


@contextlib.asynccontextmanager
async def session(person, storage, log, **options):
    hooks = {"response": [log.add]}
    async with httpx2.AsyncClient(auth=provider(person, storage), event_hooks=hooks) as http:
        async with Client(streamable_http_client(url, http_client=http), **options) as client:
            yield client


async def names(client):
    return [tool.name for tool in (await client.list_tools()).tools]


async def error(work):
    """The error with which the work ends, out of the groups around it."""
    try:
        await work
    except BaseException as found:
        while isinstance(found, BaseExceptionGroup):
            found = found.exceptions[0]
        return found


def message(tool, **more):
    meta = {"io.modelcontextprotocol/protocolVersion": REVISION, "io.modelcontextprotocol/clientCapabilities": {}}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "_meta": meta, **more}}


READ, WRITE = ["mcp:read"], ["mcp:read", "mcp:write"]
REVISION = "2026-07-28"


async def main():
    storage, log, alice = Storage(), Log(), Person("alice", [(READ, READ), (WRITE, WRITE)])
    async with session(alice, storage, log) as client:
        expect("the tools of mcp:read", await names(client), ["whoami"])
        answer = await client.call_tool("whoami", {})
        expect("the user of the token", answer.content[0].text, "alice")
        expect("one login", len(alice.pages), 1)
        for step in [
            "POST /Api/prod/mcp 401", "GET /Api/prod/.well-known/oauth-protected-resource/mcp 200",
            "GET /.well-known/oauth-authorization-server/dev/oauth 200", "POST /dev/oauth/register 201",
            "POST /dev/oauth/token 200",
        ]:
            expect(step, step in log.lines, True)
        print("  passed  discovery, registration, PKCE login, filtered tools/list, and an allowed tool")

        answer = await client.call_tool("delete_note", {"name": "todo"})
        expect("the deleted note", answer.content[0].text, "deleted: Buy milk")
        expect("a token without the scope is refused", "POST /Api/prod/mcp 403" in log.lines, True)
        expect("two logins: the second is the step-up", len(alice.pages), 2)
        expect("the granted scopes", sorted(storage.tokens.scope.split()), WRITE)
        expect("the tools of mcp:write", await names(client), ["whoami", "delete_note"])
        print("  passed  403 insufficient_scope, and the step-up to mcp:write")
    expect("the revisions that the SDK sends", log.revisions, {REVISION})
    print("  passed  the SDK sends MCP", *log.revisions)

    token = storage.tokens.access_token
    async with httpx2.AsyncClient(headers={"Authorization": "Bearer " + token}) as http:
        said = {"MCP-Protocol-Version": REVISION, "Mcp-Method": "tools/call", "Mcp-Name": "whoami"}
        delete = message("delete_note", arguments={"name": "later"})
        for what, headers, body, status, code in [
            ("another tool in the body", said, delete, 400, -32020),
            ("an array", said, [message("whoami")], 400, -32020),
            ("another method in the body", {**said, "Mcp-Method": "tools/list"}, message("whoami"), 400, -32020),
            ("two names", [*said.items(), ("Mcp-Name", "delete_note")], message("whoami"), 403, -32000),
            ("no name", {**said, "Mcp-Name": ""}, message("whoami"), 403, -32000),
            ("a tool that no rule names", {**said, "Mcp-Name": "drop"}, message("drop"), 403, -32000),
        ]:
            answer = await http.post(url, json=body, headers=headers)
            expect(what, (answer.status_code, answer.json()["error"]["code"]), (status, code))
        answer = await http.post(url, json=delete, headers={**said, "Mcp-Name": "delete_note"})
        expect("the same with its header", answer.json()["result"]["content"][0]["text"], "deleted: Deploy")
    print("  passed  headers that differ from the body: 400; wrong headers: 403")

    refreshed = storage.tokens.refresh_token
    storage.tokens.expires_in = -1
    log = Log()
    again = Person("alice", [])
    auth = provider(again, storage)
    await auth._initialize()
    auth.context.update_token_expiry(storage.tokens)
    async with httpx2.AsyncClient(auth=auth, event_hooks={"response": [log.add]}) as http:
        auth.context.oauth_metadata = None
        metadata = await httpx2.AsyncClient().get(base + "/.well-known/oauth-authorization-server/dev/oauth")
        await auth._handle_oauth_metadata_response(metadata)
        async with Client(streamable_http_client(url, http_client=http)) as client:
            answer = await client.call_tool("whoami", {})
            expect("the user after a refresh", answer.content[0].text, "alice")
    expect("no login for a refresh", len(again.pages), 0)
    expect("the refresh token rotates", storage.tokens.refresh_token != refreshed, True)
    print("  passed  a refresh without a login")

    # The SDK logs the errors that are expected here.
    logging.disable()

    async def ask(person, tool=None, **options):
        async with session(person, Storage(), Log(), **options) as client:
            await client.call_tool(tool, {})

    # They grant less than the page asks for, twice.
    bob = Person("bob", [(READ, READ), (WRITE, READ)])
    found = await error(ask(bob, "delete_note"))
    expect("a refused tool", (type(found), "lacks a scope" in str(found)), (MCPError, True))
    expect("one new login", len(bob.pages), 2)
    print("  passed  a refused tool:", found)

    carol = Person("carol", [(READ, READ), (WRITE, WRITE)])
    found = await error(ask(carol, "whoami", mode="legacy"))
    expect("a client of 2025-11-25", (type(found), REVISION in str(found)), (MCPError, True))
    expect("at most one new login", len(carol.pages) <= 2, True)
    print(f"  passed  a client of 2025-11-25, after {len(carol.pages)} login: {found}")

    found = await error(ask(Person("eve", [(READ, None)]), "whoami"))
    expect("a denied login", type(found).__name__, "OAuthFlowError")
    print("  passed  a denied login is an error of the client")

    print(f"check-mcp: {passed} checks with the SDK, {failed} failed")
    sys.exit(1 if failed else 0)


asyncio.run(main())
