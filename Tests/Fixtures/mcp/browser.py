"""Opens the login page of `serve` in Chromium, without a window: browser.py BASE CHROMIUM."""

import base64
import hashlib
import http.server
import json
import pathlib
import socket
import sys
import threading
import urllib.request
from urllib.parse import urlencode

from playwright.sync_api import sync_playwright

base, chromium = sys.argv[1:]
url = base + "/Api/prod/mcp"
folder = pathlib.Path(__file__).parent
passed = failed = 0
NAMES = [
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</title><svg onload=alert(1)>",
    "{{7*7}}${7*7}", "\u202egnp.exe", "&lt;b&gt;",
]


def expect(what, found, wanted):
    global passed, failed
    if found == wanted:
        passed += 1
        return
    failed += 1
    print(f"  FAILED  {what}: {found!r} instead of {wanted!r}")


class Pages(http.server.BaseHTTPRequestHandler):
    """The single-page app, and a page that frames the address in its query."""

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path == "/callback":
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{other.server_port}/done?{query}")
            self.end_headers()
            return
        body = (folder / "app.html").read_bytes()
        if path == "/done":
            body = b"<!doctype html><p id=done>done</p>"
        if path == "/frame":
            body = f'<!doctype html><iframe id="frame" src="{query}"></iframe>'.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


class SixthVersion(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6


def serve(kind, host):
    server = kind((host, 0), Pages)
    # The browser ends connections when it leaves a page.
    server.handle_error = lambda *words: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


server = serve(http.server.ThreadingHTTPServer, "127.0.0.1")
other = serve(http.server.ThreadingHTTPServer, "127.0.0.1")
app = f"http://127.0.0.1:{server.server_port}"


def start(page, name="An app"):
    page.goto(f"{app}/app.html?" + urlencode({"url": url, "name": name}))
    page.wait_for_selector("form button, #result:not(:text('loading'))")
    expect("the login page opens", page.locator("#result").all_inner_texts(), [])
    return page.url


def address_for(redirect):
    """The login page's address for a new client."""
    registration = urllib.request.Request(
        base + "/dev/oauth/register", json.dumps({"redirect_uris": [redirect]}).encode(),
        {"Content-Type": "application/json"})
    client = json.load(urllib.request.urlopen(registration))["client_id"]
    challenge = base64.urlsafe_b64encode(hashlib.sha256(b"v" * 43).digest()).decode().rstrip("=")
    return base + "/dev/oauth/authorize?" + urlencode({
        "response_type": "code", "client_id": client, "redirect_uri": redirect, "resource": url,
        "code_challenge": challenge, "code_challenge_method": "S256"})


def callbacks():
    """Redirect URIs of clients that are no page: each answers, or redirects to another origin."""
    yield "a callback that redirects to another port", app + "/callback"
    try:
        sixth = serve(SixthVersion, "::1")
    except OSError:
        print("  skipped a callback at [::1]: this machine has no IPv6")
        return
    yield "a callback at [::1]", f"http://[::1]:{sixth.server_port}/done"


with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
    print("check-mcp: Chromium", browser.version)
    page = browser.new_page()
    messages = []
    page.on("dialog", lambda dialog: (messages.append("dialog " + dialog.message), dialog.dismiss()))
    page.on("console", lambda message: messages.append(message.text) if message.type == "error" else None)

    start(page)
    expect("the client", page.inner_text("#client"), "An app")
    expect("the resource", page.inner_text("#resource"), url)
    expect("no field for a password", page.locator("input[type=password]").count(), 0)
    scopes = page.locator("input[name=scope]")
    expect("the scopes", [scopes.nth(at).input_value() for at in range(scopes.count())], ["mcp:read", "mcp:write"])
    page.fill("input[name=user]", "alice")
    page.click("text=Allow")
    page.wait_for_selector("#result:not(:text('loading'))")
    expect("a user logs in", page.inner_text("#result"), "user alice")
    print("  passed  a page of this machine logs a user in and calls a tool")

    start(page)
    page.click("text=Deny")
    page.wait_for_selector("#result:not(:text('loading'))")
    expect("a user denies", page.inner_text("#result"), "error access_denied")
    print("  passed  a user denies, and the page gets the error")

    # The 401 and the 403 of the API are errors in the console too.
    messages.clear()
    for name in NAMES:
        start(page, name)
        expect(f"the name {name} is text", page.inner_text("#client"), name)
        expect("no element of the name", page.locator("main script, main img, main svg, main b").count(), 0)
    expect("nothing ran", [text for text in messages if "401" not in text], [])
    print(f"  passed  {len(NAMES)} hostile names of clients stay text")

    messages.clear()
    login = start(page)
    page.goto(f"{app}/frame?{login}")
    page.wait_for_load_state("networkidle")
    frame = page.frames[1]
    expect("a framed page has no form", frame.locator("form").count(), 0)
    expect("the reason", any("frame-ancestors" in text or "X-Frame-Options" in text for text in messages), True)
    print("  passed  the page cannot be framed")

    for what, redirect in callbacks():
        page.goto(address_for(redirect))
        page.fill("input[name=user]", "alice")
        page.click("text=Allow")
        page.wait_for_selector("#done", timeout=5000)
        expect(what, page.url.partition("?")[2].startswith("code="), True)
        print(f"  passed  {what}")

    login = start(page)
    ticket = page.locator("input[name=ticket]").input_value()
    page.goto(f"{app}/frame?about:blank")
    page.set_content(
        f'<form method="post" action="{base}/dev/oauth/authorize"><input name="ticket" value="{ticket}">'
        '<input name="user" value="mallory"><button name="decision" value="allow">Go</button></form>')
    page.click("text=Go")
    page.wait_for_load_state()
    expect("another page's form is refused", "only the login page itself" in page.content(), True)
    print("  passed  another page of this machine cannot send the form")
    browser.close()

print(f"check-mcp: {passed} checks with Chromium, {failed} failed")
sys.exit(1 if failed else 0)
