"""Requests to one route of a served template, with and without a credential."""
import base64
import datetime
import hashlib
import hmac
import http.client
import json
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


def ask(port, method, path, body=None, headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        content = b"" if answer.status == 101 else answer.read(20_000)
        return answer.status, dict((name.lower(), value) for name, value in answer.getheaders()), content
    finally:
        connection.close()


def signature(port, method, path, body):
    """The headers of Signature Version 4 by the development access key ("Create a signed AWS API request")."""
    status, _, answer = ask(port, "GET", "/dev/credentials")
    if status != 200:
        return {}
    key = json.loads(answer)
    time = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    scope = f"{time[:8]}/us-east-1/execute-api/aws4_request"
    headers = {"host": f"127.0.0.1:{port}", "x-amz-date": time}
    names = ";".join(headers)
    lines = [method, path, "", *(f"{name}:{value}" for name, value in headers.items()), "", names,
             hashlib.sha256(body or b"").hexdigest()]
    text = "\n".join(["AWS4-HMAC-SHA256", time, scope, hashlib.sha256("\n".join(lines).encode()).hexdigest()])
    secret = ("AWS4" + key["SecretAccessKey"]).encode()
    for part in [*scope.split("/"), text]:
        secret = hmac.new(secret, part.encode(), hashlib.sha256).digest()
    return {**headers, "authorization": f"AWS4-HMAC-SHA256 Credential={key['AccessKeyId']}/{scope}, "
            f"SignedHeaders={names}, Signature={secret.hex()}"}


def proof(port, row, credential, method, path, body):
    """The headers of a caller that the route admits."""
    guard, _, name = row["access"].partition(":")
    if guard == "iam":
        return signature(port, method, path, body)
    if guard in ("jwt", "userPool"):
        order = {"user": "alice", "authorizer": name, **({"scope": credential["scope"]} if "scope" in credential else {})}
        status, _, answer = ask(port, "POST", "/dev/token", json.dumps(order))
        token = json.loads(answer)["access_token"] if status == 200 else ""
        return {(credential.get("headers") or ["Authorization"])[0]: ("Bearer " if guard == "jwt" else "") + token}
    return dict.fromkeys(credential.get("headers", []), "allow")


def send(port, row, credential, request, allowed):
    """Sends a request that the validator of the route accepts, with the credential if `allowed`.

    The header X-Answer is for the authorizer.
    """
    query = dict.fromkeys(credential.get("query", []) if allowed else [], "allow")
    method, path = target(row, {**request.get("query", {}), **query})
    body = json.dumps(request.get("body", {})).encode() if method in ("POST", "PUT", "PATCH") else None
    headers = proof(port, row, credential, method, path, body) if allowed else {}
    if row["access"].partition(":")[2] in credential.get("simpleAnswers", []):
        headers["X-Answer"] = "simple"
    if row["kind"] == "webSocket":
        headers.update({
            "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode()})
    return ask(port, method, path, body, headers)


def differences(port, row, credential, request):
    """What the answers to requests for this route should not be, one line each.

    `request` has the query and the body that the validator of the route wants.
    """
    if row["kind"] == "webSocket" and row["route"] != "$connect":
        # Only a connection reaches these, and `$connect` decides about connections.
        return []
    found = []
    name = f'{row["api"]} {row["route"]}'
    guard = row["access"].partition(":")[0]
    credential = credential or {}
    status, headers, body = send(port, row, credential, request, False)
    shown = f"{status} {body[:120].decode(errors='replace')}"
    success = (101,) if row["kind"] == "webSocket" else (*range(200, 300), *[501][:row["integration"] == "unavailable"])
    if guard == "closed":
        if status != 501 or headers.get("x-authorizer-local-closed") != "true":
            found.append(f"{name}: a closed route answers {shown}")
    elif guard != "open" or row["apiKey"]:
        wanted = REFUSALS[guard] if guard != "open" else (403,)
        if status not in wanted and not (row["apiKey"] and status == 403):
            found.append(f"{name}: without a credential it answers {shown}")
    elif status not in success:
        found.append(f"{name}: an open route answers {shown}")
    if (guard in ("jwt", "userPool", "iam") or guard == "lambda" and credential) and not row["apiKey"]:
        status, _, body = send(port, row, credential, request, True)
        if status not in success:
            found.append(f"{name}: with a credential it answers {status} {body[:120].decode(errors='replace')}")
    return found
