"""Takes the pictures of the documentation: the list, a refusal and the matrix; wide and narrow, light and dark."""
import pathlib
import shutil

from checks import cached, refused
from gateway import SCOPE
from page import console

# Those that the documentation shows.
SHOWN = {"console-refusal.png": "console-refusal-wide-light.png", "console-matrix.png": "console-matrix-wide-dark.png"}
SIZES = {"wide": {"width": 1040, "height": 700}, "narrow": {"width": 390, "height": 760}}
# The matrix has fewer rows than the list.
MATRIX_HEIGHT = {"wide": 540, "narrow": 760}


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
                        page.set_viewport_size({**size, "height": MATRIX_HEIGHT[width]})
                        page.locator('.cell[aria-label^="bob, GET"][aria-label*="/admin"]').click()
                    page.evaluate("() => new Promise(requestAnimationFrame)")
                    page.screenshot(path=folder / f"console-{name}-{width}-{scheme}.png", animations="disabled")
    for name, chosen in SHOWN.items():
        shutil.copyfile(folder / chosen, pathlib.Path("docs/pictures") / name)
    return f"in {folder}, and {len(SHOWN)} of them in docs/pictures"


CHECKS = [pictures]
