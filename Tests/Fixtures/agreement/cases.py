"""The cases: the requests to both gateways, and AWS's answers with their sources."""
import base64
import json
import uuid
from dataclasses import dataclass, field, replace

# The sources of AWS's answers. `open` answers are undocumented, so a difference there is not a failure.
SOURCES = {
    "use": ("documented", "API Gateway Developer Guide, Use API Gateway Lambda authorizers; Call an API with a Lambda authorizer"),
    "output": ("documented", "API Gateway Developer Guide, Output from an API Gateway Lambda authorizer"),
    "configure": ("documented", "API Gateway Developer Guide, Configure an API Gateway Lambda authorizer"),
    "http": ("documented", "API Gateway Developer Guide, Control access to HTTP APIs with AWS Lambda authorizers"),
    "responses": ("documented", "API Gateway Developer Guide, Gateway response types; Known issues of REST APIs"),
    "iam": ("documented", "IAM User Guide, Policy evaluation logic; JSON policy elements: Action, Resource, NotAction, NotResource"),
    "service": ("documented", "IAM User Guide, JSON policy elements: Resource: no wildcard in the segment of the service"),
    "sid": ("documented", "IAM User Guide, JSON policy elements: Sid is unique within a policy; the answer is that to a malformed policy"),
    "403": ("documented", "AWS re:Post Knowledge Center, HTTP 403 errors with a Lambda authorizer and a REST API; "
            "published answers of AWS also have `… with an explicit deny in an identity-based policy`, so both texts are accepted"),
    "500": ("reported", "auth0-samples/jwt-rsa-aws-custom-authorizer#6, serverless/examples#305: AuthorizerConfigurationException"),
    "word": ("reported", "auth0-samples/jwt-rsa-aws-custom-authorizer#6: exactly `Unauthorized`, anything else is a 500"),
    "context": ("documented and reported", "Output page: no object or list in the context; dherault/serverless-offline#533, aws/chalice#1636: a 500"),
    "null": ("reported", "awslabs/aws-lambda-rust-runtime#863: a null Condition is a 500"),
    "case": ("reported", "aws/aws-lambda-java-libs#184: members in another case are a 500"),
    "socket": ("documented", "API Gateway Developer Guide, Control access to WebSocket APIs with REQUEST authorizers: statuses only"),
    "thrown": ("open", "the answer of an HTTP API to a thrown `Unauthorized` is not documented"),
    "failed": ("open", "the answer to a handshake if the authorizer of a WebSocket API fails is not documented"),
    "principal": ("open", "Output page: must include principalId; MiniStack's authors measured that AWS evaluates the policy without it"),
    "policy": ("open", "the answer of an HTTP API to a policy that is invalid in IAM is not documented"),
    "condition": ("open", "whether conditions of an authorizer's policy are evaluated is not documented"),
}


@dataclass(frozen=True)
class Answer:
    """AWS's answer; `None` is not compared. `holds` are members that the body must contain, `other` is another body that
    AWS is known to send."""

    status: int
    body: object = None
    error_type: str | None = None
    holds: dict | None = None
    calls: int | None = None
    other: object = None

    def invoked(self, calls):
        return replace(self, calls=calls)


@dataclass(frozen=True)
class Step:
    headers: dict
    truth: Answer
    path: str = "/pets"
    wait: float = 0.0


@dataclass(frozen=True)
class Case:
    api: str
    title: str
    source: str
    steps: list = field(default_factory=list)


OK = Answer(200)
REST_401 = Answer(401, {"message": "Unauthorized"}, "UnauthorizedException")
REST_EXPLICIT = Answer(
    403, {"Message": "User is not authorized to access this resource with an explicit deny"}, "AccessDeniedException",
    other={"Message": "User is not authorized to access this resource with an explicit deny in an identity-based policy"})
REST_IMPLICIT = Answer(403, {"Message": "User is not authorized to access this resource"}, "AccessDeniedException")
REST_500 = Answer(500, {"message": None}, "AuthorizerConfigurationException")
REST_NOWHERE = Answer(403, {"message": "Missing Authentication Token"}, "MissingAuthenticationTokenException")
HTTP_401 = Answer(401, {"message": "Unauthorized"})
HTTP_403 = Answer(403, {"message": "Forbidden"})
HTTP_500 = Answer(500, {"message": "Internal Server Error"})
HTTP_NOWHERE = Answer(404, {"message": "Not Found"})


def scripted(order):
    """The header that makes the scripted authorizer give this answer. Each is unique, so no case gets a cached answer."""
    text = json.dumps(order | {"nonce": uuid.uuid4().hex})
    return {"Authorization": "Script " + base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")}


def statement(resource="$stage/*", effect="Allow", action="execute-api:Invoke", **more):
    chosen = {"Effect": effect, "Action": action, "Resource": resource} | more
    return {name: value for name, value in chosen.items() if value is not ...}


def policy(*statements, context=None, **more):
    answer = {"principalId": "user-1", "policyDocument": {"Version": "2012-10-17", "Statement": list(statements)}}
    if context is not None:
        answer["context"] = context
    return {"respond": {name: value for name, value in (answer | more).items() if value is not ...}}


def once(api, title, source, order, truth, path="/pets"):
    return Case(api, title, source, [Step(scripted(order), truth, path)])


def real(good, expired, forbidden):
    """The shipped function as authorizer of each kind of API. The tokens are headers."""
    result = []
    for api, kind in (("RealToken", "TOKEN"), ("RealRequest", "REQUEST"), ("RealHttp1", "1.0"), ("RealHttp2", "2.0")):
        is_rest = kind in ("TOKEN", "REQUEST")
        refused, denied = (REST_401, REST_EXPLICIT) if is_rest else (HTTP_401, HTTP_403)
        principal = {"principalId": "001234.abc"}
        context = {"sub": "001234.abc"}
        holds = {"lambda": context} if kind == "2.0" else principal | context if is_rest else context
        page = "use" if is_rest else "http"
        thrown = "word" if is_rest else "thrown"
        result += [
            Case(api, "no token", page, [Step({}, refused)]),
            Case(api, "an empty token", page, [Step({"Authorization": ""}, refused)]),
            Case(api, "not a JWT: the function throws `Unauthorized`", thrown,
                 [Step({"Authorization": "Bearer x.y.z"}, refused)]),
            Case(api, "an expired token", thrown, [Step(expired, refused)]),
            Case(api, "a valid token; its subject reaches the backend", "output" if is_rest else "http",
                 [Step(good, Answer(200, holds=holds))]),
            Case(api, "a valid token that a rule refuses", "403" if is_rest else "http", [Step(forbidden, denied)]),
        ]
    return result + [
        Case("RealSocket", "no token", "socket", [Step({}, Answer(401))]),
        Case("RealSocket", "an expired token", "socket", [Step(expired, Answer(401))]),
        Case("RealSocket", "a valid token opens the connection", "socket", [Step(good, Answer(101))]),
        Case("RealSocket", "a valid token that a rule refuses", "socket", [Step(forbidden, Answer(403))]),
    ]


def verdicts(api, is_rest):
    """Policies that all kinds of API evaluate in the same way."""
    explicit, implicit = (REST_EXPLICIT, REST_IMPLICIT) if is_rest else (HTTP_403, HTTP_403)
    denial = "403" if is_rest else "http"
    rows = [
        ("Allow on the requested ARN", denial, [statement("$arn")], OK),
        ("Allow on the stage, `*` across `/`", "iam", [statement()], OK),
        ("`?` is one character", "iam", [statement("$stage/GET/p?ts")], OK),
        ("Resource as a list", "iam", [statement(["$stage/GET/dogs", "$stage/GET/pets"])], OK),
        ("explicit Deny", denial, [statement(effect="Deny")], explicit),
        ("Deny with an Allow for all", "iam", [statement("*"), statement("$arn", "Deny")], explicit),
        ("no statement matches", denial, [statement("$stage/GET/dogs")], implicit),
        ("a pattern is not a prefix", "iam", [statement("$stage/GET/pet")], implicit),
        ("a dot matches only a dot", "iam", [statement("$stage/GET/p.ts")], implicit),
        ("Action `execute-api:*`", "iam", [statement(action="execute-api:*")], OK),
        ("Action in another letter case", "iam", [statement(action="Execute-API:invoke")], OK),
        ("Action `s3:*` does not apply", "iam", [statement(action="s3:*")], implicit),
        ("NotAction", "iam", [statement(action=..., NotAction="execute-api:*")], implicit),
        ("NotResource", "iam", [statement(..., NotResource="$stage/GET/dogs")], OK),
        ("a Deny on another action with an Allow", "iam", [statement(), statement("*", "Deny", "s3:*")], OK),
    ]
    cases = [once(api, title, source, policy(*statements), truth) for title, source, statements, truth in rows]
    past = {"DateLessThan": {"aws:CurrentTime": "2020-01-01T00:00:00Z"}}
    return cases + [once(api, "Condition that is false", "condition", policy(statement(Condition=past)), implicit)]


def failures(api, is_rest):
    """Failures and invalid answers."""
    failed, source = (REST_500, "500") if is_rest else (HTTP_500, "http")
    rows = [
        ("another error is thrown", source, {"error": "no keys"}),
        ("the function exits", source, {"exit": 3}),
        ("the answer is not JSON", source, {"raw": "<html>"}),
        ("the answer is a string", source, {"respond": "Allow"}),
        ("no policyDocument", source, {"respond": {"principalId": "user-1"}}),
        ("`\"Condition\": null`", "null" if is_rest else "policy", policy(statement(Condition=None))),
        ("`statement` in lower case", "case" if is_rest else "policy", policy(
            policyDocument={"Version": "2012-10-17", "statement": [statement()]})),
    ]
    return [once(api, title, source_key, order, failed) for title, source_key, order in rows]


def rest():
    token = [
        *verdicts("Token", True), *failures("Token", True),
        once("Token", "Statement as an object", "iam", policy(
            policyDocument={"Version": "2012-10-17", "Statement": statement()}), OK),
        once("Token", "a wildcard in the service of a Resource never matches", "service", policy(statement("arn:aws:*:*:*:*")), REST_IMPLICIT),
        once("Token", "two statements with the same Sid", "sid", policy(
            statement("$arn", Sid="A"), statement("$arn", Sid="A")), REST_500),
        once("Token", "`Unauthorized` is thrown", "word", {"error": "Unauthorized"}, REST_401),
        once("Token", "`unauthorized` is thrown", "word", {"error": "unauthorized"}, REST_500),
        once("Token", "`[401] Unauthorized` is thrown", "word", {"error": "[401] Unauthorized"}, REST_500),
        once("Token", "an object in the context", "context", policy(statement(), context={"a": {"b": 1}}), REST_500),
        once("Token", "a list in the context", "context", policy(statement(), context={"a": [1]}), REST_500),
        once("Token", "no principalId", "principal", policy(statement(), principalId=...), REST_500),
        once("Token", "an empty principalId", "principal", policy(statement(), principalId=""), REST_500),
        once("Token", "the context reaches the backend as strings", "output",
             policy(statement(), context={"text": "a", "number": 1, "truth": True}),
             Answer(200, holds={"principalId": "user-1", "text": "a", "number": "1", "truth": "true"})),
        once("Token", "no such route", "responses", policy(statement()), REST_NOWHERE, "/cats"),
        Case("MatchedToken", "the validation expression does not match: the authorizer is not invoked", "use",
             [Step({"Authorization": "Basic abc"}, REST_401.invoked(0))]),
        Case("MatchedToken", "the validation expression matches only a part", "use",
             [Step({"Authorization": "Script abc def"}, REST_401.invoked(0))]),
        once("MatchedToken", "the validation expression matches", "use", policy(statement()), OK.invoked(1)),
        Case("Token", "no token: the authorizer is not invoked", "use", [Step({}, REST_401.invoked(0))]),
    ]
    request = [
        Case("Request", "one of two identity sources is missing: the authorizer is not invoked", "use",
             [Step(scripted(policy(statement())), REST_401.invoked(0))]),
        Case("Request", "one of two identity sources is empty: the authorizer is not invoked", "use",
             [Step(scripted(policy(statement())), REST_401.invoked(0), "/pets?tenant=")]),
        once("Request", "both identity sources", "use", policy(statement()), OK.invoked(1), "/pets?tenant=a"),
        once("Request", "explicit Deny", "403", policy(statement(effect="Deny")), REST_EXPLICIT, "/pets?tenant=a"),
        once("Request", "`Unauthorized` is thrown", "word", {"error": "Unauthorized"}, REST_401, "/pets?tenant=a"),
        once("Request", "another error is thrown", "500", {"error": "no keys"}, REST_500, "/pets?tenant=a"),
        Case("FreshRequest", "no TTL: the authorizer is invoked without an identity source", "use",
             [Step(scripted(policy(statement())), OK.invoked(1))]),
    ]
    return token + request + cached_rest()


def cached_rest():
    """The cache of a REST API."""
    narrow, wide, denied = scripted(policy(statement("$arn"))), scripted(policy(statement())), scripted(policy(statement(effect="Deny")))
    failing, thrown, malformed = scripted({"error": "x"}), scripted({"error": "Unauthorized"}), scripted({"respond": "x"})
    other, brief, fresh, both = (scripted(policy(statement())) for _ in range(4))
    return [
        Case("Token", "a narrow policy is cached and refuses another route", "configure",
             [Step(narrow, OK.invoked(1)), Step(narrow, REST_IMPLICIT.invoked(0), "/dogs"), Step(narrow, OK.invoked(0))]),
        Case("Token", "a policy for the stage is cached for all routes", "configure",
             [Step(wide, OK.invoked(1)), Step(wide, OK.invoked(0), "/dogs"), Step(wide, OK.invoked(0), "/pets/7")]),
        Case("Token", "a Deny is cached", "configure", [Step(denied, REST_EXPLICIT.invoked(1)), Step(denied, REST_EXPLICIT.invoked(0))]),
        Case("Token", "an error is not cached", "500", [Step(failing, REST_500.invoked(1)), Step(failing, REST_500.invoked(1))]),
        Case("Token", "`Unauthorized` is not cached", "word", [Step(thrown, REST_401.invoked(1)), Step(thrown, REST_401.invoked(1))]),
        Case("Token", "a malformed answer is not cached", "500",
             [Step(malformed, REST_500.invoked(1)), Step(malformed, REST_500.invoked(1))]),
        Case("Token", "another token is another cache entry", "use",
             [Step(other, OK.invoked(1)), Step(scripted(policy(statement(effect="Deny"))), REST_EXPLICIT.invoked(1))]),
        Case("Token", "a token at the first of two APIs", "use", [Step(both, OK.invoked(1))]),
        Case("OtherToken", "the same token at another API, which has its own cache", "use", [Step(both, OK.invoked(1)), Step(both, OK.invoked(0))]),
        Case("BriefToken", "an entry expires after its TTL of 1 s", "configure",
             [Step(brief, OK.invoked(1)), Step(brief, OK.invoked(0)), Step(brief, OK.invoked(1), wait=1.3)]),
        Case("FreshToken", "TTL 0 disables the cache", "configure", [Step(fresh, OK.invoked(1)), Step(fresh, OK.invoked(1))]),
        *cached_request(),
    ]


def cached_request():
    token = scripted(policy(statement(), context={"call": "$call"}))
    return [Case("Request", "the cache key includes all identity sources", "use", [
        Step(token, OK.invoked(1), "/pets?tenant=a"), Step(token, OK.invoked(0), "/pets?tenant=a"),
        Step(token, OK.invoked(1), "/pets?tenant=b"), Step(token, OK.invoked(0), "/dogs?tenant=a")])]


def http():
    typed = {"text": "a", "number": 1, "truth": True}
    cases = [*verdicts("Http2", False), *failures("Http2", False)]
    for api in ("Http1", "Http2", "Simple"):
        cases += [
            Case(api, "no token: the authorizer is not invoked", "http", [Step({}, HTTP_401.invoked(0))]),
            once(api, "`Unauthorized` is thrown", "thrown", {"error": "Unauthorized"}, HTTP_401),
            once(api, "another error is thrown", "http", {"error": "no keys"}, HTTP_500),
        ]
    cases += [
        once("Http1", "explicit Deny", "http", policy(statement(effect="Deny")), HTTP_403),
        once("Http1", "no statement matches", "http", policy(statement("$stage/GET/dogs")), HTTP_403),
        once("Http1", "the context reaches the backend as strings", "http", policy(statement(), context=typed),
             Answer(200, holds={"text": "a", "number": "1", "truth": "true"})),
        once("Http2", "the context reaches the backend with its types", "http",
             policy(statement(), context=typed | {"list": [1], "object": {"a": 1}}),
             Answer(200, holds={"lambda": typed | {"list": [1], "object": {"a": 1}}})),
        once("Http2", "a simple answer, but a policy is configured", "http", {"respond": {"isAuthorized": True}}, HTTP_500),
        once("Http2", "no such route", "http", policy(statement()), HTTP_NOWHERE, "/cats"),
        *simple(),
    ]
    narrow, unset = scripted(policy(statement("$arn"))), scripted(policy(statement()))
    again = scripted({"respond": {"isAuthorized": "false"}})
    yes = scripted({"respond": {"isAuthorized": True}})
    cases += [
        Case("Http2", "a narrow policy is cached and refuses another route", "http",
             [Step(narrow, OK.invoked(1)), Step(narrow, HTTP_403.invoked(0), "/dogs")]),
        Case("Simple", "a simple answer is cached for all routes", "http",
             [Step(yes, OK.invoked(1)), Step(yes, OK.invoked(0), "/dogs")]),
        Case("Simple", "a malformed answer is not cached", "http",
             [Step(again, HTTP_500.invoked(1)), Step(again, HTTP_500.invoked(1))]),
        Case("UnsetHttp", "without a TTL nothing is cached", "http",
             [Step(unset, OK.invoked(1)), Step(unset, OK.invoked(1))]),
    ]
    return cases


def socket():
    """Handshakes of a WebSocket API, which has no cache."""
    again = scripted(policy(statement("$arn")))
    return [
        Case("Socket", "no token: the authorizer is not invoked", "socket", [Step({}, Answer(401, calls=0))]),
        Case("Socket", "Allow on `$connect`; the authorizer is invoked each time", "socket",
             [Step(again, Answer(101, calls=1)), Step(again, Answer(101, calls=1))]),
        once("Socket", "`stage/*` reaches `$connect`", "iam", policy(statement()), Answer(101)),
        once("Socket", "`stage/*/*` does not reach `$connect`", "iam", policy(statement("$stage/*/*")), Answer(403)),
        once("Socket", "explicit Deny", "socket", policy(statement(effect="Deny")), Answer(403)),
        once("Socket", "`Unauthorized` is thrown", "socket", {"error": "Unauthorized"}, Answer(401)),
        once("Socket", "another error is thrown", "failed", {"error": "no keys"}, Answer(500)),
        once("Socket", "the answer is a string", "failed", {"respond": "Allow"}, Answer(500)),
    ]


def simple():
    rows = [
        ("`true`", True, OK), ("`false`", False, HTTP_403), ("`\"false\"`", "false", HTTP_500),
        ("`\"true\"`", "true", HTTP_500), ("`1`", 1, HTTP_500), ("`null`", None, HTTP_500),
    ]
    cases = [
        once("Simple", f"isAuthorized {name}", "http", {"respond": {"isAuthorized": value}}, truth)
        for name, value, truth in rows]
    return cases + [
        once("Simple", "no isAuthorized", "http", {"respond": {"context": {}}}, HTTP_500),
        once("Simple", "a policy, but a simple answer is configured", "http", policy(statement()), HTTP_500),
        once("Simple", "the context reaches the backend with its types", "http",
             {"respond": {"isAuthorized": True, "context": {"number": 1, "list": ["a"]}}},
             Answer(200, holds={"lambda": {"number": 1, "list": ["a"]}})),
    ]
