"""A local Amazon API Gateway for tests: ``authorizer-local serve``, called as a user with claims and scopes.

    with authorizer_local.gateway("template.yaml") as api:
        assert api.get("/me", user="alice", scope="read").status == 200

pytest has the fixture ``authorizer_gateway``.
"""

from ._gateway import Gateway
from ._process import GatewayError, tool
from ._response import Response

gateway = Gateway

__all__ = ["Gateway", "GatewayError", "Response", "gateway", "tool"]
