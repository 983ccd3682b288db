"""The console in Chromium, with everything that it must not do recorded."""
from contextlib import contextmanager

from playwright.sync_api import expect

WIDE, NARROW = {"width": 1280, "height": 860}, {"width": 360, "height": 740}

# The views, by the part of the address after #.
VIEWS = ["#/", "#/matrix", "#/request", "#/state", "#/findings"]

expect.set_options(timeout=20_000)


class Console:
    def __init__(self, page, address, secret):
        self.page, self.address, self.secret = page, address, secret
        # Errors, violations of the policy, and dialogs: there must be none.
        self.problems = []
        page.on("console", self._message)
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("dialog", self._dialog)
        page.on("request", self._request)

    def _message(self, message):
        # Chromium reports each 4xx of a fetch as an error. The page shows it in its own words.
        if message.type in ("error", "warning") and not message.text.startswith("Failed to load resource"):
            self.problems.append(f"{message.type}: {message.text}")

    def _dialog(self, dialog):
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request):
        if not request.url.startswith((self.address + "/dev/", "data:", "blob:" + self.address)):
            self.problems.append(f"request: {request.url}")

    def open(self, place="#/"):
        """Opens the page at its printed address, and then a place of it."""
        self.page.goto(f"{self.address}/dev/console#secret={self.secret}")
        expect(self.page.locator("#connection")).to_have_text("live")
        assert self.secret not in self.page.url, self.page.url
        if place != "#/":
            self.page.goto(f"{self.address}/dev/console{place}")
            expect(self.page.locator("#connection")).to_have_text("live")
        return self

    def go(self, place):
        self.page.evaluate("place => { location.hash = place }", place)
        expect(self.page.locator("[aria-busy]")).to_have_count(0)

    def unfold(self, part="#detail"):
        """Opens each folded part that is in sight, such as a step of the decision, and shows each hidden value."""
        for closed in ("details:not([open]) > summary", ".hidden-values > [aria-pressed=false]", "#more-filters[aria-expanded=false]"):
            found = self.page.locator(part).locator(closed).filter(visible=True)
            while found.count():
                found.first.click()

    @property
    def rows(self):
        return self.page.locator("#rows tr")

    def row(self, number):
        return self.page.locator(f'#rows tr[data-id="{number}"]')

    def button(self, name):
        return self.page.get_by_role("button", name=name, exact=True)


@contextmanager
def console(browser, gateway, size=None, scheme="light", zone=None):
    """Opens a page without stored settings, and fails if it did something that it must not do. Keeps a picture then."""
    context = browser.new_context(viewport=size or WIDE, color_scheme=scheme, timezone_id=zone, accept_downloads=True)
    opened = Console(context.new_page(), gateway.console, gateway.secret)
    try:
        yield opened
        assert not opened.problems, "\n".join(opened.problems)
    except Exception:
        opened.page.screenshot(path=gateway.folder / "failed.png")
        raise
    finally:
        context.close()
