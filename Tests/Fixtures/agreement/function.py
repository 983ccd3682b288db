#!/usr/bin/env python3
"""A scripted custom runtime: the authorizer and the backend of the comparison with another emulator.

The token is `Script ` and an order in base64url: {"respond": ANY}, {"error": TEXT}, {"raw": TEXT} or {"exit": STATUS}. In
the answer, `$arn` is replaced by the requested ARN, `$stage` by its part up to the stage, and `$call` by a unique number.
Each call adds a line to the file named by CALLS. Other events are answered with their authorizer context.
"""
import base64
import http.client
import json
import os
import sys
import uuid


def order(event):
    headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
    token = event.get("authorizationToken") or headers.get("authorization") or ""
    if not token.startswith("Script "):
        return {"respond": {"principalId": "caller", "policyDocument": {"Version": "2012-10-17", "Statement": [
            {"Effect": "Allow", "Action": "execute-api:Invoke", "Resource": "$stage/*"}]}}}
    return json.loads(base64.urlsafe_b64decode(token.removeprefix("Script ") + "=="))


def filled(value, names):
    if isinstance(value, dict):
        return {name: filled(member, names) for name, member in value.items()}
    if isinstance(value, list):
        return [filled(member, names) for member in value]
    if isinstance(value, str):
        for name, text in names.items():
            value = value.replace(name, text)
    return value


def authorized(event):
    """The last segment of the Runtime API path, and the body for it."""
    with open(os.environ["CALLS"], "a", encoding="utf-8") as calls:
        calls.write("call\n")
    script = order(event)
    if "exit" in script:
        sys.exit(script["exit"])
    if "error" in script:
        return "error", json.dumps({"errorMessage": script["error"], "errorType": "Function.Scripted"})
    if "raw" in script:
        return "response", script["raw"]
    arn = event.get("methodArn") or event["routeArn"]
    names = {"$arn": arn, "$stage": "/".join(arn.split("/")[:2]), "$call": uuid.uuid4().hex}
    return "response", json.dumps(filled(script["respond"], names))


def main():
    connection = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
    root = "/2018-06-01/runtime/invocation/"
    while True:
        connection.request("GET", root + "next")
        answer = connection.getresponse()
        event = json.loads(answer.read())
        if answer.status != 200:
            sys.exit(1)
        if event.get("type") in ("TOKEN", "REQUEST"):
            end, body = authorized(event)
        else:
            context = (event.get("requestContext") or {}).get("authorizer")
            end, body = "response", json.dumps({
                "statusCode": 200, "headers": {"Content-Type": "application/json"}, "body": json.dumps(context)})
        connection.request(
            "POST", root + answer.getheader("Lambda-Runtime-Aws-Request-Id") + "/" + end, body,
            {"Content-Type": "application/json"})
        connection.getresponse().read()


main()
