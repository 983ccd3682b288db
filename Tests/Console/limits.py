"""What the console must hold out: keyboards alone, hostile requests, 10,000 decisions, and the rules of axe-core."""
import json

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from checks import refused
from page import NARROW, VIEWS, WIDE, console

# The most milliseconds for a filter or a scroll, from the change until its frame is drawn.
FRAME_LIMIT = 100
# The decisions of the load, and the most that gateway and page store.
LOAD, CAPACITY = 10_000, 500
# The most elements of the document with a full list: it draws only the rows in sight.
ELEMENT_LIMIT = 2_000
# The growth in bytes of the page's heap from the first 1,000 decisions to the last that still counts as flat: less than
# 500 B for each of the 9,000 decisions between them, of which each has more as a summary.
HEAP_GROWTH = 4_000_000
# The same of the memory of serve: less than 2 KB for each of them, of which each has some 20 KB with event and answer.
MEMORY_GROWTH = 16_000_000

EVIL = [
    "<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "'\"><svg onload=alert(3)>",
    "\u202egnp.exe\u202c\u200b\u0007", "javascript:alert(4)", "{{constructor.constructor('alert(5)')()}}", "x" * 10_240,
]


def keyboard(browser, gateway):
    """Each control of each view gets the focus by Tab alone, visibly, and the list needs no pointer."""
    ids = refused(gateway)
    with console(browser, gateway) as opened:
        page = opened.open().page
        press = page.keyboard.press
        press("/")
        expect(page.locator("[name=text]")).to_be_focused()
        page.keyboard.type("/me")
        press("Escape")
        press("Home")
        expect(opened.row(ids["missing"]).locator("a")).to_be_focused()
        press("ArrowDown")
        expect(opened.row(ids["expired"]).locator("a")).to_be_focused()
        press("Enter")
        expect(page.locator("#detail-title")).to_be_focused()
        expect(page.locator("#detail")).to_contain_text("expired")
        press("r")
        expect(page.locator("#replay [name=user]")).to_be_focused()
        page.keyboard.type("carol")
        press("Enter")
        expect(page.locator("#replay-result")).to_contain_text("Open decision")
        press("Escape")
        expect(opened.row(ids["expired"]).locator("a")).to_be_focused()
        press("c")
        press("k")
        press("c")
        expect(page.locator("#comparison table").first).to_be_visible()
        press("1")
        press("p")
        expect(page.locator("#pause")).to_have_attribute("aria-pressed", "true")
        press("p")
        press("?")
        expect(page.locator("#help")).to_be_visible()
        press("Escape")
        expect(page.locator("#help")).to_be_hidden()
        press("2")
        cell = page.locator(".matrix tbody tr").first.locator(".cell")
        cell.first.focus()
        press("ArrowRight")
        expect(cell.nth(1)).to_be_focused()
        press("Enter")
        expect(page.locator("#behind")).to_contain_text("rules[0] allows GET /me")
        for place in [*VIEWS, f"#/decisions/{ids['allowed']}", f"#/compare/{ids['allowed']}/{ids['expired']}"]:
            opened.go(place)
            walk(page, place)


def walk(page, place):
    """Presses Tab until the focus comes round, and compares what got it with the controls of the view."""
    page.evaluate("() => { document.activeElement?.blur(); window.getSelection().removeAllRanges(); }")
    page.locator("body").evaluate("body => { body.tabIndex = -1; body.focus(); body.removeAttribute('tabindex'); }")
    reached, hidden = set(), []
    for _ in range(400):
        page.keyboard.press("Tab")
        found = page.evaluate("""() => {
          const focused = document.activeElement;
          if (!focused || focused === document.body) return null;
          focused.dataset.reached ??= String(document.querySelectorAll("[data-reached]").length + 1);
          const { outlineStyle, outlineWidth } = getComputedStyle(focused);
          return { id: focused.dataset.reached, name: focused.outerHTML.slice(0, 120),
            visible: outlineStyle !== "none" && parseFloat(outlineWidth) > 0 };
        }""")
        if found is None or found["id"] in reached:
            break
        reached.add(found["id"])
        if not found["visible"]:
            hidden.append(found["name"])
    missed = page.evaluate("""() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
      .filter((one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility() && !one.dataset.reached)
      .map((one) => one.outerHTML.slice(0, 120))""")
    page.evaluate("() => document.querySelectorAll('[data-reached]').forEach((one) => delete one.dataset.reached)")
    assert reached and not missed, f"{place}: Tab does not reach {missed}"
    assert not hidden, f"{place}: no visible focus on {hidden}"


def hostile(browser, gateway):
    """Names, paths, scopes and claims with markup, marks of direction and 10 KB run no script and change no layout."""
    first = gateway.newest() + 1
    for text in EVIL:
        # A token of 10 KB does not fit into a header, so its text is shorter.
        text = text[:2_000]
        token = gateway.token(user=text, scope=text, claims={"name": text, text: text, "email": text})
        for path in ("/me", "/admin"):
            gateway.get(path, token)
    for path in ("/<img%20src=x%20onerror=alert(6)>", "/%E2%80%AEgnp.exe", "/" + "y" * 6_000, "/</script>"):
        gateway.call("GET", "/Api/prod" + path)
    with console(browser, gateway) as opened:
        page = opened.open().page
        expect(opened.rows.first).to_be_visible()
        for number in range(first, gateway.newest() + 1):
            opened.go(f"#/decisions/{number}")
            opened.unfold()
            harmless(page)
            opened.button("Make a test").click()
            harmless(page)
            opened.button("Close").click()
        for text in EVIL:
            opened.go("#/matrix")
            page.locator("#matrix-form [name=user]").fill(text[:500])
            page.locator("#matrix-form button").first.click()
            expect(page.locator("[aria-busy]")).to_have_count(0)
            harmless(page)
        opened.go(f"#/compare/{first}/{gateway.newest()}")
        opened.unfold("#comparison")
        harmless(page)
        assert "\u202e" not in page.locator("body").inner_text(), "a mark of direction is shown as it is"
    with console(browser, gateway, NARROW) as opened:
        page = opened.open(f"#/decisions/{first}").page
        expect(page.locator("#detail .path")).to_be_visible()
        width = page.evaluate("() => document.documentElement.scrollWidth")
        assert width <= NARROW["width"], f"the page is {width} px wide"


def harmless(page):
    """No element came out of a text: the page has one script, and none of the elements that a text named."""
    counts = page.evaluate("""() => ({ scripts: document.scripts.length,
      foreign: document.querySelectorAll("img, svg, iframe, object, embed, [onerror], [onload], [style*=url]").length })""")
    assert counts == {"scripts": 1, "foreign": 0}, counts


def heap(page):
    """The bytes that the page's objects need after garbage collection (Chrome DevTools Protocol)."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    size = session.send("Runtime.getHeapUsage")["usedSize"]
    session.detach()
    return size


def load(browser, gateway):
    """After 10,000 decisions memory and document are as large as after 1,000; filter and scroll take one frame."""
    tokens = [gateway.token(user=name) for name in ("alice", "bob", "carol")]
    tokens += [gateway.token(user="alice", scope="admin"), gateway.token(user="eve", expires="-1h"), None]
    with console(browser, gateway) as opened:
        page = opened.open().page
        sizes, memory = [], []
        for count in (1_000, LOAD - 1_000):
            gateway.send_many(count, tokens)
            newest = gateway.newest()
            expect(opened.row(newest)).to_be_visible()
            expect(page.locator("#list-count")).to_have_text(f"{CAPACITY} decisions")
            sizes.append(heap(page))
            memory.append(gateway.memory)
        measured = page.evaluate("() => measureList()")
        growth = sizes[1] - sizes[0]
        known = None not in memory
        served = f"{memory[0] / 1e6:.1f} MB, then {memory[1] / 1e6:.1f} MB" if known else "not measured, no /proc here"
        figures = (
            f"{measured['decisions']} decisions in {measured['nodes']} elements; filter {measured['filter']:.0f} ms, "
            f"scroll {measured['scroll']:.0f} ms; heap {sizes[0] / 1e6:.2f} MB, then {sizes[1] / 1e6:.2f} MB; "
            f"serve {served}")
        assert measured["decisions"] == CAPACITY, figures
        assert measured["nodes"] < ELEMENT_LIMIT, figures
        assert max(measured["filter"], measured["scroll"]) < FRAME_LIMIT, figures
        assert growth < HEAP_GROWTH, figures
        assert not known or memory[1] - memory[0] < MEMORY_GROWTH, figures
        return figures


def accessibility(browser, gateway):
    """axe-core finds nothing serious in any view, light and dark, wide and narrow."""
    ids = refused(gateway)
    places = [*VIEWS, f"#/decisions/{ids['allowed']}", f"#/decisions/{ids['expired']}", f"#/decisions/{ids['forbidden']}",
              f"#/compare/{ids['allowed']}/{ids['expired']}"]
    axe, runs, found = Axe(), 0, []
    for scheme in ("light", "dark"):
        for size in (WIDE, NARROW):
            with console(browser, gateway, size, scheme) as opened:
                page = opened.open().page
                for place in places:
                    opened.go(place)
                    if place == "#/matrix":
                        page.locator(".cell").nth(1).click()
                    opened.unfold("main")
                    runs += 1
                    found += violations(axe, page, f"{place} {scheme} {size['width']}")
                opened.go(f"#/decisions/{ids['allowed']}")
                for key in ("r", "t", "?"):
                    page.locator("#detail-title").focus()
                    page.keyboard.press(key)
                    runs += 1
                    found += violations(axe, page, f"key {key} {scheme} {size['width']}")
                    page.keyboard.press("Escape") if key != "r" else None
    assert not found, "\n".join(found)
    return f"{runs} runs"


def violations(axe, page, place):
    """The findings of axe-core that are serious or critical, and those of contrast."""
    response = axe.run(page).response
    serious = [one for one in response["violations"] if one["impact"] in ("serious", "critical")]
    return [f"{place}: {one['id']}: {one['nodes'][0]['html'][:160]} {json.dumps(one['nodes'][0].get('any', [])[:1])[:300]}" for one in serious]


CHECKS = [keyboard, hostile, load, accessibility]
