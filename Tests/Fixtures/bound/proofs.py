"""Sends DPoP proofs of joserfc and jwcrypto to `serve --tls`, compares the statuses, and opens WebSockets.

usage: proofs.py ADDRESS AUTHORITY.pem
"""

import base64
import hashlib
import json
import logging
import ssl
import sys
import time
import urllib.error
import urllib.request
import uuid
import warnings

import jwcrypto.jwk
import jwcrypto.jws
from joserfc import jwk, jws
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

# websockets may log that a read timed out when it closes a connection with TLS.
logging.disable(logging.CRITICAL)
# The name EdDSA, which RFC 9864 replaces by Ed25519.
warnings.simplefilter("ignore")
address, authority = sys.argv[1:]
trust = ssl.create_default_context(cafile=authority)
trust.verify_flags |= ssl.VERIFY_X509_STRICT
hosts = {"rest.example": "REST", "http1.example": "HTTP 1.0", "http2.example": "HTTP 2.0"}
failures = []
count = 0


def send(host, path, headers, method="GET"):
    request = urllib.request.Request(
        address + path, method=method, headers={"Host": host, **headers})
    try:
        with urllib.request.urlopen(request, context=trust, timeout=60) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def token(confirmation):
    order = {"user": "alice", "claims": {"cnf": confirmation, "jti": str(uuid.uuid4())} if confirmation else {}}
    request = urllib.request.Request(address + "/dev/token", data=json.dumps(order).encode())
    with urllib.request.urlopen(request, context=trust, timeout=60) as answer:
        return json.load(answer)["access_token"]


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class JoseRFC:
    """A key of joserfc."""

    name = "joserfc"

    def __init__(self, algorithm):
        self.algorithm = algorithm
        self.key = {
            "ES256": lambda: jwk.ECKey.generate_key("P-256", private=True),
            "ES384": lambda: jwk.ECKey.generate_key("P-384", private=True),
            "EdDSA": lambda: jwk.OKPKey.generate_key("Ed25519", private=True),
            "PS256": lambda: jwk.RSAKey.generate_key(2048, private=True),
        }[algorithm]()

    def thumbprint(self):
        return self.key.thumbprint()

    def members(self, private=False):
        return self.key.as_dict(private=private)

    def signed(self, header, payload):
        registry = jws.JWSRegistry(algorithms=[self.algorithm], strict_check_header=False)
        return jws.serialize_compact(header, payload, self.key, registry=registry)


class JWCrypto:
    """A key of jwcrypto."""

    name = "jwcrypto"

    def __init__(self, algorithm):
        self.algorithm = algorithm
        self.key = jwcrypto.jwk.JWK.generate(**{
            "ES256": {"kty": "EC", "crv": "P-256"}, "ES384": {"kty": "EC", "crv": "P-384"},
            "EdDSA": {"kty": "OKP", "crv": "Ed25519"}, "PS256": {"kty": "RSA", "size": 2048},
        }[algorithm])

    def thumbprint(self):
        return self.key.thumbprint()

    def members(self, private=False):
        return self.key.export(private_key=private, as_dict=True)

    def signed(self, header, payload):
        made = jwcrypto.jws.JWS(payload)
        made.allowed_algs = [self.algorithm]
        made.add_signature(self.key, self.algorithm, json.dumps(header))
        return made.serialize(compact=True)


def proof(key, sent, url, method="GET", age=0, header=None, **claims):
    members = {"typ": "dpop+jwt", "alg": key.algorithm, "jwk": key.members(), **(header or {})}
    payload = {
        "jti": str(uuid.uuid4()), "htm": method, "htu": url, "iat": int(time.time()) - age,
        "ath": encode(hashlib.sha256(sent.encode()).digest()), **claims,
    }
    payload = {name: value for name, value in payload.items() if value is not None}
    return key.signed(members, json.dumps(payload).encode())


def expect(words, status, found):
    global count
    count += 1
    if found != status:
        failures.append(f"{words}: {found} instead of {status}")


algorithms = ["ES256", "ES384", "EdDSA", "PS256"]
keys = [library(algorithm) for library in (JoseRFC, JWCrypto) for algorithm in algorithms]
stranger = JoseRFC("ES256")

for host, kind in hosts.items():
    for key in keys:
        client = f"{kind}, {key.name}, {key.algorithm}"
        bound = token({"jkt": key.thumbprint()})
        other = token({"jkt": key.thumbprint()})
        dpop = {"Authorization": "DPoP " + bound}
        url = f"https://{host}/pets/7"

        def attempt(words, status, method="GET", path="/pets/7", headers=dpop, **changes):
            arguments = {"key": key, "sent": bound, "url": url, "method": method}
            made = proof(**{**arguments, **changes})
            expect(f"{client}, {words}", status, send(host, path, {**headers, "DPoP": made}, method))

        attempt("a good proof", 200)
        attempt("a good proof for POST", 200, method="POST")
        attempt("a query is not in the URL of the proof", 200, path="/pets/7?limit=1")
        attempt("another spelling of the host", 200, url=f"HTTPS://{host.upper()}:443/pets/7")
        attempt("almost too old", 200, age=45)
        attempt("too old", 401, age=120)
        attempt("from the future", 401, age=-120)
        attempt("another URL", 401, url=f"https://{host}/pets/8")
        attempt("another host", 401, url="https://other.example/pets/7")
        attempt("http", 401, url=f"http://{host}/pets/7")
        expect(
            f"{client}, another method", 401,
            send(host, "/pets/7", {**dpop, "DPoP": proof(key, bound, url, "POST")}))
        attempt("another token", 401, sent=other)
        attempt("no ath", 401, ath=None)
        attempt("no jti", 401, jti=None)
        attempt("another type", 401, header={"typ": "JWT"})
        attempt("another key", 401, key=stranger)
        attempt("the private key in the header", 401, header={"jwk": key.members(private=True)})
        attempt("the scheme Bearer", 401, headers={"Authorization": "Bearer " + bound})
        expect(f"{client}, no proof", 401, send(host, "/pets/7", dpop))
        expect(
            f"{client}, two proofs", 401,
            send(host, "/pets/7", {**dpop, "DPoP": ", ".join(proof(key, bound, url) for _ in range(2))}))
    unbound = token(None)
    expect(f"{kind}, an unbound token", 200, send(host, "/pets/7", {"Authorization": "Bearer " + unbound}))
    expect(f"{kind}, an unbound token with DPoP", 401, send(host, "/pets/7", {"Authorization": "DPoP " + unbound}))



def socket(words, status, headers):
    """Opens a WebSocket. Status 101: it must answer a message."""
    uri = address.replace("https:", "wss:", 1) + "/Live/live"
    try:
        with connect(uri, ssl=trust, additional_headers=headers, open_timeout=60) as connection:
            connection.send(json.dumps({"action": "who"}))
            found = 101 if connection.recv(timeout=60) else 0
    except InvalidStatus as error:
        found = error.response.status_code
    expect(f"WebSocket, {words}", status, found)


key = keys[0]
bound = token({"jkt": key.thumbprint()})
made = {"DPoP": proof(key, bound, address + "/Live/live")}
socket("an unbound token", 101, {"Authorization": "Bearer " + unbound})
socket("no token", 401, {})
socket("a bound token", 401, {"Authorization": "Bearer " + bound})
socket("a bound token and its proof, which events do not carry", 401, {"Authorization": "DPoP " + bound, **made})

for failure in failures:
    print("  FAILED  " + failure)
print(f"check-bound: {count} requests of joserfc, jwcrypto and websockets, {len(failures)} with another status")
sys.exit(1 if failures else 0)
