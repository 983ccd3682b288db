"""How the console looks: what a reader sees first, and what must never be cut off. The numbers are those of the design."""
import base64
import json
import re
import urllib.parse

from playwright.sync_api import expect

from checks import refused
from gateway import SCOPE
from page import NARROW, VIEWS, WIDE, console

TONES = {"allowed": "good", "forbidden": "bad", "expired": "warn", "missing": "warn"}


def style(locator, name):
    return locator.evaluate("(one, name) => getComputedStyle(one)[name]", name)


def uncut(locator, inside=None):
    """The element is in sight as a whole: within the window, and within the box that it scrolls in, beside a fixed column."""
    cut = locator.evaluate("""(one, inside) => {
      const box = one.getBoundingClientRect(), around = inside && one.closest(inside).getBoundingClientRect();
      const names = one.closest(".matrix") && one.closest("tr").cells[0];
      const left = names && !names.contains(one) ? names.getBoundingClientRect().right : around ? around.left : 0;
      const right = around ? around.right : innerWidth;
      const top = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
      return { left: box.left < left - 1, right: box.right > right + 1, below: box.bottom > innerHeight + 1, above: box.top < 0,
        covered: !one.contains(top) };
    }""", inside)
    assert not any(cut.values()), cut


def one_sentence(browser, gateway):
    """Point 1: why is one sentence of 18 px in the colour of the outcome, with the rule's JSON and no regular expression."""
    ids = refused(gateway)
    assert gateway.call("GET", "/Api/prod/me", headers={"Authorization": "Basic YWxpY2U6cGFzc3dvcmQ="})[0] == 401
    ids["basic"] = gateway.newest()
    sentences = {
        "allowed": "rules[0] allows GET /me: any valid token",
        "forbidden": f"GET /admin needs the scope {SCOPE} (rules[1]). The token has no scope.",
        "expired": "expired 1 h ago",
        "basic": "Authorization is not Bearer and a JWT (it begins with Basic); the authorizer was not called.",
    }
    rules = {"allowed": '{ "routes": [ "GET /me" ], "allow": true }', "forbidden": f'"scopes": [ "{SCOPE}" ]'}
    with console(browser, gateway) as opened:
        page = opened.open().page
        for name, sentence in sentences.items():
            opened.go(f"#/decisions/{ids[name]}")
            why = page.locator("#detail .why")
            expect(why.locator(".words")).to_contain_text(sentence)
            expect(why).to_have_attribute("data-tone", TONES.get(name, "warn"))
            assert style(why.locator(".words"), "fontSize") == "18px"
            expect(why.locator(".rule")).to_contain_text(rules[name]) if name in rules else expect(why.locator(".rule")).to_have_count(0)
        opened.go("#/")
        expect(opened.row(ids["basic"])).to_contain_text("begins with Basic")
        assert "[-0-9A-Z_a-z]" not in page.content() and "YWxpY2U6" not in page.content()


def columns(browser, gateway):
    """Point 2: a column with one value for all rows is hidden, the value stands above, and the reason gets the width."""
    for name in ("alice", "alice"):
        gateway.get("/admin", gateway.token(user=name, claims={"n": gateway.newest()}))
    with console(browser, gateway) as opened:
        page = opened.open().page
        for name in ("api", "user", "authorizer", "answer"):
            expect(page.locator(f"thead .{name}")).to_be_hidden()
        expect(page.locator("#list-same")).to_have_text("all: Api prod · alice · Bearer · called")
        reason = page.locator("thead .reason")
        wide = reason.bounding_box()["width"]
        assert gateway.get("/me") == 401
        for name in ("user", "answer"):
            expect(page.locator(f"thead .{name}")).to_be_visible()
        expect(page.locator("thead .api")).to_be_hidden()
        assert wide > reason.bounding_box()["width"] > 200


def one_search(browser, gateway):
    """Point 3: one search field finds path, user, reason and words; status beside it; the rest behind "More filters"."""
    ids = refused(gateway)
    with console(browser, gateway) as opened:
        page = opened.open().page
        search, status = page.get_by_role("searchbox"), page.get_by_label("Status", exact=True)
        for text, name in {"forbidden": "forbidden", "needs the scope": "forbidden", "not called": "missing", "expired": "expired"}.items():
            search.fill(text)
            expect(opened.rows).to_have_count(1)
            expect(opened.row(ids[name])).to_be_visible()
        search.fill("")
        status.select_option("403")
        expect(opened.rows).to_have_count(1)
        opened.button("Clear filters").click()
        more = opened.button("More filters")
        expect(page.locator("#filters")).to_be_hidden()
        more.click()
        expect(page.locator("#filters select")).to_have_count(7)
        expect(more).to_have_attribute("aria-expanded", "true")


def one_badge(browser, gateway):
    """Points 4 and 5: a row has one badge, and an outcome one colour; steps are used or skipped, checks passed or failed."""
    ids = refused(gateway)
    with console(browser, gateway) as opened:
        page = opened.open().page
        for name, number in ids.items():
            badge = opened.row(number).locator(".badge")
            expect(badge).to_have_count(1)
            expect(badge).to_have_attribute("data-tone", TONES[name])
        for name, number in ids.items():
            opened.go(f"#/decisions/{number}")
            opened.unfold()
            tones = page.locator("#detail :is(.verdict .badge, .why, li[data-state=decided])").evaluate_all(
                "found => [...new Set(found.map(one => one.dataset.tone))]")
            assert tones == [TONES[name]], (name, tones)
            steps = page.locator("#detail .path > li .step-title + .badge").all_inner_texts()
            assert set(steps) <= {"used", "skipped", "decided here"} and steps.count("decided here") == 1, steps
            checks = set(page.locator("#detail .checks .badge").all_inner_texts())
            assert checks <= {"passed", "failed", "not made"}, checks
            if name == "missing":
                assert steps == ["decided here", "skipped", "skipped", "skipped", "skipped", "skipped", "used"], steps


def claims(browser, gateway):
    """Point 6: claims of development tokens are shown; those of all others only when the reader asks."""
    assert gateway.get("/me", gateway.token(user="alice")) == 200
    own = gateway.newest()
    parts = [{"alg": "RS256", "kid": "theirs"}, {"iss": "https://id.example", "sub": "somebody-real", "exp": 4_000_000_000}]
    text = ".".join(base64.urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in parts)
    assert gateway.get("/me", text + ".c2lnbmF0dXJl") == 401
    with console(browser, gateway) as opened:
        page = opened.open(f"#/decisions/{own}").page
        shown = page.get_by_role("group", name="Claims of the token")
        expect(shown).to_contain_text("alice")
        expect(shown.get_by_role("button")).to_have_count(0)
        opened.go(f"#/decisions/{gateway.newest()}")
        expect(shown).to_contain_text("ends in")
        expect(shown).not_to_contain_text("somebody-real")
        page.get_by_role("group", name="Header of the token").get_by_role("button").first.wait_for(state="detached")
        shown.get_by_role("button", name="Show the value of sub").click()
        expect(shown).to_contain_text("somebody-real")


def difference(browser, gateway):
    """Point 7: a replay shows outcome, user, scope and rule before and after, and folds all other members."""
    ids = refused(gateway)
    with console(browser, gateway) as opened:
        page = opened.open(f"#/decisions/{ids['forbidden']}").page
        opened.button("Replay…").click()
        page.locator("#replay [name=user]").fill("carol")
        page.locator("#replay [name=scope]").fill(SCOPE)
        page.locator("#replay button.primary").click()
        rows = page.locator("#replay-result table.differences").first.locator("tbody tr")
        expect(rows).to_have_text([
            re.compile("outcome.*403 forbidden.*200 allowed"), re.compile("user.*bob.*carol"), re.compile(f"scope.*{SCOPE}"),
            re.compile(r"rule.*rules\[1\].*same")])
        folded = page.locator("#replay-result details")
        assert not folded.evaluate("one => one.open")
        folded.locator("summary").click()
        expect(folded.locator("table")).to_contain_text("/claims/sub")
        expect(page.locator("#replay-result .why")).to_contain_text("rules[1] allows GET /admin")


def matrix_cells(browser, gateway):
    """Point 8: a cell says what is missing instead of a code; a chosen cell and an added column are in sight as a whole."""
    for size in (WIDE, NARROW):
        with console(browser, gateway, size) as opened:
            page = opened.open("#/matrix").page
            denied = page.locator('.cell[aria-label^="bob, GET"][aria-label*="/admin"]')
            expect(denied.locator(".cell-words")).to_have_text(f"needs {SCOPE}")
            assert "insufficientScope" not in page.locator(".matrix").inner_text()
            for number in range(6):
                page.locator("#matrix-form [name=user]").fill(f"user-{number}")
                page.locator("#matrix-form [name=scope]").fill("read:everything")
                page.locator("#matrix-form button").first.click()
                added = page.locator(".matrix thead th").last
                expect(added).to_contain_text(f"user-{number}")
                uncut(added, ".scrolls")
            for cell in (page.locator(".cell").first, page.locator(".cell").last, denied):
                cell.click()
                expect(cell).to_have_attribute("aria-current", "true")
                uncut(cell, ".scrolls")
            expect(page.locator("#behind .words")).to_contain_text(f"needs the scope {SCOPE}")


def narrow(browser, gateway):
    """Point 9: on a narrow screen all five views can be reached, and what was expected stands above what was found."""
    ids = refused(gateway)
    with console(browser, gateway, NARROW) as opened:
        page = opened.open().page
        tabs = page.locator("nav a")
        expect(tabs).to_have_count(len(VIEWS))
        for number in range(len(VIEWS)):
            uncut(tabs.nth(number))
            tabs.nth(number).click()
            expect(tabs.nth(number)).to_have_attribute("aria-current", "page")
        opened.go(f"#/decisions/{ids['expired']}")
        cells = page.locator("#detail .checks").first.locator("tbody td")
        boxes = [cells.nth(number).bounding_box() for number in range(4)]
        assert all(one["y"] + one["height"] <= two["y"] + 1 for one, two in zip(boxes, boxes[1:])), boxes
        assert page.evaluate("() => document.documentElement.scrollWidth") <= NARROW["width"]


def cached_answers(browser, gateway):
    """Point 10: cached answers of one user differ in a column, and "ends in" is not cut off."""
    for number in range(4):
        assert gateway.get("/me", gateway.token(user="alice", claims={"n": number})) == 200
    for size in (WIDE, NARROW):
        with console(browser, gateway, size) as opened:
            page = opened.open("#/state").page
            card = page.get_by_role("region", name="Cached answers")
            rows = card.locator("tbody tr")
            expect(rows).to_have_count(4)
            assert len(set(rows.locator("td[data-label=key]").all_inner_texts())) == 4
            for cell in rows.locator("td[data-label='ends in']").all():
                cell.scroll_into_view_if_needed()
                uncut(cell, ".scrolls")


def local_times(browser, gateway):
    """Point 11: times are the reader's own, and their title names the zone and the time in UTC."""
    assert gateway.get("/me") == 401
    utc = json.loads(gateway.call("GET", f"/dev/decisions/{gateway.newest()}")[2])["time"]
    with console(browser, gateway, zone="Asia/Tokyo") as opened:
        page = opened.open(f"#/decisions/{gateway.newest()}").page
        hour = f"{(int(utc[11:13]) + 9) % 24:02}"
        for time in page.locator("time").all():
            expect(time).to_have_text(re.compile(f"^{hour}:{utc[14:19]}"))
            assert "GMT+9" in time.get_attribute("title") and utc in time.get_attribute("title")
        opened.go("#/state")
        expect(page.get_by_role("region", name="Clock", exact=True)).to_contain_text("GMT+9")


def login_page(browser, gateway):
    """Point 12: the login page of the authorization server has the colours of the console, in both themes."""
    address = "http://127.0.0.1:9/callback"
    status, _, text = gateway.call("POST", "/dev/oauth/register", {"redirect_uris": [address], "client_name": "Notes"},
                                   {"Content-Type": "application/json"})
    assert status == 201, text
    query = urllib.parse.urlencode({
        "response_type": "code", "client_id": json.loads(text)["client_id"], "redirect_uri": address, "scope": "read write",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
        "resource": gateway.address})
    for scheme in ("light", "dark"):
        with console(browser, gateway, NARROW, scheme) as opened:
            page = opened.open("#/compare").page
            parts = {"body": "backgroundColor", "button.primary": "backgroundColor", ".card, main": "color"}
            wanted = {part: style(page.locator(part).first, name) for part, name in parts.items()}
            page.goto(f"{gateway.address}/dev/oauth/authorize?{query}")
            expect(page.get_by_role("heading")).to_have_text("Log in")
            assert {part: style(page.locator(part).first, name) for part, name in parts.items()} == wanted
            assert page.evaluate("() => document.documentElement.scrollWidth") <= NARROW["width"]
            page.screenshot(path=gateway.folder / f"login-{scheme}.png")
            opened.problems.clear()


def opened_row(browser, gateway):
    """N10: the opened row stays in sight: after a click far down, by a link, and while new decisions arrive."""
    first = gateway.newest() + 1
    gateway.send_many(190, [gateway.token(user="alice"), None])
    with console(browser, gateway) as opened:
        page = opened.open().page
        page.evaluate("() => list.scrollTo(0.6)")
        # The list draws its rows in the next frame.
        expect(opened.row(gateway.newest())).to_have_count(0)
        row = opened.rows.nth(10)
        number = row.get_attribute("data-id")
        row.click()
        expect(page.locator("#detail-title")).to_contain_text(number)
        expect(opened.row(number)).to_have_class("active open")
        uncut(opened.row(number), ".list")
        place = opened.row(number).bounding_box()["y"]
        gateway.send_many(40, [None])
        expect(page.locator("#list-count")).to_contain_text("230 decisions")
        assert abs(opened.row(number).bounding_box()["y"] - place) < 2
        page.locator("#detail .close").click()
        uncut(opened.row(number), ".list")
    with console(browser, gateway) as opened:
        opened.open(f"#/decisions/{first}")
        uncut(opened.row(first), ".list")


def path_parameters(browser, gateway):
    """N11: the request form asks for each parameter of the path, and sends its value."""
    gateway.stop()
    template = gateway.folder / "template.yaml"
    events = template.read_text()
    template.write_text(events.replace("Path: /admin }", "Path: '/admin/{id}' }"))
    gateway.start()
    with console(browser, gateway) as opened:
        page = opened.open("#/request").page
        form = page.locator("#builder form")
        form.locator("[name=route]").select_option("GET /admin/{id}")
        value = form.get_by_label("Value of {id}")
        opened.button("Send").click()
        assert value.evaluate("one => one.validity.valueMissing")
        value.fill("a b/c")
        opened.button("Send").click()
        page.locator("#builder-result").get_by_role("link", name="How was this decided?").click()
        expect(page.locator("#detail-title")).to_contain_text("/admin/a%20b%2Fc")
        opened.go("#/request")
        form.locator("[name=path]").fill("/me")
        expect(value).to_have_count(0)


CHECKS = [
    one_sentence, columns, one_search, one_badge, claims, difference, matrix_cells, narrow, cached_answers, local_times, login_page,
    opened_row, path_parameters,
]
