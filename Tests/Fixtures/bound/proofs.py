"""Sends requests with DPoP proofs of joserfc to `serve --tls`, and compares the statuses.

usage: proofs.py ADDRESS AUTHORITY.pem
"""

import base64
import hashlib
import json
import ssl
import sys
import time
import urllib.error
import urllib.request
import uuid
import warnings

from joserfc import jws, jwk

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


def proof(key, algorithm, sent, url, method="GET", age=0, header=None, **claims):
    members = {"typ": "dpop+jwt", "alg": algorithm, "jwk": key.as_dict(private=False), **(header or {})}
    payload = {
        "jti": str(uuid.uuid4()), "htm": method, "htu": url, "iat": int(time.time()) - age,
        "ath": encode(hashlib.sha256(sent.encode()).digest()), **claims,
    }
    payload = {name: value for name, value in payload.items() if value is not None}
    registry = jws.JWSRegistry(algorithms=[algorithm], strict_check_header=False)
    return jws.serialize_compact(members, json.dumps(payload).encode(), key, registry=registry)


def expect(words, status, found):
    global count
    count += 1
    if found != status:
        failures.append(f"{words}: {found} instead of {status}")


keys = {
    "ES256": jwk.ECKey.generate_key("P-256", private=True),
    "ES384": jwk.ECKey.generate_key("P-384", private=True),
    "EdDSA": jwk.OKPKey.generate_key("Ed25519", private=True),
    "PS256": jwk.RSAKey.generate_key(2048, private=True),
}
stranger = jwk.ECKey.generate_key("P-256", private=True)

for host, kind in hosts.items():
    for algorithm, key in keys.items():
        bound = token({"jkt": key.thumbprint()})
        other = token({"jkt": key.thumbprint()})
        dpop = {"Authorization": "DPoP " + bound}
        url = f"https://{host}/pets/7"

        def attempt(words, status, method="GET", path="/pets/7", headers=dpop, **changes):
            arguments = {"key": key, "algorithm": algorithm, "sent": bound, "url": url, "method": method}
            made = proof(**{**arguments, **changes})
            expect(f"{kind}, {algorithm}, {words}", status, send(host, path, {**headers, "DPoP": made}, method))

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
            f"{kind}, {algorithm}, another method", 401,
            send(host, "/pets/7", {**dpop, "DPoP": proof(key, algorithm, bound, url, "POST")}))
        attempt("another token", 401, sent=other)
        attempt("no ath", 401, ath=None)
        attempt("no jti", 401, jti=None)
        attempt("another type", 401, header={"typ": "JWT"})
        attempt("another key", 401, key=stranger, algorithm="ES256")
        attempt("the private key in the header", 401, header={"jwk": key.as_dict(private=True)})
        attempt("the scheme Bearer", 401, headers={"Authorization": "Bearer " + bound})
        expect(f"{kind}, {algorithm}, no proof", 401, send(host, "/pets/7", dpop))
        expect(
            f"{kind}, {algorithm}, two proofs", 401,
            send(host, "/pets/7", {**dpop, "DPoP": ", ".join(proof(key, algorithm, bound, url) for _ in range(2))}))
    unbound = token(None)
    expect(f"{kind}, an unbound token", 200, send(host, "/pets/7", {"Authorization": "Bearer " + unbound}))
    expect(f"{kind}, an unbound token with DPoP", 401, send(host, "/pets/7", {"Authorization": "DPoP " + unbound}))

for failure in failures:
    print("  FAILED  " + failure)
print(f"check-bound: {count} requests with proofs of joserfc, {len(failures)} with another status")
sys.exit(1 if failures else 0)
