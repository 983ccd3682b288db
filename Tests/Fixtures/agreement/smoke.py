"""`smoke` against MiniStack as a user asks AWS: with real keys, by HTTPS at its hosts, through a proxy."""
import dataclasses
import base64
import http.server
import json
import os
import re
import socket
import ssl
import subprocess
import threading
import time

import apis

# The case of the comparison for each credential of `smoke`, and the end of its title for a token that is allowed.
TITLES = {
    "without a token": ("no token",), "with garbage": ("an expired token",), "with late": ("an expired token",),
    "with forbidden": ("a valid token that a rule refuses",),
    "with good": ("a valid token; its subject reaches the backend", "a valid token opens the connection")}
# MiniStack writes a space into these bodies, which the comparison reads as JSON.
SPACED = {("RealHttp1", "with forbidden"), ("RealHttp2", "with forbidden")}
ISSUER = "https://appleid.apple.com"
LIVE = tuple(
    dataclasses.replace(api, name=api.name.replace("Real", "Live"), function="Live") for api in apis.REAL)


class Key:
    """An RSA key of openssl, and tokens that it signs."""

    def __init__(self, folder):
        self.path = folder / "live.pem"
        self.openssl("genrsa", "-out", str(self.path), "2048")
        modulus = self.openssl("rsa", "-in", str(self.path), "-noout", "-modulus").split(b"=")[1]
        number = bytes.fromhex(modulus.decode().strip())
        self.set = {"keys": [{
            "kty": "RSA", "kid": "live-1", "alg": "RS256", "use": "sig", "n": self.text(number), "e": "AQAB"}]}

    @staticmethod
    def openssl(*arguments, data=None):
        return subprocess.run(
            ["openssl", *arguments], input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout

    @staticmethod
    def text(data):
        return base64.urlsafe_b64encode(data).decode().rstrip("=")

    def token(self, is_verified, seconds):
        now = int(time.time())
        parts = ({"alg": "RS256", "kid": "live-1"}, {
            "iss": ISSUER, "aud": "com.example.app", "sub": "001234.abc", "email_verified": is_verified,
            "iat": now - 7200, "exp": now + seconds})
        signed = ".".join(self.text(json.dumps(part).encode()) for part in parts)
        return signed + "." + self.text(
            self.openssl("dgst", "-sha256", "-sign", str(self.path), data=signed.encode()))


class Tunnel(http.server.BaseHTTPRequestHandler):
    """Takes `CONNECT`, ends TLS, and passes the request on to MiniStack."""

    def do_CONNECT(self):
        self.send_response(200)
        self.end_headers()
        self.close_connection = True
        identifier = self.path.split(".")[0]
        with self.server.tls.wrap_socket(self.connection, server_side=True) as client:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                part = client.recv(65536)
                if not part:
                    return
                head += part
            host = f"{identifier}.execute-api.localhost:{self.server.gateway}"
            head = re.sub(rb"\r\nHost: [^\r]*", b"\r\nHost: " + host.encode(), head, flags=re.I)
            if b"upgrade: websocket" not in head.lower():
                head = head[:-2] + b"Connection: close\r\n\r\n"
            with socket.create_connection(("127.0.0.1", self.server.gateway), timeout=60) as gateway:
                gateway.sendall(head)
                answer = b""
                while not (answer.startswith(b"HTTP/1.1 101") and b"\r\n\r\n" in answer):
                    part = gateway.recv(65536)
                    if not part:
                        break
                    answer += part
                client.sendall(answer)

    def log_message(self, *words):
        pass


def proxy(folder, hosts, gateway):
    """A proxy for these hosts, and the file with the certificate that clients must trust."""
    key, certificate = folder / "tls.pem", folder / "authority.pem"
    Key.openssl(
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
        "/CN=smoke", "-addext", "subjectAltName=" + ",".join(f"DNS:{host}" for host in hosts), "-keyout", str(key),
        "-out", str(certificate))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Tunnel)
    server.daemon_threads = True
    server.gateway, server.tls = gateway, ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.tls.load_cert_chain(certificate, key)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, certificate


def asked(place, ministack):
    """The requests of `smoke` by API and credential: what is predicted, and the status of the answer."""
    folder = place.folder / "smoke"
    (folder / ".git").mkdir(parents=True)
    key = Key(folder)
    (folder / "keys.json").write_text(json.dumps(key.set))
    configuration = json.dumps({
        "issuers": [{"preset": "apple", "audiences": ["com.example.app"],
                     "keys": {"seed": str(folder / "keys.json"), "pinned": True}}],
        "default": "deny",
        "rules": [{"routes": ["* /*", "$connect"], "allow": True, "require": {"claims": {"email_verified": True}}}]})
    (folder / "authorizer.json").write_text(configuration)
    ministack.client("lambda").create_function(
        FunctionName="Live", Runtime="provided.al2023", Handler="bootstrap", MemorySize=128, Timeout=10,
        Role="arn:aws:iam::000000000000:role/function", Code={"ZipFile": place.package.read_bytes()},
        Environment={"Variables": {"AUTHORIZER_CONFIG": configuration}})
    function = {"Type": "AWS::Serverless::Function", "Properties": {
        "Runtime": "provided.al2023", "Handler": "bootstrap", "CodeUri": "live"}}
    events = {name: event for api in LIVE for name, event in api.events().items()}
    backend = function | {"Properties": function["Properties"] | {"Events": events}}
    (folder / "template.json").write_text(json.dumps({
        "Transform": "AWS::Serverless-2016-10-31",
        "Resources": {"Live": function, "Backend": backend} | {
            name: part for api in LIVE for name, part in api.template().items()}}))
    arguments, hosts = [], []
    for api in LIVE:
        deploy = (ministack.deploy_rest if api.is_rest else
                  ministack.deploy_socket if api.is_socket else ministack.deploy_http)
        identifier = deploy(api)
        hosts.append(f"{identifier}.execute-api.us-east-1.amazonaws.com")
        stage = "/live" if api.is_socket else "/prod" if api.is_rest else ""
        arguments += ["--url", f"{api.name}=https://{hosts[-1]}{stage}", "--api-id", identifier]
    for role, token in (("good", (True, 3600)), ("late", (True, -3600)), ("forbidden", (False, 3600))):
        (folder / role).write_text(key.token(*token))
        (folder / role).chmod(0o600)
        arguments += ["--token", f"{role}=@{role}"]
    server, certificate = proxy(folder, hosts, ministack.port)
    ran = subprocess.run(
        [place.harness, "smoke", "--template", "template.json", "--config", "authorizer.json",
         "--zip", str(place.package.resolve()), "--websocket",
         "--value", "id=7", "--rate", "100", "--yes", "--json", *arguments],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "SSL_CERT_FILE": str(certificate),
             "https_proxy": f"http://127.0.0.1:{server.server_address[1]}"})
    server.shutdown()
    try:
        return json.loads(ran.stdout)
    except json.JSONDecodeError as error:
        raise RuntimeError(f"smoke said no JSON: {ran.stdout[-500:]} {ran.stderr[-1500:]}") from error


def problems(place, ministack, rows):
    """Where `smoke` sees another difference of MiniStack than the comparison, or none."""
    report = asked(place, ministack)
    known = {(case.api, case.title): any(re.match(r"\d{3} ", line) for line in theirs)
             for case, _, theirs in rows if case.api.startswith("Real")}
    asked_of = {(result["api"].replace("Live", "Real"), result["credential"]) for result in report["results"]}
    found = [f"{api.name}: no request {credential}" for api in LIVE for credential, titles in TITLES.items()
             if any((api.name.replace("Live", "Real"), title) in known for title in titles)
             and (api.name.replace("Live", "Real"), credential) not in asked_of]
    for result in report["results"]:
        api = result["api"].replace("Live", "Real")
        titles = [title for title in TITLES[result["credential"]] if (api, title) in known]
        predicted, status = result["predicted"], result.get("status")
        seen = ("status" if predicted.isdigit() and predicted != str(status) else
                None if result["verdict"] == "same" else result.get("difference", result["verdict"]))
        expected = "body" if (api, result["credential"]) in SPACED else (
            "status" if titles and known[api, titles[0]] else None)
        if not titles or seen != expected:
            found.append(f"{result['api']} {result['route']} {result['credential']}: predicted {predicted}, "
                         f"found {status}, {result.get('why', result['verdict'])}")
    differing = sum(1 for result in report["results"] if result["predicted"] not in (
        str(result.get("status")), "the backend's answer"))
    print(f"check-ministack: smoke, real keys: {len(report['results'])} answers, {differing} with another status than "
          f"predicted, settled {report['settled']}: {len(found)} that the comparison does not know")
    return found
