"""Writes the requests of an authorizer to its log, for `authorizer-local test`: without tokens, and with a pseudonym for
each word that is neither in a route nor in CAPTURE_KEEP."""

import base64, hmac, json, os, re, secrets, time
from urllib.parse import quote, unquote

KEY, WORDS, TIMES = secrets.token_bytes(32), re.compile(r"[^ !-/:-@[-^`{-~]+"), ("exp", "iat", "nbf", "auth_time")
KEEP = {"true", "false", "null", *WORDS.findall(os.environ.get("CAPTURE_KEEP", ""))}


def hide(text):
    return WORDS.sub(lambda found: found[0] if found[0] in KEEP else pseudonym(found[0]), text)


def pseudonym(word):
    code = hmac.new(KEY, word.encode(), "sha256").hexdigest()[:12]
    return str(int(code, 16)) if re.fullmatch("[0-9]+", word) else "x" + code


def claim(name, value):
    if name in TIMES and type(value) in (int, float):
        return f"{(value - time.time()) // 60 + 1:+.0f}m"
    return json.loads(hide(json.dumps(value, ensure_ascii=False)))


def recipe(token):
    header, claims = (json.loads(base64.urlsafe_b64decode(part + "==")) for part in token.split(".")[:2])
    alg, typ = str(header.get("alg")), str(header.get("typ") or "")
    kind = {"header": {"typ": typ if re.fullmatch(r"(at\+)?jwt", typ, re.I) else "x"}} if typ else {"omitHeader": "typ"}
    signed = {"algorithm": alg} if re.fullmatch("[RPEH]S(256|384|512)|EdDSA", alg) else {"damage": "dropSignature"}
    return {"claims": {name: claim(name, value) for name, value in claims.items()}, **kind, **signed}


def line(event):
    arn = re.sub(":[0-9]{12}:", ":123456789012:", event.get("methodArn") or event["routeArn"]).split("/")
    route = event.get("resource") or event.get("routeKey")
    KEEP.update(WORDS.findall(f"{arn[1]} {route}"))
    arn[3:] = [hide(part) if part == unquote(part) else quote(hide(unquote(part)), safe="") for part in arn[3:]]
    headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
    sent = event.get("authorizationToken") or headers.get("authorization") or ""
    scheme, token = re.fullmatch("((?:Bearer|DPoP) +)?(.*)", sent, re.I | re.S).groups("")
    request = {"type": event["type"], "version": event.get("version"), "arn": "/".join(arn), "route": route, "scheme": scheme}
    tokens = {"captured": recipe(token)} if token else {}
    return json.dumps({"captured": 1, "request": request, "tokens": tokens}, ensure_ascii=False)


def captured(handler):
    def capturing(event, context):
        try:
            print(line(event), flush=True)
        except Exception:
            print("capture: an event was left out", flush=True)
        return handler(event, context)

    return capturing
