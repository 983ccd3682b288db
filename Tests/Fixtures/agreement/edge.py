#!/usr/bin/env python3
"""A custom runtime: the backend of the cases around the authorizer.

It does what an order says: {"return": ANY}, {"error": TEXT}, {"stream": METADATA, "pad": BLANKS after it, "text": BODY}.
The order is the JSON of the header `Order` in base64url, or the member `order` of a WebSocket message. Without an order the
body of the answer is the event. Each WebSocket event adds a line to the file named by EVENTS. An event that a mapping
template made is returned, or fails with its member `fail`.
"""
import base64
import http.client
import json
import os
import sys


def order(event):
    headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
    if "order" in headers:
        return json.loads(base64.urlsafe_b64decode(headers["order"] + "=="))
    if "connectionId" in (event.get("requestContext") or {}):
        try:
            return json.loads(event.get("body") or "").get("order") or {}
        except (ValueError, AttributeError):
            return {}
    return {}


def failure(text):
    return "error", json.dumps({"errorMessage": text, "errorType": "Function.Ordered"})


def answer(event):
    """The last segment of the Runtime API path, and the body for it."""
    if not isinstance(event, dict) or "requestContext" not in event:
        return failure(event["fail"]) if isinstance(event, dict) and "fail" in event else ("response", json.dumps(event))
    context = event["requestContext"]
    if "connectionId" in context:
        with open(os.environ["EVENTS"], "a", encoding="utf-8") as events:
            events.write(context.get("routeKey", "") + "\n")
    wanted = order(event)
    if "error" in wanted:
        return failure(wanted["error"])
    if "stream" in wanted:
        metadata = json.dumps(wanted["stream"]).encode() + b" " * wanted.get("pad", 0)
        return "response", [metadata, bytes(8), wanted["text"].encode()]
    if "return" in wanted:
        return "response", json.dumps(wanted["return"])
    return "response", json.dumps({
        "statusCode": 200, "headers": {"Content-Type": "application/json"}, "body": json.dumps(event)})


def main():
    connection = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
    root = "/2018-06-01/runtime/invocation/"
    while True:
        connection.request("GET", root + "next")
        next_event = connection.getresponse()
        event = json.loads(next_event.read())
        if next_event.status != 200:
            sys.exit(1)
        end, body = answer(event)
        streams = isinstance(body, list)
        mode = {"Lambda-Runtime-Function-Response-Mode": "streaming", "Transfer-Encoding": "chunked"} if streams else {}
        connection.request(
            "POST", root + next_event.getheader("Lambda-Runtime-Aws-Request-Id") + "/" + end, body,
            {"Content-Type": "application/json"} | mode, encode_chunked=streams)
        connection.getresponse().read()


main()
