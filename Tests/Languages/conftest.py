import os

import authorizer_local
import pytest

API = os.path.join(os.path.dirname(__file__), "api")


@pytest.fixture(scope="session")
def authorizer_gateway_session():
    with authorizer_local.gateway(API, api="Orders") as api:
        yield api


@pytest.fixture
def api(authorizer_gateway):
    return authorizer_gateway
