"""Requests to one route of a served template, with and without a credential."""
import base64
import http.client
import os
import re
import urllib.parse

# What a caller without a credential gets from each kind of guard. The keys are the word before the colon of `access`.
REFUSALS = {
    "lambda": (401, 403), "jwt": (401,), "restJwt": (401,), "userPool": (401,), "iam": (403,), "closed": (501,)}
TIMEOUT_SECONDS = 600


def target(row, query):
    """The method and the address of a route, with example values for its parameters."""
    stage = "" if row["stage"] == "$default" else "/" + row["stage"]
    method, _, path = row["route"].partition(" ")
    if row["kind"] == "webSocket":
        method, path = "GET", ""
    elif row["route"] == "$default":
        method, path = "GET", "/anything"
    path = re.sub(r"\{[^}]+\+\}", "a/b", path)
    path = re.sub(r"\{[^}]+\}", "example", path)
    if method == "ANY":
        method = "PUT"
    text = "?" + urllib.parse.urlencode(query) if query else ""
    return method, "/" + row["api"] + stage + path + text


def send(port, row, credential, allowed):
    """Sends a request, with the credential if `allowed`. The header X-Answer is for the authorizer."""
    given = credential if allowed else {}
    method, path = target(row, dict.fromkeys(given.get("query", []), "allow"))
    headers = dict.fromkeys(given.get("headers", []), "allow")
    if row["access"].partition(":")[2] in credential.get("simpleAnswers", []):
        headers["X-Answer"] = "simple"
    if row["kind"] == "webSocket":
        headers.update({
            "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode()})
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)
    try:
        connection.request(method, path, b"{}" if method in ("POST", "PUT") else None, headers)
        answer = connection.getresponse()
        body = b"" if answer.status == 101 else answer.read(2000)
        return answer.status, dict((name.lower(), value) for name, value in answer.getheaders()), body
    finally:
        connection.close()


def differences(port, row, credential):
    """What the answers to requests for this route should not be, one line each."""
    if row["kind"] == "webSocket" and row["route"] != "$connect":
        # Only a connection reaches these, and `$connect` decides about connections.
        return []
    found = []
    name = f'{row["api"]} {row["route"]}'
    guard = row["access"].partition(":")[0]
    credential = credential or {}
    status, headers, body = send(port, row, credential, False)
    shown = f"{status} {body[:120].decode(errors='replace')}"
    unavailable = row["integration"] == "unavailable" or row["integration"].startswith("aws:")
    success = (501,) if unavailable else (101,) if row["kind"] == "webSocket" else range(200, 300)
    if guard == "closed":
        if status != 501 or headers.get("x-authorizer-local-closed") != "true":
            found.append(f"{name}: a closed route answers {shown}")
    elif guard != "open" or row["apiKey"]:
        wanted = REFUSALS[guard] if guard != "open" else (403,)
        if status not in wanted and not (row["apiKey"] and status == 403):
            found.append(f"{name}: without a credential it answers {shown}")
    elif status not in success:
        found.append(f"{name}: an open route answers {shown}")
    if guard == "lambda" and credential and not row["apiKey"]:
        status, _, body = send(port, row, credential, True)
        if status not in success:
            found.append(f"{name}: with a credential it answers {status} {body[:120].decode(errors='replace')}")
    return found
