"""Runs a command with a user table in moto's DynamoDB: moto_table.py COMMAND [ARGUMENT...]

The command gets the endpoints in its environment: MOTO_ENDPOINT, and MOTO_FAULTY_ENDPOINT, where requests to the same
table often fail, half of them after they were performed. Exit: the command's.

Requests are serialized, as DynamoDB serializes writes of one item; moto itself checks a condition and writes later.

MOTO_LOG=FILE appends one JSON line for each request: the operation, the client's port, the times of arrival, start and
end in seconds, the status, the parameters and the answer.
"""

import io
import json
import os
import random
import subprocess
import sys
import threading
import time

import boto3
import moto.server
from werkzeug.serving import WSGIRequestHandler, make_server

TABLE = "users"


class Handler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *_):
        pass


def answer(start_response, status, name):
    body = json.dumps({"__type": "com.amazonaws.dynamodb.v20120810#" + name, "message": ""}).encode()
    start_response(status, [("Content-Type", "application/x-amz-json-1.0"), ("Content-Length", str(len(body)))])
    return [body]


class OneByOne:
    def __init__(self, application):
        self.application = application
        self.lock = threading.Lock()

    def __call__(self, environ, start_response):
        with self.lock:
            return list(self.application(environ, start_response))


class Recorded(OneByOne):
    def __init__(self, application, path):
        super().__init__(application)
        self.file = open(path, "a", buffering=1)

    def __call__(self, environ, start_response):
        came = time.monotonic()
        parameters = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(parameters)
        statuses = []

        def start(status, *rest):
            statuses.append(status)
            return start_response(status, *rest)

        with self.lock:
            began = time.monotonic()
            body = list(self.application(environ, start))
            self.file.write(json.dumps([
                environ.get("HTTP_X_AMZ_TARGET", "").split(".")[-1], environ.get("REMOTE_PORT"), came, began,
                time.monotonic(), statuses[-1], parameters.decode("latin-1"), b"".join(body).decode("latin-1")]) + "\n")
        return body


class Faulty:
    """Fails each request with a probability of 24 %."""

    def __init__(self, application, seed):
        self.application = application
        self.random = random.Random(seed)

    def __call__(self, environ, start_response):
        chance = self.random.random()
        if chance < 0.06:
            return answer(start_response, "500 Internal Server Error", "InternalServerError")
        if chance < 0.12:
            return answer(start_response, "400 Bad Request", "ThrottlingException")
        body = self.application(environ, start_response if chance >= 0.24 else lambda *_: None)
        if chance < 0.24:
            return answer(start_response, "503 Service Unavailable", "ServiceUnavailable")
        return body


def serve(application):
    server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return "http://127.0.0.1:%d" % server.server_port


def main():
    credentials = {"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret"}
    application = moto.server.DomainDispatcherApplication(moto.server.create_backend_app)
    log = os.environ.get("MOTO_LOG")
    application = Recorded(application, log) if log else OneByOne(application)
    seed = int(os.environ.get("MOTO_SEED") or random.randrange(1 << 32))
    print("check-moto: faults with seed", seed, flush=True)
    endpoints = {"MOTO_ENDPOINT": serve(application), "MOTO_FAULTY_ENDPOINT": serve(Faulty(application, seed))}
    client = boto3.client(
        "dynamodb", endpoint_url=endpoints["MOTO_ENDPOINT"], region_name="eu-central-1",
        aws_access_key_id="AKIDEXAMPLE", aws_secret_access_key="secret")
    client.create_table(
        TableName=TABLE, BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}])
    client.update_time_to_live(
        TableName=TABLE, TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"})
    return subprocess.call(sys.argv[1:], env={**os.environ, **credentials, **endpoints, "MOTO_TABLE": TABLE})


if __name__ == "__main__":
    sys.exit(main())
