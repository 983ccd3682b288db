"""Logs the MCP Python SDK in at `serve` and calls tools: client.py BASE, with the address that `serve` printed.

A person is played by HTTP requests: they read the login page and send its form.
"""

import asyncio
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
    """Answers each login page with the next of `answers`: the scopes to grant, or None to deny."""

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
            answer = self.answers[len(self.pages) - 1]
            form = {"ticket": ticket, "user": self.user}
            form |= {"decision": "deny"} if answer is None else {"decision": "allow", "scope": answer}
            expect("the page shows the scopes", scopes, ["mcp:tools"])
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
    """The requests of a client, as `METHOD PATH STATUS`."""

    def __init__(self):
        self.lines = []

    async def add(self, response):
        request = response.request
        self.lines.append(f"{request.method} {request.url.path} {response.status_code}")


async def session(person, storage, log):
    hooks = {"response": [log.add]}
    async with httpx2.AsyncClient(auth=provider(person, storage), event_hooks=hooks) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            tools = await client.list_tools()
            expect("the tools", [tool.name for tool in tools.tools], ["whoami", "add"])
            answer = await client.call_tool("whoami", {})
            expect("the user of the token", answer.content[0].text, person.user)
            answer = await client.call_tool("add", {"a": 2, "b": 40})
            expect("the sum", answer.content[0].text, "42")


async def main():
    storage, log = Storage(), Log()
    await session(Person("alice", [["mcp:tools"]]), storage, log)
    for step in [
        "POST /Api/prod/mcp 401", "GET /Api/prod/.well-known/oauth-protected-resource/mcp 200",
        "GET /.well-known/oauth-authorization-server/dev/oauth 200", "POST /dev/oauth/register 201",
        "POST /dev/oauth/token 200",
    ]:
        expect(step, step in log.lines, True)
    expect("the granted scope", storage.tokens.scope, "mcp:tools")
    print("  passed  discovery, registration, PKCE login, tools/list and tools/call")

    storage, log, person = Storage(), Log(), Person("bob", [[], ["mcp:tools"]])
    await session(person, storage, log)
    expect("two logins: the second is the step-up", len(person.pages), 2)
    expect("a token without the scope is refused", "POST /Api/prod/mcp 403" in log.lines, True)
    print("  passed  403 insufficient_scope, and the step-up")

    refreshed = storage.tokens.refresh_token
    storage.tokens.expires_in = -1
    log = Log()
    again = Person("bob", [])
    auth = provider(again, storage)
    await auth._initialize()
    auth.context.update_token_expiry(storage.tokens)
    async with httpx2.AsyncClient(auth=auth, event_hooks={"response": [log.add]}) as http:
        auth.context.oauth_metadata = None
        metadata = await httpx2.AsyncClient().get(base + "/.well-known/oauth-authorization-server/dev/oauth")
        await auth._handle_oauth_metadata_response(metadata)
        async with Client(streamable_http_client(url, http_client=http)) as client:
            answer = await client.call_tool("whoami", {})
            expect("the user after a refresh", answer.content[0].text, "bob")
    expect("no login for a refresh", len(again.pages), 0)
    expect("the refresh token rotates", storage.tokens.refresh_token != refreshed, True)
    print("  passed  a refresh without a login")

    # The SDK logs the error that is expected here.
    logging.disable()
    try:
        await session(Person("eve", [None]), Storage(), Log())
        expect("a denied login", "tools", "an error")
    except BaseException as error:
        leaves = [error]
        while isinstance(leaves[0], BaseExceptionGroup):
            leaves = list(leaves[0].exceptions)
        expect("a denied login", type(leaves[0]).__name__, "OAuthFlowError")
    print("  passed  a denied login is an error of the client")

    print(f"check-mcp: {passed} checks with the SDK, {failed} failed")
    sys.exit(1 if failed else 0)


asyncio.run(main())
