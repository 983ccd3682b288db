"""The fixture ``authorizer_gateway`` for pytest. Each worker of pytest-xdist has a gateway of its own."""

from __future__ import annotations

from typing import Any, Generator, Iterator

import pytest

from ._gateway import Gateway

_PLACE = pytest.StashKey["tuple[Gateway, int]"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini(
        "authorizer_local", "options of `authorizer-local serve`, such as --template template.yaml", "args", [])


@pytest.fixture(scope="session")
def authorizer_gateway_session(request: pytest.FixtureRequest) -> Iterator[Gateway]:
    """The gateway of this worker, with the options of ``authorizer_local``. Override it for others."""
    __tracebackhide__ = True
    config = request.config
    with Gateway(options=config.getini("authorizer_local"), cwd=config.rootpath) as api:
        yield api


@pytest.fixture
def authorizer_gateway(authorizer_gateway_session: Gateway, request: pytest.FixtureRequest) -> Gateway:
    """The gateway, with an empty cache and the time of this machine. If the test fails, pytest shows its log."""
    api = authorizer_gateway_session
    api.reset()
    api.last = None
    request.node.stash[_PLACE] = (api, api.mark())
    return api


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    report = (yield).get_result()
    if report.failed and _PLACE in item.stash:
        api, mark = item.stash[_PLACE]
        report.sections.append(("log of authorizer-local", api.log_since(mark)))
