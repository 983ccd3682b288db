"""An MCP server for AWS Lambda: Streamable HTTP without sessions, JSON answers only.

API Gateway has the authorizer in front of it, so each request comes from a user with a valid token. If its rules name
tools, the authorizer decides by the headers Mcp-Method and Mcp-Name, and says so in the context (mcpToolRules). The
server then speaks 2026-07-28 only, whose messages it refuses if the body differs from the headers.
"""

import base64
import binascii
import json
import os
import re

# Pages of the user's own machine; other pages are in ALLOWED_ORIGINS, separated by commas.
LOOPBACK = re.compile(r"https?://(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?", re.ASCII)
VERSION = "2026-07-28"
# With a handshake. They are for authorizers without rules for tools.
EARLIER = ["2025-11-25", "2025-06-18", "2025-03-26"]
# What Mcp-Name repeats of the parameters.
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
META = "io.modelcontextprotocol/"
INVALID, UNKNOWN_METHOD, INVALID_PARAMETERS, NOT_JSON = -32600, -32601, -32602, -32700
HEADER_MISMATCH, UNSUPPORTED_VERSION = -32020, -32022
NO_ARGUMENTS = {"type": "object", "properties": {}, "additionalProperties": False}
TOOLS = [
    {
        "name": "whoami",
        "description": "Returns the user whose token came with the request",
        "inputSchema": NO_ARGUMENTS,
    },
    {
        "name": "delete_note",
        "description": "Deletes the note with this name",
        "inputSchema": {
            "type": "object",
            "properties": {"name": {"type": "string"}},
            "required": ["name"],
            "additionalProperties": False,
        },
    },
]
# An example: each instance of the function has its own, until it ends.
NOTES = {"todo": "Buy milk", "later": "Deploy"}


class Refused(Exception):
    """A JSON-RPC error (JSON-RPC 2.0 section 5.1)."""

    def __init__(self, code, message, **data):
        super().__init__(message)
        self.error = {"code": code, "message": message, **({"data": data} if data else {})}


def call(name, arguments, user):
    """Runs a tool: its text, and whether it is an error."""
    if name == "whoami" and not arguments:
        return user, False
    if name == "delete_note" and set(arguments) == {"name"} and isinstance(arguments["name"], str):
        note = NOTES.pop(arguments["name"], None)
        return ("no such note", True) if note is None else ("deleted: " + note, False)
    raise Refused(INVALID_PARAMETERS, "unknown tool or invalid arguments")


def tools(context):
    """The tools that this token may call now: mcpTools has their patterns, in which * is any run of characters."""
    if "mcpTools" not in context:
        return TOOLS
    patterns = [".*".join(map(re.escape, pattern.split("*"))) for pattern in json.loads(context["mcpTools"])]
    return [tool for tool in TOOLS if any(re.fullmatch(each, tool["name"], re.DOTALL) for each in patterns)]


def result(method, parameters, context):
    if method == "tools/list":
        return {"tools": tools(context)}
    if method == "tools/call":
        arguments = parameters.get("arguments") or {}
        if not isinstance(arguments, dict):
            raise Refused(INVALID_PARAMETERS, "arguments must be an object")
        text, failed = call(parameters.get("name"), arguments, context["sub"])
        return {"content": [{"type": "text", "text": text}], "isError": failed}
    raise Refused(UNKNOWN_METHOD, "unknown method")


def current(event, message, context):
    """The result of a message of 2026-07-28; None for a notification."""
    method, parameters = message.get("method"), message.get("params", {})
    if not isinstance(parameters, dict):
        raise Refused(INVALID_PARAMETERS, "params must be an object")
    said = {"mcp-protocol-version": VERSION, "mcp-method": method}
    if isinstance(method, str) and method in NAMED:
        said["mcp-name"] = parameters.get(NAMED[method])
    for name, value in said.items():
        if not isinstance(value, str) or [decoded(each) for each in values(event, name)] != [value]:
            raise Refused(HEADER_MISMATCH, f"the header {name} differs from the body")
    if "id" not in message:
        return None
    if isinstance(message["id"], bool) or not isinstance(message["id"], (str, int)):
        raise Refused(INVALID, "id must be a string or an integer")
    meta = parameters.get("_meta")
    if not isinstance(meta, dict) or META + "clientCapabilities" not in meta:
        raise Refused(INVALID_PARAMETERS, f"params._meta must have {META}clientCapabilities")
    if meta.get(META + "protocolVersion") != VERSION:
        raise Refused(HEADER_MISMATCH, "the header mcp-protocol-version differs from params._meta")
    # What a user may call changes with the token, so nothing is for a cache.
    about = {"resultType": "complete", "_meta": {META + "serverInfo": {"name": "example", "version": "1"}}}
    cached = {"ttlMs": 0, "cacheScope": "private"}
    if method == "server/discover":
        return {"supportedVersions": supported(context), "capabilities": {"tools": {}}, **cached, **about}
    return {**result(method, parameters, context), **(cached if method == "tools/list" else {}), **about}


def earlier(message, context):
    """The result of a message of the revisions with a handshake; None for a notification or a response."""
    if "id" not in message or "method" not in message:
        return None
    method, parameters = message["method"], message.get("params") or {}
    if not isinstance(parameters, dict):
        raise Refused(INVALID_PARAMETERS, "params must be an object")
    if method == "initialize":
        wanted = parameters.get("protocolVersion")
        return {
            "protocolVersion": wanted if wanted in EARLIER else EARLIER[0],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "example", "version": "1"},
        }
    return {} if method == "ping" else result(method, parameters, context)


def supported(context):
    return [VERSION] if "mcpToolRules" in context else [VERSION, *EARLIER]


def response(status, body=None, **headers):
    headers = {"Access-Control-Allow-Origin": "*", "Cache-Control": "no-store", **headers}
    if body is None:
        return {"statusCode": status, "headers": headers, "body": ""}
    headers["Content-Type"] = "application/json"
    return {"statusCode": status, "headers": headers, "body": json.dumps(body)}


def failure(status, refused, identifier=None):
    return response(status, {"jsonrpc": "2.0", "id": identifier, "error": refused.error})


def values(event, name):
    """The values of a request header, whose name counts in any case."""
    headers = event.get("multiValueHeaders") or {}
    return [value for key, found in headers.items() if key.lower() == name for value in found]


def decoded(value):
    """The text of a header (Streamable HTTP, "Value Encoding"); None if it is malformed."""
    if not value.startswith("=?"):
        return value
    text = value[9:-2]
    try:
        data = base64.b64decode(text, validate=True)
        whole = f"=?base64?{text}?=" == value and base64.b64encode(data).decode() == text
        return data.decode() if whole else None
    except (binascii.Error, ValueError):
        return None


def distinct(members):
    """An object whose names are distinct: with a second method, the authorizer would decide on another message."""
    if len(dict(members)) != len(members):
        raise ValueError("a name is there twice")
    return dict(members)


def is_allowed(origin):
    others = os.environ.get("ALLOWED_ORIGINS", "").split(",")
    return bool(origin) and (origin in others or LOOPBACK.fullmatch(origin) is not None)


def handler(event, _):
    # Streamable HTTP, "Security Warning": other pages are refused, although they would need a token.
    if not all(map(is_allowed, values(event, "origin"))):
        return failure(403, Refused(INVALID, "pages of this origin may not call this server"))
    # Without sessions and streams there is nothing to get or to delete.
    if event["httpMethod"] != "POST":
        return response(405, Allow="POST")
    body = event.get("body") or ""
    try:
        if event.get("isBase64Encoded"):
            body = base64.b64decode(body).decode()
        message = json.loads(body, object_pairs_hook=distinct)
    except (ValueError, RecursionError):
        return failure(400, Refused(NOT_JSON, "the body is not JSON, or a name is there twice"))
    context = event["requestContext"]["authorizer"]
    if not isinstance(message, dict):
        code = HEADER_MISMATCH if "mcpToolRules" in context else INVALID
        return failure(400, Refused(code, "the body must be one message"))
    identifier = message.get("id")
    if message.get("jsonrpc") != "2.0":
        return failure(400, Refused(INVALID, "the body must be a JSON-RPC 2.0 message"), identifier)
    # Without a header it is a revision before headers, which earlier servers took for 2025-03-26.
    versions = values(event, "mcp-protocol-version") or EARLIER[-1:]
    for version in versions:
        if version not in supported(context):
            reason = "this server needs MCP " + " or ".join(supported(context))
            refused = Refused(UNSUPPORTED_VERSION, reason, supported=supported(context), requested=version)
            return failure(400, refused, identifier)
    is_current = VERSION in versions
    try:
        answer = current(event, message, context) if is_current else earlier(message, context)
    except Refused as refused:
        status = 404 if refused.error["code"] == UNKNOWN_METHOD else 400
        return failure(status if is_current else 200, refused, identifier)
    if answer is None:
        return response(202)
    return response(200, {"jsonrpc": "2.0", "id": identifier, "result": answer})
