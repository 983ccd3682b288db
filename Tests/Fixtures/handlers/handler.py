"""The member `do` of an event selects what the handler does."""

import os
import time

print("imported")
calls = 0
held = []


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
