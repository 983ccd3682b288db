#!/usr/bin/env python3
"""The functions of the sample applications, as a client of the Runtime API: `function.py doorkeeper` or `function.py backend`.

The doorkeeper admits credentials that end in an even digit, and refuses those that end in an odd digit. It fails for
`clerk-666`. The backend answers with what it received, and notes the events of WebSocket APIs in the file $EVENTS.
"""
import http.client
import json
import os
import sys


def doorkeeper(event):
    token = event.get("authorizationToken")
    if token is None:
        token = (event.get("headers") or {}).get("x-library-card") or (event.get("queryStringParameters") or {}).get("ticket")
    if token == "clerk-666":
        raise ValueError("broken")
    admitted = token[-1] in "02468"
    context = {"card": token, "limit": 3}
    if event.get("version") == "2.0":
        return {"isAuthorized": admitted, "context": context}
    statement = {"Effect": "Allow" if admitted else "Deny", "Action": "execute-api:Invoke", "Resource": event["methodArn"]}
    return {
        "principalId": token, "context": context,
        "policyDocument": {"Version": "2012-10-17", "Statement": [statement]}}


def backend(event):
    request = event["requestContext"]
    identity = request.get("identity") or {}
    note(request)
    seen = {
        "authorizer": request.get("authorizer"), "parameters": event.get("pathParameters"),
        "route": request.get("routeKey") or request.get("resourcePath"), "stage": request["stage"],
        "body": event.get("body"), "event": request.get("eventType"), "connection": request.get("connectionId"),
        "key": identity.get("apiKey"), "caller": identity.get("userArn"), "members": sorted(event)}
    return {"statusCode": 200, "headers": {"content-type": "application/json"}, "body": json.dumps(seen)}


def note(request):
    """Adds the route of a WebSocket API, and how a connection ended, to the file $EVENTS."""
    if "EVENTS" in os.environ and "eventType" in request:
        words = [request["routeKey"], request.get("disconnectStatusCode"), request.get("disconnectReason")]
        with open(os.environ["EVENTS"], "a") as file:
            print(*[word for word in words if word], file=file)


def main():
    handler = {"doorkeeper": doorkeeper, "backend": backend}[sys.argv[1]]
    connection = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
    root = "/2018-06-01/runtime/invocation/"
    while True:
        connection.request("GET", root + "next")
        message = connection.getresponse()
        event = json.loads(message.read())
        end, identifier = "response", message.getheader("Lambda-Runtime-Aws-Request-Id")
        try:
            body = handler(event)
        except ValueError as error:
            end, body = "error", {"errorMessage": str(error), "errorType": "ValueError"}
        connection.request("POST", f"{root}{identifier}/{end}", json.dumps(body))
        connection.getresponse().read()


main()
