"""Writes the events of an authorizer to its log, as `authorizer-local test` reads them: without tokens, and with a
pseudonym for each word that is in no route and not in CAPTURE_KEEP."""

import base64, functools, hmac, json, os, re, secrets, time
from urllib.parse import quote, unquote

KEY, WRITTEN, WORDS = secrets.token_bytes(32), set(), re.compile(r"[^ !-/:-@[-^`{-~]+")
TIMES = ("exp", "iat", "nbf", "auth_time")
KEEP = {"true", "false", *WORDS.findall(os.environ.get("CAPTURE_KEEP", ""))}


def pseudonym(found):
    text = hmac.new(KEY, found[0].encode(), "sha256").hexdigest()[:12]
    return found[0] if found[0] in KEEP else str(int(text, 16)) if re.fullmatch("[0-9]+", found[0]) else "x" + text


hide = functools.partial(WORDS.sub, pseudonym)


def hidden(value):
    if isinstance(value, dict):
        return {hide(name): hidden(one) for name, one in value.items()}
    if isinstance(value, list):
        return [hidden(one) for one in value]
    if isinstance(value, str):
        return hide(value)
    return value if value is None or isinstance(value, bool) else json.loads(hide(json.dumps(value)))


def path(text, _=None):
    segments = [(one, unquote(one)) for one in text.split("/")]
    return "/".join(hide(one) if one == plain else quote(hide(plain), safe="") for one, plain in segments)


def arn(text, _=None):
    parts = re.sub(":[0-9]{12}:", ":123456789012:", text).split("/", 3)
    return "/".join(parts[:3] + [path(one) for one in parts[3:]])


def recipe(token):
    header, claims = (json.loads(base64.urlsafe_b64decode(part + "==")) for part in token.split(".")[:2])
    for name, value in claims.items():
        seconds = value - time.time() if type(value) is int and name in TIMES else None
        minutes = f"{'+' if (seconds or 0) > 0 else '-'}{int(abs(seconds or 0) // 60) + 1}m"
        claims[name] = hidden(value) if seconds is None else minutes
    alg, typ = str(header.get("alg")), str(header.get("typ") or "")
    kind = {"header": {"typ": typ if re.fullmatch(r"(at\+)?jwt", typ, re.I) else "x"}} if typ else {"omitHeader": "typ"}
    signed = re.fullmatch("[RPEH]S(256|384|512)|EdDSA", alg)
    return {"claims": claims, **kind, **({"algorithm": alg} if signed else {"damage": "dropSignature"})}


def part(value, sign):
    return {name: MEMBERS[name](one, sign) if one else one for name, one in value.items() if name in MEMBERS}


# The members that are written, and how. `sign` replaces the token by its placeholder, and anything else by nothing.
SAME = "type version httpMethod method resource routeKey apiId stage eventType".split()
MEMBERS = {
    **{name: lambda value, _: value for name in SAME},
    "methodArn": arn, "routeArn": arn, "path": path, "rawPath": path,
    "requestContext": part, "http": part, "identity": part,
    "sourceIp": lambda *_: "203.0.113.24", "queryStringParameters": lambda *_: {},
    "pathParameters": lambda value, _: {name: path(one) for name, one in value.items()},
    "authorizationToken": lambda value, sign: sign(value),
    "identitySource": lambda value, sign: list(map(sign, value)) if isinstance(value, list) else sign(value),
    "headers": lambda value, sign: {name: sign(one) for name, one in value.items() if name.lower() == "authorization"},
}


def line(event):
    headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
    sent = event.get("authorizationToken") or headers.get("authorization") or ""
    scheme, token = re.fullmatch("((?:Bearer|DPoP) +)?(.*)", sent, re.I | re.S).groups("")
    stage = (event.get("requestContext") or {}).get("stage")
    KEEP.update(WORDS.findall(f"{event.get('resource')} {event.get('routeKey')} {stage}"))
    made = part(event, lambda value: scheme + "{{token captured}}" if value and value == sent else "")
    tokens = {"captured": recipe(token)} if token else {}
    return json.dumps({"captured": 1, "tokens": tokens, "event": made}, ensure_ascii=False)


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
