"""The member `do` of an event selects what the handler does."""

import http.client
import os
import signal
import sys
import time

print("imported")
calls = 0
held = []


def post(request):
    connection = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
    connection.request("POST", "/2018-06-01/runtime/invocation/%s/response" % request, '{"forged":true}')
    return connection.getresponse().status


def handler(event, context):
    global calls
    calls += 1
    do = event.get("do", "echo")
    if do == "fail":
        raise ValueError("no such thing")
    if do == "unauthorized":
        raise Exception("Unauthorized")
    if do == "exit":
        os._exit(3)
    if do == "leave":
        sys.exit(4)
    if do == "abort":
        os.abort()
    if do == "hang":
        while True:
            time.sleep(60)
    if do == "memory":
        while True:
            held.append(os.urandom(1 << 20))
    if do == "large":
        return "x" * event["bytes"]
    if do == "unserializable":
        return handler
    if do == "nothing":
        return None
    if do == "log":
        print("a line of the handler")
        return "logged"
    if do == "environment":
        return dict(os.environ)
    if do == "measure":
        return {"length": len(event["text"])}
    if do == "own":
        return dict(event, status=post(context.aws_request_id))
    if do == "other":
        return dict(event, status=post("00000000-0000-4000-8000-000000000000"))
    if do == "chatter":
        sys.stdout.write("x" * event["bytes"])
        return "said"
    if do == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.fork() == 0:
            time.sleep(3600)
        while True:
            time.sleep(60)
    if do == "tell":
        return {
            "calls": calls,
            "remaining": context.get_remaining_time_in_millis(),
            "request": context.aws_request_id,
            "arn": context.invoked_function_arn,
            "name": context.function_name,
            "version": context.function_version,
            "memory": context.memory_limit_in_mb,
            "group": context.log_group_name,
            "stream": context.log_stream_name,
            "trace": os.environ.get("_X_AMZN_TRACE_ID"),
            "folder": os.getcwd(),
        }
    return event
