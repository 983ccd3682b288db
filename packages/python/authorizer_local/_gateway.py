"""A local gateway, and requests to it."""

from __future__ import annotations

import http.client
import json
import os
import sys
import warnings
from types import TracebackType
from typing import TYPE_CHECKING, Any, Mapping, Sequence

from ._process import GatewayError, Process
from ._process import tool as own_tool
from ._response import Response

# Seconds that an answer may take: more than API Gateway waits for a backend.
_ANSWER = 40.0
# Lines of the log that an error shows: our choice.
_SHOWN = 20
_SAM_STAGE = "Stage"


if TYPE_CHECKING:
    from typing_extensions import TypedDict, Unpack

    class Options(TypedDict, total=False):
        user: str | None
        scope: str | Sequence[str] | None
        claims: Mapping[str, Any] | None
        token: str | Mapping[str, Any] | None
        headers: Mapping[str, str] | None
        body: str | bytes | None
        json: Any
        api: str | None


class Gateway:
    """A running ``authorizer-local serve`` on a free port. It ends with ``close()``, ``with`` or this process.

    ``template`` may be the folder of a project of ``init``, in which ``serve`` then runs; without it, the nearest
    template is served. ``options`` are more arguments of ``serve``, ``api`` is the API of requests that name none,
    ``token`` has default fields of tokens, such as ``{"audience": "api"}``. ``tool`` is the path of another
    authorizer-local, ``cwd`` the folder in which it runs, ``env`` has more variables, ``timeout`` is that of the start in
    seconds.
    """

    def __init__(
        self, template: str | os.PathLike[str] | None = None, *, options: Sequence[str] = (), api: str | None = None,
        token: Mapping[str, Any] | None = None, tool: str | None = None, cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None, timeout: float = 60.0,
    ) -> None:
        # A failed start is in its message: pytest does not show this code.
        __tracebackhide__ = True
        arguments = list(options)
        if template is not None:
            path = os.path.abspath(os.path.join(cwd or "", template))
            if os.path.isdir(path):
                path, cwd = os.path.join(path, "template.yaml"), cwd or path
            arguments = ["--template", path, *arguments]
        self._token = dict(token or {})
        self._process = Process(
            arguments, path=tool or own_tool(), cwd=os.fspath(cwd) if cwd else None, env=env, timeout=timeout)
        #: The address of the gateway, such as ``http://127.0.0.1:39121``.
        self.url = self._process.base
        #: The answer to the last request.
        self.last: Response | None = None
        try:
            apis = [a for a in self.control("GET", "/dev/session")["apis"] if a["kind"] != "webSocket"]
        except BaseException:
            self.close()
            raise
        # SAM makes the stage `Stage` of a REST API too: it is a choice only for those who name it.
        own = [a for a in apis if a["stage"] != _SAM_STAGE or not any(_is_other_stage(a, b) for b in apis)]
        names = [a["name"] for a in own]
        self._choices = [a["name"] if names.count(a["name"]) == 1 else a["base"][1:] for a in own]
        self._bases = {name: a["base"] for a in apis for name in (a["base"], a["base"][1:])}
        self._bases.update({a["name"]: a["base"] for a in reversed(own)})
        self._api = api or (self._choices[0] if len(own) == 1 else None)

    def __enter__(self) -> Gateway:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            log = self.log_since(0).split("\n")[-_SHOWN:]
            print("log of authorizer-local:", *log, sep="\n", file=sys.stderr)
        self.close()

    def close(self) -> None:
        """End the gateway."""
        self._process.close()

    # Requests

    def get(self, path: str, **options: Unpack[Options]) -> Response:
        return self.request("GET", path, **options)

    def post(self, path: str, **options: Unpack[Options]) -> Response:
        return self.request("POST", path, **options)

    def put(self, path: str, **options: Unpack[Options]) -> Response:
        return self.request("PUT", path, **options)

    def patch(self, path: str, **options: Unpack[Options]) -> Response:
        return self.request("PATCH", path, **options)

    def delete(self, path: str, **options: Unpack[Options]) -> Response:
        return self.request("DELETE", path, **options)

    def request(
        self, method: str, path: str, *, user: str | None = None, scope: str | Sequence[str] | None = None,
        claims: Mapping[str, Any] | None = None, token: str | Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None, body: str | bytes | None = None, json: Any = None,
        api: str | None = None,
    ) -> Response:
        """Send a request to a path of an API, without its stage, and follow no redirect.

        With ``user``, ``scope``, ``claims`` or a mapping as ``token``, it has a new token of the development issuer.
        A text as ``token`` is sent as it is, without any of them there is no token. ``api`` is the name of an API, or
        its name and stage: ``"Api/prod"``.
        """
        if not path.startswith("/"):
            raise ValueError(f"a path begins with a slash: {path}")
        sent = dict(headers or {})
        own = {name.lower() for name in sent}
        named = {"user": user, "scope": scope, "claims": claims}
        order = {name: value for name, value in named.items() if value is not None}
        if "authorization" in own and (order or token is not None):
            raise ValueError("headers has authorization: leave it out, or user, scope, claims and token")
        if not isinstance(token, str) and (order or token is not None):
            token = self.token(**{**order, **(token or {})})
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        if json is not None:
            if "content-type" not in own:
                sent["Content-Type"] = "application/json"
            body = _json(json)
        name = api or self._api
        if name not in self._bases:
            raise ValueError(self._problem(name))
        status, fields, data = self._send(method, self._bases[name] + path, sent, body)
        self.last = Response(self, f"{method} {path}", status, fields, data)
        return self.last

    def _problem(self, name: str | None) -> str:
        choices = ", ".join(self._choices)
        if not choices:
            return "the template has no REST or HTTP API"
        if name:
            return f"api is {name}, but the template has {choices}"
        return f'the template has {choices}: name one, api="{self._choices[0]}", in the request or in gateway()'

    def token(self, user: str | None = None, **fields: Any) -> str:
        """Return a token: ``token("alice", scope="read", expires="-1h")``; the fields are those of POST /dev/token."""
        order = {**self._token, **({} if user is None else {"user": user}), **fields}
        order = {name: value for name, value in order.items() if value is not None}
        if isinstance(order.get("scope"), (list, tuple)):
            order["scope"] = " ".join(order["scope"])
        return str(self.control("POST", "/dev/token", order)["access_token"])

    # Controls

    def move_clock(self, by: str) -> None:
        """Move the clock of gateway, issuer and function: ``"+1h"``, ``"-10m"``."""
        for name in self.control("POST", "/dev/clock", {"move": by})["unmovedFunctions"]:
            warnings.warn(
                f"{name} uses the clock of this machine: if it is an authorizer, send a token with expires='-1h'",
                stacklevel=2)

    def flush_cache(self) -> int:
        """Empty the authorizer cache, and return the number of its answers."""
        return int(self.control("POST", "/dev/cache/flush", {})["flushed"])

    def reset(self) -> None:
        """Empty the cache, and set the clock to this machine's."""
        self.flush_cache()
        offset = self.control("GET", "/dev/clock")["offsetSeconds"]
        if offset:
            self.control("POST", "/dev/clock", {"move": f"{-offset:+d}s"})

    # The log

    def mark(self) -> int:
        """Return the place of the log's end, for ``log_since``."""
        return len(self._process.lines)

    def log_since(self, mark: int) -> str:
        """Return the log from a mark on, up to the last request."""
        try:
            if self.last is not None:
                self._process.wait_for(self.last.decision["requestId"])
        except GatewayError:
            pass
        return self._process.log(mark)

    def log_of(self, request: str) -> str:
        """Return the lines of the log that have the ID of a request."""
        self._process.wait_for(request)
        return "\n".join(line for line in self._process.log(0).split("\n") if request in line)

    def control(self, method: str, path: str, order: Any = None) -> Any:
        """Send an order to a path of /dev, with the secret of the gateway, and return its JSON."""
        headers = {"X-Development-Secret": self._process.secret, "Content-Type": "application/json"}
        status, _, data = self._send(method, path, headers, None if order is None else _json(order))
        answer = json.loads(data)
        if status != 200:
            raise GatewayError(f"{method} {path}: {answer.get('error', status)}")
        return answer

    def _send(
        self, method: str, path: str, headers: Mapping[str, str], body: str | bytes | None
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        # http.client uses no proxy and follows no redirect, so a token goes to the gateway only.
        connection = http.client.HTTPConnection(self.url.rpartition("/")[2], timeout=_ANSWER)
        try:
            connection.request(method, path, body.encode() if isinstance(body, str) else body, dict(headers))
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        except (OSError, http.client.HTTPException) as error:
            why = f"has ended with {self._process.close()}" if self._process.ended() else f"gave no answer: {error!r}"
            log = self._process.log(0).split("\n")[-_SHOWN:]
            raise GatewayError("\n".join([f"{method} {path}: the gateway {why}", *log])) from error
        finally:
            connection.close()


def _is_other_stage(api: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return bool(api["name"] == other["name"] and api["stage"] != other["stage"])


# In `request`, json is an argument.
_json = json.dumps
