"""Tests the console of `authorizer-local serve` in Chromium (`make check-console`).

usage: console.py --harness PROGRAM --folder FOLDER --chromium PROGRAM [--only NAME | --pictures]

Exit 0: all checks passed. Exit 1: a check failed; its page is in the folder as a picture.
"""
import argparse
import pathlib
import sys
import time
import traceback

from playwright.sync_api import sync_playwright

import checks
import design
import limits
import pictures
from gateway import Gateway


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--harness", required=True)
    arguments.add_argument("--folder", required=True, type=pathlib.Path)
    arguments.add_argument("--chromium", required=True)
    arguments.add_argument("--only")
    arguments.add_argument("--pictures", action="store_true")
    options = arguments.parse_args()
    every = pictures.CHECKS if options.pictures else checks.CHECKS + design.CHECKS + limits.CHECKS
    chosen = [one for one in every if options.only in (None, one.__name__)]
    failed = 0
    with sync_playwright() as playwright:
        # No sandbox: it cannot be made in a container, and the page comes from this repository.
        browser = playwright.chromium.launch(
            executable_path=options.chromium, args=["--no-sandbox", "--disable-dev-shm-usage"])
        for check in chosen:
            failed += not passes(check, browser, options)
        browser.close()
    print(f"{len(chosen) - failed} of {len(chosen)} checks passed")
    return 1 if failed else 0


def passes(check, browser, options):
    """Runs one check against a gateway of its own, and prints its result in a line."""
    begin = time.monotonic()
    gateway = Gateway(options.harness, options.folder.absolute() / check.__name__)
    words = (check.__doc__ or "").strip()
    try:
        gateway.start()
        figures = check(browser, gateway)
    except Exception:
        print(f"  FAILED  {words}\n{traceback.format_exc()}", flush=True)
        return False
    finally:
        gateway.stop()
    print(f"  passed  {words} {time.monotonic() - begin:.1f} s{'; ' + figures if figures else ''}", flush=True)
    return True


if __name__ == "__main__":
    sys.exit(main())
