"""Sends messages to the handler of the MCP server, and prints each that it answers otherwise: server.py FOLDER."""

import base64
import json
import sys

sys.path.insert(0, sys.argv[1])
import app

REVISION, META = "2026-07-28", "io.modelcontextprotocol/"
RULES = {"sub": "alice", "mcpToolRules": "true"}
EARLIER = {"sub": "alice"}
META_MEMBERS = {META + "protocolVersion": REVISION, META + "clientCapabilities": {}}
failed = 0


def message(method, **parameters):
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": META_MEMBERS, **parameters}}


def headers(method, *names, **more):
    found = {"MCP-Protocol-Version": [REVISION], "Mcp-Method": [method]}
    return {**found, **({"mcp-name": list(names)} if names else {}), **more}


def send(body, fields, context, verb="POST"):
    text = body if isinstance(body, str) else json.dumps(body)
    event = {"httpMethod": verb, "multiValueHeaders": fields, "body": text, "requestContext": {"authorizer": context}}
    answer = app.handler(event, None)
    return answer["statusCode"], json.loads(answer["body"]) if answer["body"] else None


def expect(what, found, wanted):
    global failed
    if found != wanted:
        failed += 1
        print(f"{what}: {found!r} instead of {wanted!r}")


def outcome(answer):
    status, body = answer
    return status, body and (body["error"]["code"] if "error" in body else "result")


def encoded(text):
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


CALL, WHOAMI = "tools/call", message("tools/call", name="whoami")
UNKNOWN = message(CALL, name="größe")
NO_VERSION = {**WHOAMI, "params": {"name": "whoami"}}
OTHER_VERSION = {**WHOAMI, "params": {"name": "whoami", "_meta": {**META_MEMBERS, META + "protocolVersion": "2025-11-25"}}}
for context in [RULES, EARLIER]:
    for what, body, fields, wanted in [
        ("a call", WHOAMI, headers(CALL, "whoami"), (200, "result")),
        ("an encoded name", WHOAMI, headers(CALL, encoded("whoami")), (200, "result")),
        ("an encoded name that is no tool", UNKNOWN, headers(CALL, encoded("größe")), (400, -32602)),
        ("discovery", message("server/discover"), headers("server/discover"), (200, "result")),
        ("a list, whose name is not read", message("tools/list"), headers("tools/list", "x"), (200, "result")),
        ("a notification", {"jsonrpc": "2.0", "method": "a"}, headers("a"), (202, None)),
        ("another name", WHOAMI, headers(CALL, "delete_note"), (400, -32020)),
        ("another case", WHOAMI, headers(CALL, "Whoami"), (400, -32020)),
        ("no name", WHOAMI, headers(CALL), (400, -32020)),
        ("two names", WHOAMI, headers(CALL, "whoami", "whoami"), (400, -32020)),
        ("joined names", WHOAMI, headers(CALL, "whoami,whoami"), (400, -32020)),
        ("base64 without an end", WHOAMI, headers(CALL, "=?base64?d2hvYW1p"), (400, -32020)),
        ("base64 that is not canonical", UNKNOWN, headers(CALL, "=?base64?Z3LDtsOfZR==?="), (400, -32020)),
        ("base64 that is not UTF-8", WHOAMI, headers(CALL, "=?base64?/w==?="), (400, -32020)),
        ("a malformed name, and none", message(CALL), headers(CALL, "=?x"), (400, -32020)),
        ("a name that is no text", message(CALL, name=7), headers(CALL, "7"), (400, -32020)),
        ("another method", WHOAMI, headers("tools/list", "whoami"), (400, -32020)),
        ("a method that is no text", {**WHOAMI, "method": [CALL]}, headers(CALL, "whoami"), (400, -32020)),
        ("no method", {"jsonrpc": "2.0", "id": 1, "result": {}}, headers(CALL, "whoami"), (400, -32020)),
        ("another version inside", OTHER_VERSION, headers(CALL, "whoami"), (400, -32020)),
        ("nothing inside", NO_VERSION, headers(CALL, "whoami"), (400, -32602)),
        ("params that are a list", {**WHOAMI, "params": ["whoami"]}, headers(CALL, "whoami"), (400, -32602)),
        ("an id that is null", {**WHOAMI, "id": None}, headers(CALL, "whoami"), (400, -32600)),
        ("an id that is a boolean", {**WHOAMI, "id": True}, headers(CALL, "whoami"), (400, -32600)),
        ("an unknown method", message("ping"), headers("ping"), (404, -32601)),
        ("arguments that no tool has", message(CALL, name="whoami", arguments={"a": 1}), headers(CALL, "whoami"), (400, -32602)),
        ("another JSON-RPC", {**WHOAMI, "jsonrpc": "1.0"}, headers(CALL, "whoami"), (400, -32600)),
        ("a second method", '{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}', headers("a"), (400, -32700)),
        ("no JSON", "{", headers("a"), (400, -32700)),
        ("deep JSON", "[" * 100_000, headers("a"), (400, -32700)),
        ("two versions", WHOAMI, headers(CALL, "whoami", **{"MCP-Protocol-Version": [REVISION, REVISION]}), (400, -32020)),
        ("an unknown version", WHOAMI, headers(CALL, "whoami", **{"MCP-Protocol-Version": ["2027-01-01"]}), (400, -32022)),
        ("a foreign page", WHOAMI, headers(CALL, "whoami", Origin=["https://evil.example"]), (403, -32600)),
    ]:
        expect(what, outcome(send(body, fields, context)), wanted)
    expect("an array", outcome(send([WHOAMI], headers(CALL, "whoami"), context)), (400, -32020 if context is RULES else -32600))
    expect("GET", send("", {}, context, verb="GET"), (405, None))

# The revisions with a handshake, only without rules for tools.
START = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}
for body, fields, wanted in [
    (START, {}, (200, "result")), ({**START, "method": "ping"}, {"MCP-Protocol-Version": ["2025-11-25"]}, (200, "result")),
    ({**START, "method": "tools/list"}, {}, (200, "result")),
    ({"jsonrpc": "2.0", "method": "notifications/initialized"}, {"MCP-Protocol-Version": ["2025-03-26"]}, (202, None)),
    ({**START, "method": "other"}, {}, (200, -32601)),
]:
    expect(f"{body['method']} without rules", outcome(send(body, fields, EARLIER)), wanted)
    expect(f"{body['method']} with rules", outcome(send(body, fields, RULES)), (400, -32022))

DISCOVER = message("server/discover"), headers("server/discover")
for context, versions in [(RULES, [REVISION]), (EARLIER, [REVISION, "2025-11-25", "2025-06-18", "2025-03-26"])]:
    found = send(*DISCOVER, context)[1]["result"]
    expect("the versions", found["supportedVersions"], versions)
    expect("the type of the result", (found["resultType"], found["ttlMs"], found["cacheScope"]), ("complete", 0, "private"))

# What a token may call.
LIST = message("tools/list"), headers("tools/list")
for patterns, names in [
    (None, ["whoami", "delete_note"]), ([], []), (["whoami"], ["whoami"]), (["delete_*"], ["delete_note"]),
    (["*"], ["whoami", "delete_note"]), (["Whoami", "who", "who?mi", "[a-z]*"], []), (["*o*"], ["whoami", "delete_note"]),
    (["delete_note*", "delete_note"], ["delete_note"]),
]:
    context = RULES if patterns is None else {**RULES, "mcpTools": json.dumps(patterns)}
    found = [tool["name"] for tool in send(*LIST, context)[1]["result"]["tools"]]
    expect(f"the tools of {patterns}", found, names)

for name, wanted in [("todo", ("deleted: Buy milk", False)), ("todo", ("no such note", True))]:
    found = send(message(CALL, name="delete_note", arguments={"name": name}), headers(CALL, "delete_note"), RULES)
    result = found[1]["result"]
    expect("a deletion", (result["content"][0]["text"], result["isError"]), wanted)
sys.exit(1 if failed else 0)
