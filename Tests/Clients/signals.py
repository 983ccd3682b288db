"""Prints a key set, and logout tokens and security event tokens of joserfc with the expected statuses.

usage: signals.py NOW
"""

import json
import sys

from joserfc import jwk, jwt

NOW = int(sys.argv[1])
ISSUER = "https://id.example.com"
KEYS = {"RS256": jwk.RSAKey.generate_key(2048), "ES256": jwk.ECKey.generate_key("P-256")}
OTHER = jwk.RSAKey.generate_key(2048)
LOGOUT = {"http://schemas.openid.net/event/backchannel-logout": {}}
REVOKED = {
    "https://schemas.openid.net/secevent/caep/event-type/session-revoked": {
        "event_timestamp": NOW - 5
    }
}
USER = {"format": "iss_sub", "iss": ISSUER, "sub": "alice"}


def sign(typ, algorithm, key, claims):
    header = {"alg": algorithm, "kid": algorithm, "typ": typ}
    base = {"iss": ISSUER, "aud": "client", "iat": NOW, "jti": f"{typ}-{algorithm}-{len(tokens)}"}
    return jwt.encode(header, base | claims, key, algorithms=[algorithm])


tokens = []


def add(route, status, typ, claims, algorithm="RS256", key=None):
    text = sign(typ, algorithm, key or KEYS[algorithm], claims)
    tokens.append({"route": route, "status": status, "token": text})


for name in KEYS:
    add("logout", 200, "logout+jwt", {"exp": NOW + 120, "events": LOGOUT, "sub": "alice"}, name)
    add("logout", 200, "JWT", {"exp": NOW + 120, "events": LOGOUT, "sid": "s1"}, name)
    add("events", 202, "secevent+jwt", {"events": REVOKED, "sub_id": USER}, name)
add("logout", 400, "logout+jwt", {"exp": NOW + 120, "events": LOGOUT, "sub": "a", "nonce": "n"})
add("logout", 400, "logout+jwt", {"exp": NOW + 120, "events": LOGOUT, "sub": "alice"}, key=OTHER)
add("events", 400, "JWT", {"events": REVOKED, "sub_id": USER})
add("events", 400, "secevent+jwt", {"events": REVOKED, "sub_id": USER}, key=OTHER)
public = [key.as_dict(private=False) | {"kid": name, "alg": name} for name, key in KEYS.items()]
print(json.dumps({"keys": {"keys": public}, "tokens": tokens}))
