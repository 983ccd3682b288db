"""What the comparison sends and answers by itself: requests, WebSocket messages, and an HTTP backend."""
import base64
import http.client
import http.server
import json
import os
import socket
import struct
import threading
from dataclasses import dataclass

TIMEOUT = 60


@dataclass(frozen=True)
class Reply:
    """An answer: its body as JSON if it is that, and the values of each header by its name in lower case."""

    status: int
    body: object
    headers: dict

    def value(self, name):
        return ", ".join(self.headers[name.lower()]) if name.lower() in self.headers else None


def exchange(port, host, method, target, headers=(), body=b""):
    """Sends a request as it is written here: no path is normalized, no header added but `Host` and the length."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
    connection.putheader("Host", host)
    for name, value in headers:
        connection.putheader(name, value)
    if body or method in ("POST", "PUT", "PATCH"):
        connection.putheader("Content-Length", str(len(body)))
    try:
        connection.endheaders(body or None)
    except (BrokenPipeError, ConnectionResetError):
        pass  # The gateway answered before it read a body that is too large.
    answer = connection.getresponse()
    text = answer.read().decode("utf-8", "replace")
    connection.close()
    found = {}
    for name, value in answer.getheaders():
        found.setdefault(name.lower(), []).append(value)
    try:
        parsed = json.loads(text)
    except json.JSONDecodeError:
        parsed = text
    return Reply(answer.status, parsed, found)


class Refused(Exception):
    """A handshake that got another answer than 101."""


class Client:
    """A client of a WebSocket API (RFC 6455), which may send what the protocol forbids."""

    def __init__(self, port, host, path, headers=()):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", f"Host: {host}", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"]
        lines += [f"{name}: {value}" for name, value in headers]
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self.pending = b""
        head = self.until(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 101"):
            raise Refused(head.split(b"\r\n")[0].decode("latin-1"))

    def until(self, end):
        while end not in self.pending:
            self.fill()
        head, self.pending = self.pending.split(end, 1)
        return head

    def fill(self):
        part = self.socket.recv(65536)
        if not part:
            raise ConnectionError("the connection ended")
        self.pending += part

    def take(self, count):
        while len(self.pending) < count:
            self.fill()
        part, self.pending = self.pending[:count], self.pending[count:]
        return part

    def send(self, data, opcode=1):
        data = data.encode() if isinstance(data, str) else data
        length = len(data)
        size = bytes([0x80 | length]) if length < 126 else (
            b"\xfe" + struct.pack(">H", length) if length < 65536 else b"\xff" + struct.pack(">Q", length))
        mask = os.urandom(4)
        self.socket.sendall(bytes([0x80 | opcode]) + size + mask + bytes(
            byte ^ mask[index % 4] for index, byte in enumerate(data)))

    def receive(self):
        """The next frame but pings: a text, or the code of a close frame."""
        while True:
            first, second = self.take(2)
            length = second & 0x7F
            if length > 125:
                length = int.from_bytes(self.take(2 if length == 126 else 8), "big")
            data = self.take(length)
            if first & 0x0F == 8:
                return int.from_bytes(data[:2], "big") if data else 1005
            if first & 0x0F in (1, 2):
                return data.decode("utf-8", "replace")

    def close(self, code=None):
        try:
            if code:
                self.send(struct.pack(">H", code), 8)
        finally:
            self.socket.close()


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers with the request; `/refused` with a 401."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "Backend/1", ""

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        seen = {"method": self.command, "path": self.path, "headers": {k.lower(): v for k, v in self.headers.items()},
                "body": self.rfile.read(length).decode("utf-8", "replace")}
        body = json.dumps(seen).encode()
        self.send_response(401 if self.path.startswith("/refused") else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("WWW-Authenticate", "Basic")
        self.send_header("X-Backend", "yes")
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = answer

    def log_message(self, *words):
        pass


def backend():
    """An HTTP backend on a free loopback port."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
