"""An MCP server for AWS Lambda: Streamable HTTP without sessions, JSON answers only.

API Gateway has the authorizer in front of it, so each request comes from a user with a valid token.
"""

import base64
import json
import os
import re

# Integers up to here are exact in all JSON readers (RFC 8259 section 6).
LARGEST = 2**53
# Pages of the user's own machine; other pages are in ALLOWED_ORIGINS, separated by commas.
LOOPBACK = re.compile(r"https?://(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?", re.ASCII)
VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26"]
TOOLS = [
    {
        "name": "whoami",
        "description": "Returns the user whose token came with the request",
        "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False},
    },
    {
        "name": "add",
        "description": "Adds two numbers, each from -2^53 to 2^53",
        "inputSchema": {
            "type": "object",
            "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
            "required": ["a", "b"],
            "additionalProperties": False,
        },
    },
]


class Refused(Exception):
    """A JSON-RPC error (JSON-RPC 2.0 section 5.1)."""

    def __init__(self, code, message):
        super().__init__(message)
        self.error = {"code": code, "message": message}


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -LARGEST <= value <= LARGEST


def call(name, arguments, user):
    if name == "whoami" and not arguments:
        return user
    if name == "add" and set(arguments) == {"a", "b"} and all(map(is_number, arguments.values())):
        return str(arguments["a"] + arguments["b"])
    raise Refused(-32602, "unknown tool or invalid arguments")


def result(method, parameters, user):
    if method == "initialize":
        wanted = parameters.get("protocolVersion")
        return {
            "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "example", "version": "1"},
        }
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        arguments = parameters.get("arguments") or {}
        if not isinstance(arguments, dict):
            raise Refused(-32602, "arguments must be an object")
        text = call(parameters.get("name"), arguments, user)
        return {"content": [{"type": "text", "text": text}], "isError": False}
    raise Refused(-32601, "unknown method")


def response(status, body=None, **headers):
    headers = {"Access-Control-Allow-Origin": "*", "Cache-Control": "no-store", **headers}
    if body is None:
        return {"statusCode": status, "headers": headers, "body": ""}
    headers["Content-Type"] = "application/json"
    return {"statusCode": status, "headers": headers, "body": json.dumps(body)}


def failure(status, code, message, identifier=None):
    error = {"code": code, "message": message}
    return response(status, {"jsonrpc": "2.0", "id": identifier, "error": error})


def values(event, name):
    """The values of a request header, whose name counts in any case."""
    headers = event.get("multiValueHeaders") or {}
    return [value for key, found in headers.items() if key.lower() == name for value in found]


def is_allowed(origin):
    others = os.environ.get("ALLOWED_ORIGINS", "").split(",")
    return bool(origin) and (origin in others or LOOPBACK.fullmatch(origin) is not None)


def handler(event, context):
    # Streamable HTTP, "Security Warning": other pages are refused, although they would need a token.
    if not all(map(is_allowed, values(event, "origin"))):
        return failure(403, -32600, "pages of this origin may not call this server")
    # Without sessions and streams there is nothing to get or to delete.
    if event["httpMethod"] != "POST":
        return response(405, Allow="POST")
    body = event.get("body") or ""
    try:
        if event.get("isBase64Encoded"):
            body = base64.b64decode(body).decode()
        message = json.loads(body)
    except ValueError:
        return failure(400, -32700, "the body is not JSON")
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return failure(400, -32600, "the body must be one JSON-RPC 2.0 message")
    # "Protocol Version Header": none counts as 2025-03-26.
    if any(version not in VERSIONS for version in values(event, "mcp-protocol-version")):
        reason = "MCP-Protocol-Version must be one of " + ", ".join(VERSIONS)
        return failure(400, -32600, reason, message.get("id"))
    if "id" not in message or "method" not in message:
        # A notification or a response: accepted, without an answer.
        return response(202)
    parameters = message.get("params") or {}
    if not isinstance(parameters, dict):
        return failure(200, -32602, "params must be an object", message["id"])
    user = event["requestContext"]["authorizer"]["sub"]
    try:
        answer = result(message["method"], parameters, user)
    except Refused as refused:
        return failure(200, refused.error["code"], refused.error["message"], message["id"])
    return response(200, {"jsonrpc": "2.0", "id": message["id"], "result": answer})
