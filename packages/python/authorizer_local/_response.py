"""The answer to a request, and the decision behind it."""

from __future__ import annotations

import json
from email.message import Message
from typing import TYPE_CHECKING, Any

from ._process import GatewayError

if TYPE_CHECKING:
    from ._gateway import Gateway

# The gateway keeps as many decisions (docs/harness/console.md).
_KEPT = 500


class Response:
    """The answer to a request."""

    def __init__(self, api: Gateway, request: str, status: int, headers: Message, body: bytes) -> None:
        self.status = status
        #: The headers; names in any case: ``headers["content-type"]``.
        self.headers = headers
        self.body = body
        self._api = api
        self._request = request
        self._decision: dict[str, Any] | None = None

    def __repr__(self) -> str:
        return f"<Response {self.status} to {self._request}>"

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def decision(self) -> dict[str, Any]:
        """The whole decision, as ``GET /dev/decisions/N`` of the console returns it."""
        if self._decision is None:
            names = ("x-amzn-RequestId", "Apigw-Requestid")
            own = {self.headers[name] for name in names if self.headers[name]}
            listed = self._api.control("GET", f"/dev/decisions?view=summary&limit={_KEPT}")["decisions"]
            for entry in reversed(listed):
                if own & {entry["requestId"], entry["extendedRequestId"]}:
                    self._decision = self._api.control("GET", f"/dev/decisions/{entry['id']}")
                    break
            else:
                raise GatewayError(f"the gateway has no decision, or no longer, of {self!r}")
        return self._decision

    @property
    def outcome(self) -> str:
        """``allowed``, ``forbidden``, ``unauthorized``, ``failure``, ``open`` and others of the console."""
        return str(self.decision["outcome"])

    @property
    def reason(self) -> str | None:
        """The authorizer's reason code, such as ``insufficientScope``."""
        reason: str | None = self.decision["reason"]
        return reason

    @property
    def rule(self) -> Any:
        """The rule of the configuration that decided."""
        return self.decision["ruleText"]

    @property
    def why(self) -> str | None:
        """The decision in a sentence."""
        sentence: str | None = self.decision["sentence"]
        return sentence

    @property
    def cached(self) -> bool:
        """Whether the authorizer was not called, because its answer was cached."""
        return bool(self.decision["answer"] == "cache")

    @property
    def log(self) -> str:
        """The line of the gateway's log."""
        return self._api.log_of(self.decision["requestId"])
