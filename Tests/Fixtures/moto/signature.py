"""Compares the signature of call-dynamodb with botocore's for the same requests: signature.py CALL-DYNAMODB

Exit 0: they are equal, with and without a session token. Exit 1: they differ.
"""

import http.server
import struct
import subprocess
import sys
import threading

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

KEY, SECRET, REGION = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "eu-central-1"
WANTED = {"content-type", "host", "x-amz-date", "x-amz-target"}
# Bytes outside ASCII, and characters that form encoding would change.
BODIES = [b'{"TableName":"users","Key":{"pk":{"S":"user#\xc3\xa9 +/=&%"}}}', b"{}", b"x" * 300000]


class Recorder(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    requests = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.requests.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


def call(executable, port, token, bodies):
    """Sends frames in the format of Sources/DynamoDB/CallFrame.swift."""
    environment = {
        "AWS_REGION": REGION, "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_ENDPOINT_URL_DYNAMODB": "http://127.0.0.1:%d" % port}
    if token:
        environment["AWS_SESSION_TOKEN"] = token
    process = subprocess.Popen(
        [executable, "--allow-loopback-http"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for body in bodies:
        target = b"DynamoDB_20120810.GetItem"
        process.stdin.write(struct.pack(">BBHIII", 1, len(target), 0, 2000, 5000, len(body)) + target + body)
        process.stdin.flush()
        version, outcome, status, length = struct.unpack(">BBHI", process.stdout.read(8))
        assert (version, outcome, status, process.stdout.read(length)) == (1, 0, 200, b"{}")
    process.stdin.close()
    assert process.wait() == 0


def problem(path, headers, body, token):
    authorization = headers["authorization"]
    signed = authorization.split("SignedHeaders=")[1].split(",")[0].split(";")
    wanted = WANTED | ({"x-amz-security-token"} if token else set())
    if set(signed) != wanted:
        return "signed headers: %s" % signed
    if token and headers["x-amz-security-token"] != token:
        return "another token"
    request = AWSRequest(
        "POST", "http://%s%s" % (headers["host"], path), data=body, headers={name: headers[name] for name in signed})
    request.context["timestamp"] = headers["x-amz-date"]
    signer = SigV4Auth(Credentials(KEY, SECRET), "dynamodb", REGION)
    text = signer.string_to_sign(request, signer.canonical_request(request))
    expected = "AWS4-HMAC-SHA256 Credential=%s/%s/%s/dynamodb/aws4_request, SignedHeaders=%s, Signature=%s" % (
        KEY, headers["x-amz-date"][:8], REGION, ";".join(signed), signer.signature(text, request))
    return None if authorization == expected else "%s instead of %s" % (authorization, expected)


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    failures = 0
    for token in [None, "IQoJb3JpZ2luX2VjEA==/+token"]:
        Recorder.requests.clear()
        call(sys.argv[1], server.server_port, token, BODIES)
        for path, headers, body in Recorder.requests:
            found = problem(path, headers, body, token)
            failures += found is not None
            print("check-moto: %d bytes, %s token: %s" % (
                len(body), "with" if token else "without", found or "same signature as botocore"))
        failures += len(Recorder.requests) != len(BODIES)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
