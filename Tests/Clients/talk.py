"""Uses a served WebSocket API as clients and backends do, with websockets and boto3, and prints what they received.

usage: talk.py chat ADDRESS   ADDRESS is HOST:PORT; the API is that of Tests/Fixtures/applications/chat.yaml
       talk.py line ADDRESS   the API is that of line.yaml there

Each line of the output is a JSON array: a step and its result.
"""

import json
import sys
import urllib.request

import boto3
import botocore.auth
import botocore.awsrequest
import botocore.config
import botocore.credentials
import botocore.exceptions
import websockets.exceptions
import websockets.sync.client

ADDRESS = sys.argv[2]


def tell(step, *result):
    print(json.dumps([step, *result]), flush=True)


def connect(path, headers=None):
    return websockets.sync.client.connect(
        f"ws://{ADDRESS}{path}", additional_headers=headers or {}, open_timeout=600, close_timeout=600, proxy=None,
        compression="deflate")


def refusal(path, headers=None):
    """The status and the body of a refused handshake."""
    try:
        connect(path, headers).close()
        return ["connected"]
    except websockets.exceptions.InvalidStatus as error:
        return [error.response.status_code, error.response.body.decode()]


def end(socket):
    """The code and the reason with which the gateway closes the connection."""
    try:
        return ["message", socket.recv(timeout=600)]
    except websockets.exceptions.ConnectionClosed as error:
        return [error.rcvd.code, error.rcvd.reason]


def backend(stage):
    return boto3.client(
        "apigatewaymanagementapi", endpoint_url=f"http://{ADDRESS}{stage}", region_name="us-east-1",
        aws_access_key_id="test", aws_secret_access_key="test",
        config=botocore.config.Config(retries={"total_max_attempts": 1}, proxies={}))


def outcome(call, **arguments):
    """The status of a call, and the name of its error."""
    try:
        return [call(**arguments)["ResponseMetadata"]["HTTPStatusCode"]]
    except botocore.exceptions.ClientError as error:
        return [error.response["ResponseMetadata"]["HTTPStatusCode"], error.response["Error"]["Code"]]


def chat():
    tell("no ticket", *refusal("/Chat/live"))
    tell("refused ticket", *refusal("/Chat/live?ticket=guest-1"))
    with connect("/Chat/live?ticket=guest-2") as socket:
        tell("extensions", [extension.name for extension in socket.protocol.extensions])
        socket.send('{"action":"rename","name":"bo"}')
        long = "ü" * 10_000
        socket.send(json.dumps({"action": "say", "text": long}, ensure_ascii=False))
        said = json.loads(socket.recv(timeout=600))
        tell("long message", said["authorizer"]["principalId"], json.loads(said["body"])["text"] == long)
        socket.send(part for part in ('{"action":', '"say","text":', '"parts"}'))
        tell("message in frames", json.loads(json.loads(socket.recv(timeout=600))["body"])["text"])
        tell("pong", socket.ping("x").wait(600))
        socket.send('{"action":"sing"}')
        tell("no such route", json.loads(socket.recv(timeout=600))["message"])
        service, connection = backend("/Chat/live"), said["connection"]
        tell("post", *outcome(service.post_to_connection, ConnectionId=connection, Data="hello ü".encode()))
        tell("received", socket.recv(timeout=600))
        found = service.get_connection(ConnectionId=connection)
        tell("get", found["Identity"]["SourceIp"], found["ConnectedAt"] <= found["LastActiveAt"])
        tell("delete", *outcome(service.delete_connection, ConnectionId=connection))
        tell("closed", *end(socket))
        tell("post too late", *outcome(service.post_to_connection, ConnectionId=connection, Data=b"late"))
        tell("get too late", *outcome(service.get_connection, ConnectionId=connection))
        tell("delete too late", *outcome(service.delete_connection, ConnectionId=connection))
    with connect("/Chat/live?ticket=guest-4") as socket:
        socket.send("x" * (32 * 1024 + 1))
        tell("long frame", end(socket)[0])
    with connect("/Chat/live?ticket=guest-6") as socket:
        socket.close(code=4001, reason="bye")
    tell("done")


def line():
    address = f"http://{ADDRESS}"
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"{address}/dev/credentials") as answer:
        keys = json.load(answer)
    own = botocore.credentials.Credentials(keys["AccessKeyId"], keys["SecretAccessKey"])
    wrong = botocore.credentials.Credentials(keys["AccessKeyId"], "wrong")

    def signed(kind, credentials, url, **more):
        request = botocore.awsrequest.AWSRequest("GET", f"{address}{url}")
        kind(credentials, "execute-api", "us-east-1", **more).add_auth(request)
        return request

    def headers(credentials, url):
        return dict(signed(botocore.auth.SigV4Auth, credentials, url).headers)

    def query(credentials, url):
        return signed(botocore.auth.SigV4QueryAuth, credentials, url, expires=300).url.removeprefix(address)

    def talk(path, fields):
        with connect(path, fields) as socket:
            socket.send('{"action":"say"}')
            return json.loads(socket.recv(timeout=600))["event"]

    tell("unsigned", refusal("/Line/live")[0])
    tell("wrong secret", refusal("/Line/live", headers(wrong, "/Line/live"))[0])
    tell("another stage", refusal("/Line/live", headers(own, "/Line/other"))[0])
    tell("wrong query", refusal(query(wrong, "/Line/live"))[0])
    tell("headers", talk("/Line/live", headers(own, "/Line/live")))
    tell("query", talk(query(own, "/Line/live"), {}))
    tell("done")


{"chat": chat, "line": line}[sys.argv[1]]()
