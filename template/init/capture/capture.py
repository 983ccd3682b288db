"""Writes the requests of an authorizer to its log, for `authorizer-local test`: without tokens, and with a pseudonym for
each word that is neither in a route nor in CAPTURE_KEEP."""

import base64, hmac, json, os, re, secrets, time
from urllib.parse import quote, unquote

KEY, WRITTEN, WORDS = secrets.token_bytes(32), set(), re.compile(r"[^ !-/:-@[-^`{-~]+")
KEEP = {"true", "false", *WORDS.findall(os.environ.get("CAPTURE_KEEP", ""))}


def code(text):
    return hmac.new(KEY, text.encode(), "sha256").hexdigest()[:12]


def pseudonym(found):
    text, isNumber = found[0], re.fullmatch("[0-9]+", found[0])
    return text if text in KEEP else str(int(code(text), 16)) if isNumber else "x" + code(text)


def hidden(value):
    if isinstance(value, dict):
        return {WORDS.sub(pseudonym, name): hidden(one) for name, one in value.items()}
    if isinstance(value, list):
        return [hidden(one) for one in value]
    if isinstance(value, str):
        return WORDS.sub(pseudonym, value)
    return value if value is None or isinstance(value, bool) or str(value) in KEEP else int(code(str(value)), 16)


def claim(name, value):
    isTime = name in ("exp", "iat", "nbf", "auth_time") and type(value) in (int, float) and abs(value) < 1e12
    return f"{(value - time.time()) // 60 + 1:+.0f}m" if isTime else hidden(value)


def recipe(token):
    header, claims = (json.loads(base64.urlsafe_b64decode(part + "==")) for part in token.split(".")[:2])
    alg, typ = str(header.get("alg")), str(header.get("typ") or "")
    kind = {"header": {"typ": typ if re.fullmatch(r"(at\+)?jwt", typ, re.I) else "x"}} if typ else {"omitHeader": "typ"}
    signed = {"algorithm": alg} if re.fullmatch("[RPEH]S(256|384|512)|EdDSA", alg) else {"damage": "dropSignature"}
    return {"claims": {name: claim(name, value) for name, value in claims.items()}, **kind, **signed}


def segment(text):
    return hidden(text) if text == unquote(text) else quote(hidden(unquote(text)), safe="")


def line(event):
    place, stage, verb, *rest = (event.get("methodArn") or event["routeArn"]).split("/")
    http = (event.get("requestContext") or {}).get("http") or {}
    method = http.get("method") or event.get("httpMethod") or verb
    path = event.get("rawPath") or event.get("path") or "/" + "/".join(rest)
    route = event.get("resource") or event.get("routeKey") or ""
    KEEP.update(WORDS.findall(f"{stage} {route}"))
    headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
    sent = event.get("authorizationToken") or headers.get("authorization") or ""
    scheme, token = re.fullmatch("((?:Bearer|DPoP) +)?(.*)", sent, re.I | re.S).groups("")
    request = {
        "type": event.get("type", ""), "version": event.get("version", ""), "method": method, "route": route,
        "arn": "/".join([re.sub(":[0-9]{12}:", ":123456789012:", place), stage, verb]),
        "path": "/".join(map(segment, path.split("/"))), "scheme": scheme,
    }
    tokens = {"captured": recipe(token)} if token else {}
    return json.dumps({"captured": 1, "request": request, "tokens": tokens}, ensure_ascii=False)


def captured(handler):
    def capturing(event, context):
        try:
            text = line(event)
            if len(WRITTEN) < 1000 and text not in WRITTEN:
                WRITTEN.add(text)
                print(text, flush=True)
        except Exception:
            print("capture: an event was left out", flush=True)
        return handler(event, context)

    return capturing
