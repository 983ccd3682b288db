"""A function for AWS's Python runtime client: the member `do` of each event selects its action."""

import ctypes
import os
import signal

print("imported")


def run(event, context):
    do = event.get("do", "nothing")
    print("doing " + do)
    if do == "fail":
        raise ValueError("no such thing")
    if do == "exit":
        os._exit(3)
    if do == "crash":
        ctypes.string_at(0)
    if do == "hang":
        while True:
            signal.pause()
    if do == "large":
        return "x" * event["bytes"]
    client = context.client_context
    return {
        "event": event,
        "remaining": context.get_remaining_time_in_millis(),
        "arn": context.invoked_function_arn,
        "name": context.function_name,
        "memory": context.memory_limit_in_mb,
        "version": context.function_version,
        "request": context.aws_request_id,
        "custom": client.custom if client else None,
        "trace": os.environ.get("_X_AMZN_TRACE_ID"),
        "variable": os.environ.get("OPTIONS"),
        "process": os.getpid(),
    }
