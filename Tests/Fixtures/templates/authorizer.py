#!/usr/bin/env python3
"""A custom runtime for `make check-templates`: an authorizer that allows callers with the credential `allow`.

The template chooses the form of the answer to payload 2.0, and the event does not tell it. So the header X-Answer does.
"""
import http.client
import json
import os
import sys


def credentials(event):
    yield event.get("authorizationToken")
    for member in ("headers", "queryStringParameters"):
        yield from (event.get(member) or {}).values()


def answer(event):
    allowed = "allow" in credentials(event)
    if (event.get("headers") or {}).get("x-answer") == "simple":
        return {"isAuthorized": allowed}
    # A cached policy has to allow the other routes of the stage too.
    stage = "/".join((event.get("methodArn") or event["routeArn"]).split("/")[:2])
    statement = {"Effect": "Allow" if allowed else "Deny", "Action": "execute-api:Invoke", "Resource": stage + "/*"}
    return {"principalId": "caller", "policyDocument": {"Version": "2012-10-17", "Statement": [statement]}}


def main():
    connection = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
    root = "/2018-06-01/runtime/invocation/"
    while True:
        connection.request("GET", root + "next")
        message = connection.getresponse()
        event = json.loads(message.read())
        if message.status != 200:
            sys.exit(1)
        identifier = message.getheader("Lambda-Runtime-Aws-Request-Id")
        connection.request("POST", f"{root}{identifier}/response", json.dumps(answer(event)))
        connection.getresponse().read()


main()
