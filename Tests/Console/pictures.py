"""Takes the pictures of the documentation: the list, a refusal and the matrix; wide and narrow, light and dark."""
from checks import cached, refused
from gateway import SCOPE
from page import console

SIZES = {"wide": {"width": 1040, "height": 560}, "narrow": {"width": 390, "height": 760}}


def pictures(browser, gateway):
    """Pictures of the list, a refusal and the matrix."""
    ids = refused(gateway)
    gateway.get("/admin", gateway.token(user="carol", scope=f"openid {SCOPE}"))
    gateway.call("GET", "/Api/prod/me", headers={"Authorization": "Basic YWxpY2U6cGFzc3dvcmQ="})
    cached(gateway)
    places = {"list": "#/", "refusal": f"#/decisions/{ids['forbidden']}", "matrix": "#/matrix"}
    folder = gateway.folder.parent / "pictures"
    for scheme in ("light", "dark"):
        for width, size in SIZES.items():
            with console(browser, gateway, size, scheme) as opened:
                page = opened.open().page
                for name, place in places.items():
                    opened.go(place)
                    if name == "matrix":
                        page.locator('.cell[aria-label^="bob, GET"][aria-label*="/admin"]').click()
                    page.evaluate("() => new Promise(requestAnimationFrame)")
                    page.screenshot(path=folder / f"console-{name}-{width}-{scheme}.png", animations="disabled")
    return f"in {folder}"


CHECKS = [pictures]
