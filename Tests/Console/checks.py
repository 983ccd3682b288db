"""What a user does with the console, each as one check: list, decision, replay, comparison, matrix, test, request."""
import json
import os
import re
import subprocess
import time

from playwright.sync_api import expect

from gateway import HANG_LIMIT, SCOPE
from page import console


def refused(gateway):
    """Sends one request that is allowed and three that are refused; returns the ID of each decision."""
    ids = {}
    requests = {
        "allowed": ("/me", gateway.token(user="alice")),
        "expired": ("/me", gateway.token(user="alice", expires="-1h")),
        "forbidden": ("/admin", gateway.token(user="bob")),
        "missing": ("/me", None),
    }
    statuses = {"allowed": 200, "expired": 401, "forbidden": 403, "missing": 401}
    for name, (path, token) in requests.items():
        assert gateway.get(path, token) == statuses[name], name
        ids[name] = gateway.newest()
    return ids


def files_and_guard(browser, gateway):
    """The files have the policy and no other host gets them."""
    for path, kind in {"": "text/html", ".css": "text/css", ".js": "text/javascript"}.items():
        status, headers, body = gateway.call(
            "GET", "/dev/console" + path, headers={"Host": f"console.localhost:{gateway.port}"})
        assert status == 200 and headers["Content-Type"].startswith(kind), (path, status, headers["Content-Type"])
        policy = headers["Content-Security-Policy"]
        for part in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'none'"):
            assert part in policy, (path, policy)
        assert "unsafe" not in policy and headers["X-Content-Type-Options"] == "nosniff", (path, policy)
        assert not re.search(r"(\bsrc=|href=|\burl\(|import)\W*https?:", body), path
    for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        for path in ("/dev/decisions", "/dev/decisions/stream", "/dev/session"):
            assert gateway.call("GET", path, headers=headers)[0] == 403, (path, headers)


def own_origin(browser, gateway):
    """The printed address leads to the console; a page of a served API can neither read it nor replay."""
    assert gateway.get("/me") == 401
    newest = gateway.newest()
    status, headers, _ = gateway.call("GET", "/dev/console")
    assert (status, headers["Location"]) == (302, gateway.console + "/dev/console"), (status, headers["Location"])
    with console(browser, gateway) as opened:
        # Without the secret, the page shows nothing, and says where it is.
        opened.page.goto(gateway.address + "/dev/console#/matrix")
        expect(opened.page.locator("#locked")).to_contain_text("the address of the console that serve prints")
        expect(opened.page.locator("#main")).to_be_hidden()
        opened.page.goto(f"{gateway.address}/dev/console#secret={gateway.secret}")
        expect(opened.page.locator("#connection")).to_have_text("live")
        expect(opened.page.locator("#main")).to_be_visible()
        # A browser keeps it; a wrong one of another page does not replace it.
        opened.page.goto(f"{gateway.address}/dev/console#secret=" + "A" * 43)
        opened.page.reload()
        expect(opened.page.locator("#connection")).to_have_text("live")
        opened.page.goto(gateway.address + "/dev/console#/matrix")
        expect(opened.page.locator(".matrix")).to_be_visible()
        assert opened.page.url == gateway.console + "/dev/console#/matrix", opened.page.url
        opened.problems.clear()
    page = browser.new_page()
    # Any document of the gateway's other origin: what a script in it may do, a script of a backend may do.
    page.goto(gateway.address + "/Api/prod/me")
    read = """async ([base, path, order]) => {
      try {
        const answer = await fetch(base + path, order ? { method: "POST", body: order,
          headers: { "Content-Type": "application/json" } } : {});
        return [answer.status, await answer.text()];
      } catch { return [0, ""]; }
    }"""
    for base, allowed in ((gateway.address, 403), (gateway.console, 0)):
        for path, order in (("/dev/decisions", None), ("/dev/session", None), ("/dev/decisions/1", None),
                            ("/dev/decisions/1/replay", '{"user":"admin","backend":true}')):
            status, text = page.evaluate(read, [base, path, order])
            assert status == allowed and "outcome" not in text, (base, path, status, text)
    page.close()
    # Programs without a browser's headers stay welcome, and the console's name has nothing else.
    found = json.loads(gateway.call("GET", f"/dev/decisions?view=summary&after={newest}")[2])["decisions"]
    # A browser may ask for an icon of the page.
    paths = [one["path"] for one in found if one["path"] != "/favicon.ico"]
    assert paths == ["/prod/me"], ("a page of an API replayed a request", paths)
    for path in ("/Api/prod/me", "/dev/oauth/authorize", "/"):
        status = gateway.call("GET", path, headers={"Host": f"console.localhost:{gateway.port}"})[0]
        assert status == 404, (path, status)


def opened_by_serve(browser, gateway):
    """--open starts a browser with a file that leads to the page; other users see its arguments, and no secret."""
    gateway.stop()
    tools = gateway.folder / "tools"
    tools.mkdir()
    for name in ("xdg-open", "open"):
        program = tools / name
        program.write_text(f'#!/bin/sh\nprintf "%s" "$*" > "{tools}/new" && mv "{tools}/new" "{tools}/arguments"\n')
        program.chmod(0o755)
    gateway.start("--open", path=f"{tools}:{os.environ['PATH']}")
    with console(browser, gateway) as opened:
        end = time.monotonic() + HANG_LIMIT
        while not (tools / "arguments").exists() and time.monotonic() < end:
            opened.page.wait_for_timeout(50)
        arguments = (tools / "arguments").read_text()
        assert gateway.secret not in arguments, arguments
        opened.page.goto(f"file://{arguments}")
        expect(opened.page.locator("#connection")).to_have_text("live")
        assert opened.page.url == gateway.console + "/dev/console#/", opened.page.url
        opened.problems.clear()


def empty_list(browser, gateway):
    """Without a request the list shows a command that makes one."""
    with console(browser, gateway) as opened:
        opened.open()
        expect(opened.page.locator("#list-empty")).to_contain_text("No requests yet")
        command = opened.page.locator("#list-empty pre").inner_text()
        assert re.fullmatch(r"curl -i http://127\.0\.0\.1:\d+/Api/prod/\w+", command), command
        assert gateway.call("GET", command.split(":%d" % gateway.port)[1])[0] == 401
        expect(opened.rows).to_have_count(1)


def list_filters_pause(browser, gateway):
    """The list follows the gateway; each filter reduces it; pause holds new decisions back."""
    ids = refused(gateway)
    with console(browser, gateway) as opened:
        page = opened.open().page
        row = opened.row(ids["expired"])
        for text in ("Api", "GET /prod/me", "401 unauthorized", "expired", "called"):
            expect(row).to_contain_text(text)
        opened.button("More filters").click()
        expect(opened.row(ids["missing"])).to_contain_text("not called")
        everything = opened.rows.count()
        for name, value in {"reason": "expired", "outcome": "forbidden", "status": "200", "answer": "not-called"}.items():
            page.locator(f"[name={name}]").select_option(value)
            expect(page.locator("#list-count")).to_contain_text(f"of {everything} decisions")
            assert 0 < opened.rows.count() < everything, name
            opened.button("Clear filters").click()
            expect(opened.rows).to_have_count(everything)
        for name in ("api", "method", "authorizer"):
            assert page.locator(f"[name={name}] option").count() >= 2, name
        page.locator("[name=text]").fill("no such text")
        expect(page.locator("#list-empty")).to_contain_text("passes the filters")
        page.locator("#list-empty button").click()
        page.locator("[name=microseconds]").fill("999999999")
        expect(page.locator("#list-empty")).to_be_visible()
        opened.button("Clear filters").click()
        page.locator("[name=seconds]").select_option("3600")
        expect(opened.rows).to_have_count(everything)
        opened.button("Clear filters").click()
        opened.button("Pause").click()
        gateway.get("/me")
        expect(opened.button("Resume (1 new)")).to_be_visible()
        expect(opened.rows).to_have_count(everything)
        opened.button("Resume (1 new)").click()
        expect(opened.rows).to_have_count(everything + 1)


def one_decision(browser, gateway):
    """A decision shows why, its path with the deciding step open, and the claims of its token."""
    ids = refused(gateway)
    with console(browser, gateway) as opened:
        page = opened.open().page
        opened.row(ids["expired"]).click()
        detail = page.locator("#detail")
        expect(detail.locator(".words")).to_contain_text("expired")
        failed = detail.locator("li[data-state=decided]")
        expect(failed).to_have_attribute("data-step", "checks")
        expect(failed.locator("td").first).to_be_visible()
        claims = detail.get_by_role("group", name="Claims of the token")
        expect(claims).to_contain_text("ended")
        opened.row(ids["forbidden"]).click()
        expect(detail.locator("li[data-state=decided]")).to_have_attribute("data-step", "policy")
        opened.row(ids["allowed"]).click()
        deciding = detail.locator("li[data-step=policy]")
        expect(deciding).to_contain_text("decided here")
        expect(deciding.locator("li.deciding")).to_have_count(1)
        expect(detail.locator("li[data-step=context]")).to_contain_text("members for the backend")
        opened.row(ids["missing"]).click()
        expect(detail.locator("li[data-state=decided]")).to_have_attribute("data-step", "sources")
        bearer = re.compile(r"eyJ[\w-]{10}")
        for number in ids.values():
            text = gateway.call("GET", f"/dev/decisions/{number}")[2]
            assert not bearer.search(text), text


def replay(browser, gateway):
    """A replay with another user and scope is allowed, and its differences are shown."""
    ids = refused(gateway)
    with console(browser, gateway) as opened:
        page = opened.open(f"#/decisions/{ids['forbidden']}").page
        opened.button("Replay…").click()
        page.locator("#replay [name=user]").fill("carol")
        page.locator("#replay [name=scope]").fill(SCOPE)
        page.locator("#replay button.primary").click()
        result = page.locator("#replay-result")
        expect(result.locator("table.differences").first).to_contain_text("200 allowed")
        page.locator("#replay [name=clock]").select_option("+1d")
        page.locator("#replay [name=scope]").fill("")
        page.locator("#replay [name=user]").fill("")
        page.locator("#replay button.primary").click()
        expect(result).to_contain_text(re.compile("Open decision"))
        result.get_by_role("link").click()
        expect(page.locator("#detail")).to_contain_text(f"This is a replay of decision {ids['forbidden']}")


def comparison(browser, gateway):
    """Any two decisions can be compared."""
    ids = refused(gateway)
    with console(browser, gateway) as opened:
        page = opened.open(f"#/decisions/{ids['allowed']}").page
        opened.button("Compare with…").click()
        opened.row(ids["expired"]).click()
        page.locator("#comparison details > summary").click()
        differences = page.locator("#comparison details table.differences")
        expect(differences).to_contain_text("/outcome")
        expect(differences).to_contain_text("unauthorized")
        expect(differences.locator("tr", has_text="/claims/exp")).to_contain_text("ago")


def matrix(browser, gateway):
    """The matrix has each route and user with the status, and a cell shows its rule."""
    with console(browser, gateway) as opened:
        page = opened.open("#/matrix").page
        expect(page.locator(".matrix tbody tr")).to_have_count(2)
        admin = page.locator(".matrix tbody tr", has_text="/admin")
        expect(admin).to_contain_text("401")
        expect(admin).to_contain_text("403")
        expect(admin).to_contain_text("200")
        page.locator("#matrix-form [name=user]").fill("dave")
        page.locator("#matrix-form button").first.click()
        expect(page.locator(".matrix thead")).to_contain_text("dave")
        page.locator('.cell[aria-label^="bob, GET"][aria-label*="/me: 200"]').click()
        expect(page.locator("#behind")).to_contain_text("/me")
        expect(page.locator("#behind")).to_contain_text("rules[0] allows GET /me")
        opened.button("Send this request").click()
        expect(page.locator("#builder [name=user]")).to_have_value("bob")
        # A column says what its token has, and claims make another one.
        opened.go("#/matrix")
        expect(page.locator(".matrix thead")).to_contain_text("no scope")
        for claims, found in ('{"scope": "%s"}' % SCOPE, "erin, claims"), ("{", "wrong JSON type"), ("", "erin, claims"):
            page.locator("#matrix-form [name=user]").fill("erin")
            page.locator("#matrix-form [name=claims]").fill(claims)
            page.locator("#matrix-form button").first.click()
            expect(page.locator("#matrix")).to_contain_text(found)
        page.locator('.cell[aria-label^="erin, claims"][aria-label*="/admin: 200"]').click()
        opened.button("Send this request").click()
        expect(page.locator("#builder [name=claims]")).to_have_value('{"scope": "%s"}' % SCOPE)
        opened.button("Send").click()
        expect(page.locator("#builder-result")).to_contain_text("200")
        # From a decision to its cell, for a user with scopes who has no column.
        assert gateway.get("/admin", gateway.token(user="erin", scope=SCOPE)) == 200
        opened.go(f"#/decisions/{gateway.newest()}")
        opened.button("Which rule is behind this?").click()
        expect(page.locator("#behind")).to_contain_text("erin")
        expect(page.locator("#behind")).to_contain_text("/admin")


def test_from_click(browser, gateway):
    """The files of "Make a test" pass `authorizer-local test`."""
    ids = refused(gateway)
    ids["cached"] = cached(gateway)
    results = []
    with console(browser, gateway) as opened:
        for name in ("allowed", "expired", "forbidden", "cached"):
            folder = gateway.folder / "from-console" / name
            folder.mkdir(parents=True)
            page = opened.open(f"#/decisions/{ids[name]}").page
            opened.button("Make a test").click()
            for save in page.get_by_role("button", name="Save the file").all():
                with page.expect_download() as download:
                    save.click()
                download.value.save_as(folder / download.value.suggested_filename)
            # One step is the main one, and its command runs as it is printed, in any folder.
            expect(page.locator("#export .primary")).to_have_text(["Save into the project"])
            opened.button("Save into the project").click()
            printed = page.locator("#export .command code").inner_text()
            run = subprocess.run(printed, shell=True, cwd="/", capture_output=True, text=True, timeout=HANG_LIMIT)
            saved = page.locator("#export h3").first.inner_text().removesuffix(".json")
            rows = [line.split() for line in run.stdout.splitlines()]
            assert any(row[:1] == [saved] and row[-1] == "pass" for row in rows), printed + run.stdout + run.stderr
            opened.button("Close").click()
            assert len(list(folder.iterdir())) == 3, [path.name for path in folder.iterdir()]
            result = subprocess.run(
                [gateway.harness, "test", str(folder), "--config", str(gateway.folder / "authorizer.json")],
                capture_output=True, text=True, timeout=HANG_LIMIT)
            assert result.returncode == 0, name + ":\n" + result.stdout + result.stderr
            results.append(f"{name}: {result.stdout.strip().splitlines()[-1]}")
    return "; ".join(results)


def cached(gateway):
    """Sends a request that a cached answer allows; returns the ID of its decision."""
    token = gateway.token(user="alice")
    assert [gateway.get("/me", token) for _ in range(2)] == [200, 200]
    return gateway.newest()


def request_builder(browser, gateway):
    """A request of the page goes through the gateway; its decision is one click away; errors are shown."""
    with console(browser, gateway) as opened:
        page = opened.open("#/request").page
        form = page.locator("#builder form")
        form.locator("[name=route]").select_option("GET /admin")
        form.locator("[name=user]").fill("bob")
        form.locator("[name=query]").fill("limit=1")
        form.locator("[name=headers]").fill("Accept: application/json\nX-Test: 1")
        opened.button("Send").click()
        result = page.locator("#builder-result")
        expect(result).to_contain_text("Forbidden")
        form.locator("[name=scope]").fill(SCOPE)
        opened.button("Send").click()
        expect(result).to_contain_text("200")
        form.locator("[name=headers]").fill("no colon")
        opened.button("Send").click()
        expect(result).to_contain_text("is not a header")
        form.locator("[name=headers]").fill("")
        form.locator("[name=user]").fill("")
        opened.button("Send").click()
        expect(result).to_contain_text("401")
        result.get_by_role("link", name="How was this decided?").click()
        expect(page.locator("#detail li[data-state=decided]")).to_have_attribute("data-step", "sources")


def state_and_findings(browser, gateway):
    """Cached answers, keys, revocations and findings are shown; cache and clock can be changed."""
    number = cached(gateway)
    with console(browser, gateway) as opened:
        page = opened.open().page
        expect(opened.row(number).locator(".answer")).to_have_text("cache")
        opened.go("#/state")
        cache = page.get_by_role("region", name="Cached answers")
        expect(cache.locator("tbody tr").first).to_contain_text("alice")
        assert "eyJ" not in page.content()
        opened.button("Empty the cache").click()
        expect(cache).to_contain_text("No cached answers")
        keys = page.get_by_role("region", name="Signing keys")
        keys.locator("summary").first.click()
        expect(keys.locator("tbody tr").first).to_be_visible()
        clock = page.get_by_role("region", name="Clock", exact=True)
        clock.locator("input").fill("+2h")
        opened.button("Move").click()
        expect(clock).to_contain_text("2 h ahead")
        opened.button("Back to this machine's time").click()
        expect(opened.button("Back to this machine's time")).to_have_count(0)
        clock.locator("input").fill("soon")
        opened.button("Move").click()
        expect(clock).to_contain_text("+1h")
        opened.go("#/findings")
        wanted = json.loads(gateway.call("GET", "/dev/findings")[2])["findings"]
        expect(page.locator("#findings .card")).to_have_count(len(wanted))


CHECKS = [
    files_and_guard, own_origin, opened_by_serve, empty_list, list_filters_pause, one_decision, replay, comparison, matrix,
    test_from_click, request_builder, state_and_findings,
]
