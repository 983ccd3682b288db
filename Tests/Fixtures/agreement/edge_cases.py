"""The cases around the authorizer: routing, events, answers, backends, keys, policies, native authorizers, WebSockets."""
import base64
import json
import re
from dataclasses import dataclass, field

import edges
import wire
from cases import scripted, policy, statement

GUIDE = "API Gateway Developer Guide, "
LOCALSTACK = "localstack/localstack, recorded on AWS: "
# The sources of AWS's answers, as in `cases.SOURCES`.
SOURCES = {
    "pair": ("reported", "ministackorg/ministack#1423 and floci-io/floci#3399, both measured on AWS in 2026; `--assume rest-missing-method`"),
    "event": ("recorded", LOCALSTACK + "`test_apigateway_lambda.snapshot.json`, `test_lambda_aws_proxy_integration`"),
    "answer": ("recorded", LOCALSTACK + "`test_apigateway_lambda.snapshot.json`, the tests of proxy answers"),
    "proxy": ("documented", GUIDE + "Lambda proxy integrations in API Gateway: input and output format, 502 for another format"),
    "routes": ("documented", GUIDE + "Create routes for HTTP APIs"),
    "payload": ("documented", GUIDE + "Create AWS Lambda proxy integrations for HTTP APIs"),
    "stream": ("documented", GUIDE + "Set up a Lambda proxy integration with payload response streaming in API Gateway"),
    "trouble": ("documented", GUIDE + "Troubleshooting issues with HTTP API Lambda integrations"),
    "base64": ("reported", "ministackorg/ministack#766, measured on AWS"),
    "binary": ("documented and reported", GUIDE + "Binary media types for REST APIs; ministackorg/ministack#767, measured on AWS"),
    "greedy": ("documented", GUIDE + "Create a REST API with an HTTP proxy integration"),
    "remap": ("documented and recorded", GUIDE + "Amazon API Gateway important notes; " + LOCALSTACK
              + "`test_apigateway_integrations.snapshot.json`, `TestApiGatewayHeaderRemapping`"),
    "status": ("documented", GUIDE + "Gateway response types for API Gateway"),
    "mapping": ("documented", GUIDE + "Transform API requests and responses for HTTP APIs"),
    "keys": ("documented and reported", GUIDE + "Usage plans and API keys for REST APIs; Gateway response types; texts: serverless/serverless#2450, faiscadev/fakecloud#1117"),
    "resource": ("documented", GUIDE + "How API Gateway resource policies affect authorization workflow; AWS re:Post "
                 "Knowledge Center, HTTP 403 errors with a Lambda authorizer and a REST API; MiniStack has longer texts, which are accepted too"),
    "jwt": ("documented", GUIDE + "Control access to HTTP APIs with JWT authorizers; Troubleshooting issues with HTTP API JWT authorizers"),
    "rest-jwt": ("documented", GUIDE + "Control access to REST APIs using JWT authorizers; Attach a JWT authorizer to methods and "
                 "require scopes; API Gateway API Reference, JwtConfigurationInput, JwtIssuerInput, JwtAdditionalClaim"),
    "rest-claims": ("documented", GUIDE + "Pass JWT claims to your integration"),
    "pool": ("documented", GUIDE + "Control access to REST APIs using Amazon Cognito user pools as an authorizer"),
    "signed": ("documented and reported", GUIDE + "Control access to a REST API with IAM permissions; Gateway response types; ministackorg/ministack#1746"),
    "mock": ("documented", GUIDE + "Mock integrations for REST APIs; Mapping template transformations; Variables for data transformations"),
    "template": ("documented", GUIDE + "Mapping template transformations; Variables for data transformations"),
    "mocked": ("reported", "Stack Overflow, answers to question 47918477: the response template of a mock has no body of "
               "the request; what the request template sets in `$context.requestOverride` is there"),
    "throttle": ("documented", GUIDE + "Throttle requests to your REST APIs; Throttle requests to your HTTP APIs; bodies: "
                 "Gateway response types, pulumi/pulumi-aws#2363"),
    "half": ("open", "reported for 0 written by tools (pulumi/pulumi-aws#2363, terraform-aws-modules/"
             "terraform-aws-apigateway-v2#59), not for a missing number; `--assume missing-throttle-limit`"),
    "custom": ("recorded", LOCALSTACK + "`test_apigateway_lambda.snapshot.json`, the tests of custom integrations and selection patterns"),
    "validator": ("recorded", LOCALSTACK + "`test_apigateway_common.snapshot.json`, `test_api_gateway_request_validator`"),
    "quotas": ("documented", GUIDE + "Amazon API Gateway quotas; Gateway response types"),
    "size": ("open", "AWS documents the quota, but not the answer"),
    "slash": ("reported", "aws/chalice#65: `/dev/trailing-slash` and `/dev/trailing-slash/` answered by the same method on AWS; aws/aws-sam-cli#1495"),
    "type": ("open", "which `Content-Type` an answer with a status but without that header gets is not documented"),
    "messages": ("documented", GUIDE + "Create routes for WebSocket APIs; Set up route responses; Invoke your backend integration"),
    "forbidden": ("reported", "aws-samples/simple-websockets-chat-app#24: `Forbidden` for a message without a route, `Internal server error` for a function that fails"),
    "back": ("documented", GUIDE + "Use `@connections` commands in your backend service"),
    "invoke": ("documented and recorded", "Lambda API Reference, Invoke; localstack/localstack, recorded on AWS in November 2025"),
    "siblings": ("recorded", LOCALSTACK + "`test_apigateway_api.snapshot.json`, `test_create_proxy_resource_validation`"),
}

# Differences of serve from AWS that are known: (area, title).
KNOWN = set()


@dataclass(frozen=True)
class Probe:
    """A request, and what AWS answers; `None` is not compared. `holds` are members of the body; a pattern is searched.
    `sent` are headers of the answer; with `None` the header is absent."""

    path: str
    method: str = "GET"
    headers: tuple = ()
    body: bytes = b""
    status: int = 200
    answer: object = None
    holds: dict | None = None
    sent: dict | None = None
    kind: str | None = None
    before_stage: str = ""


@dataclass(frozen=True)
class EdgeCase:
    """A case around the authorizer. `run` replaces the probes: it gets a side and returns the differences."""

    area: str
    api: str
    title: str
    source: str
    probes: list = field(default_factory=list)
    run: object = None
    truth: str = ""
    only_serve: bool = False


def order(wanted):
    return (("Order", base64.urlsafe_b64encode(json.dumps(wanted).encode()).decode().rstrip("=")),)


def returned(answer):
    return order({"return": answer})


def bearer(headers):
    return tuple(headers.items())


def routing():
    go = lambda api, title, source, path, **more: EdgeCase("Routing", api, title, source, [Probe(path, **more)])
    to = lambda resource, **parameters: {"resource": resource, "pathParameters": parameters or None}
    http = lambda key, **parameters: {"routeKey": key, **({"pathParameters": parameters} if parameters else {})}
    return [
        go("Routes", "`GET /admin`, where `/admin` has only a guarded `POST`: an open `ANY /{proxy+}` answers", "pair",
           "/admin", holds=to("/{proxy+}", proxy="admin")),
        EdgeCase("Routing", "Routes", "`POST /admin` without a token", "pair", [
            Probe("/admin", "POST", status=401, answer={"message": "Unauthorized"})]),
        go("Routes", "`GET /users/me`, where `/users/me` has only `PATCH`: `/users/{id}` answers", "pair",
           "/users/me", holds=to("/users/{id}", id="me")),
        go("Routes", "`GET /jobs`, a path without methods: `/{proxy+}` answers", "pair", "/jobs",
           holds=to("/{proxy+}", proxy="jobs")),
        go("Routes", "`POST /jobs/x`, where `/jobs/{type}` has only `GET`: `/{proxy+}` answers", "pair", "/jobs/x",
           method="POST", holds=to("/{proxy+}", proxy="jobs/x")),
        go("Routes", "`GET /jobs/x`: the most specific resource with the method", "pair", "/jobs/x",
           holds=to("/jobs/{type}", type="x")),
        go("Routes", "a literal is before a parameter", "pair", "/a/b", holds=to("/a/b")),
        go("Routes", "a parameter is before a greedy parameter", "pair", "/a/7", holds=to("/a/{id}", id="7")),
        go("Routes", "a greedy parameter takes several segments", "event", "/x/y/z", holds=to("/{proxy+}", proxy="x/y/z")),
        go("Routes", "a slash at the end is in `path`, and not in the greedy parameter", "event", "/x/",
           holds={"path": "/x/", "pathParameters": {"proxy": "x"}, "requestContext": {"path": "/prod/x/"}}),
        go("Routes", "two slashes behind the stage count as one in `path` only", "event", "//a/b",
           holds={"resource": "/a/b", "path": "/a/b", "requestContext": {"path": "/prod//a/b"}}),
        EdgeCase("Routing", "Routes", "two slashes before the stage", "event", [
            Probe("/a/b", before_stage="/", holds={"resource": "/a/b"})]),
        go("Bare", "no resource has the method", "status", "/only", status=403,
           answer={"message": "Missing Authentication Token"}, kind="MissingAuthenticationTokenException"),
        go("Bare", "a slash behind a literal path makes no difference", "slash", "/only/", method="POST",
           holds={"resource": "/only", "path": "/only/"}),
        EdgeCase("Routing", "Siblings", "two siblings with different parameter names cannot be deployed", "siblings",
                 run=siblings, truth="`A sibling … already has a variable path part -- only one is allowed`"),
        go("HttpRoutes", "a full match is first", "routes", "/pets/dog/1", holds=http("GET /pets/dog/1")),
        go("HttpRoutes", "then a route with a parameter", "routes", "/pets/dog/2", holds=http("GET /pets/dog/{id}", id="2")),
        go("HttpRoutes", "then the longest greedy match", "routes", "/pets/cat/1",
           holds=http("GET /pets/{proxy+}", proxy="cat/1")),
        go("HttpRoutes", "another method: the greedy route for `ANY`", "routes", "/test/5", method="POST",
           holds=http("ANY /{proxy+}", proxy="test/5")),
        go("HttpRoutes", "the method of a full match differs", "routes", "/pets/dog/1", method="POST",
           holds=http("ANY /{proxy+}", proxy="pets/dog/1")),
        go("HttpDefault", "no route matches: `$default`", "routes", "/x/y", holds=http("$default") | {"rawPath": "/x/y"}),
        go("HttpDefault", "the method differs: `$default`", "routes", "/only", method="DELETE", holds=http("$default")),
        go("HttpDefault", "parameters are decoded", "routes", "/item/a%20b", holds=http("GET /item/{id}", id="a b")),
    ]


def events():
    go = lambda api, title, source, path, **more: EdgeCase("Proxy events", api, title, source, [Probe(path, **more)])
    typed = lambda kind: (("Content-Type", kind),)
    text = {"isBase64Encoded": False}
    encoded = lambda data: {"body": base64.b64encode(data).decode(), "isBase64Encoded": True}
    post = {"method": "POST"}
    cases = [
        go("RestEvent", "REST: absent members are null", "event", "/e", holds={
            "body": None, "queryStringParameters": None, "multiValueQueryStringParameters": None, "pathParameters": None,
            "stageVariables": None, "isBase64Encoded": False, "resource": "/e", "httpMethod": "GET"}),
        go("RestEvent", "REST: the context has the stage in its path", "event", "/e/7", holds={
            "path": "/e/7", "requestContext": {
                "path": "/prod/e/7", "resourcePath": "/e/{id}", "stage": "prod", "protocol": "HTTP/1.1", "httpMethod": "GET"}}),
        go("RestEvent", "REST: path parameters are as sent", "event", "/e/test%2Balias@example.com", holds={
            "path": "/e/test%2Balias@example.com", "pathParameters": {"id": "test%2Balias@example.com"}}),
        go("RestEvent", "REST: a query is decoded, `+` is a blank", "event", "/e?a=x+y&b=x%2By&c=%2F", holds={
            "queryStringParameters": {"a": "x y", "b": "x+y", "c": "/"}}),
        go("RestEvent", "REST: the last value of a parameter, and all of them", "event", "/e?p=1&p=2&p=3", holds={
            "queryStringParameters": {"p": "3"}, "multiValueQueryStringParameters": {"p": ["1", "2", "3"]}}),
        go("RestEvent", "REST: header names are as sent", "event", "/e", headers=(("tEsT-HEADeR", "aValUE"),), holds={
            "headers": {"tEsT-HEADeR": "aValUE"}, "multiValueHeaders": {"tEsT-HEADeR": ["aValUE"]}}),
        go("RestEvent", "REST: a body without binary media types is text", "binary", "/e", **post,
           headers=typed("application/octet-stream"), body=b"abc", holds=text | {"body": "abc"}),
        go("Binary", "REST: a body of a binary media type", "binary", "/e", **post,
           headers=typed("application/octet-stream"), body=b"\xff\x00", holds=encoded(b"\xff\x00")),
        go("Binary", "REST: a body of another type", "binary", "/e", **post, headers=typed("application/json"), body=b"{}",
           holds=text | {"body": "{}"}),
        go("Event1", "payload 1.0: version, and all values of a parameter", "payload", "/e?p=1&p=2", holds={
            "version": "1.0", "multiValueQueryStringParameters": {"p": ["1", "2"]}, "queryStringParameters": {"p": "2"}}),
        go("Event2", "payload 2.0: values joined by commas, and the raw query", "payload", "/e?p=1&p=2&q=3", holds={
            "version": "2.0", "rawQueryString": "p=1&p=2&q=3", "queryStringParameters": {"p": "1,2", "q": "3"}}),
        go("Event2", "payload 2.0: header names in lower case, repeated ones joined", "payload", "/e",
           headers=(("X-Two", "a"), ("X-Two", "b")), holds={"headers": {"x-two": "a,b"}}),
        go("Event2", "payload 2.0: cookies", "payload", "/e", headers=(("Cookie", "a=1; b=2"),), holds={
            "cookies": ["a=1", "b=2"]}),
        go("Event2", "payload 2.0: route key and method", "payload", "/e/7", holds={
            "routeKey": "ANY /e/{id}", "rawPath": "/e/7", "pathParameters": {"id": "7"},
            "requestContext": {"stage": "$default", "http": {"method": "GET", "path": "/e/7", "protocol": "HTTP/1.1"}}}),
    ]
    for kind in ("text/plain", "application/json", "application/xml", "application/javascript"):
        cases.append(go("Event2", f"payload 2.0: a body of {kind} is text", "base64", "/e", **post, headers=typed(kind),
                        body=b"{}", holds=text | {"body": "{}"}))
    for kind in ("application/x-www-form-urlencoded", "application/octet-stream", None):
        cases.append(go("Event2", f"payload 2.0: a body {'of ' + kind if kind else 'without a type'} is base64", "base64", "/e",
                        **post, headers=typed(kind) if kind else (), body=b"a=1", holds=encoded(b"a=1")))
    return cases


def answers():
    go = lambda api, title, source, made, **more: EdgeCase(
        "Proxy answers", api, title, source, [Probe("/e", headers=returned(made), **more)])
    failed = {"status": 502, "answer": {"message": "Internal server error"}, "kind": "InternalServerErrorException"}
    http_failed = {"status": 500, "answer": {"message": "Internal Server Error"}}
    hello = base64.b64encode(b"hello").decode()
    return [
        go("RestEvent", "REST: no `statusCode`", "answer", {"headers": {"X-A": "1"}, "body": "ok"}, status=200, answer="ok",
           sent={"X-A": "1"}),
        go("RestEvent", "REST: an unknown member", "answer", {"statusCode": 200, "wrongValue": 1}, **failed),
        go("RestEvent", "REST: the answer is a string", "proxy", "hello", **failed),
        go("RestEvent", "REST: the answer is a list", "proxy", [1], **failed),
        EdgeCase("Proxy answers", "RestEvent", "REST: the function fails", "proxy", [
            Probe("/e", headers=order({"error": "no"}), **failed)]),
        go("RestEvent", "REST: `headers` and `multiValueHeaders` are merged", "answer", {
            "statusCode": 200, "headers": {"x-value": "solo"}, "multiValueHeaders": {"X-Value": ["multi"]}},
           sent={"x-value": "multi, solo"}),
        go("RestEvent", "REST: several values of a header", "proxy", {
            "statusCode": 200, "multiValueHeaders": {"Set-Cookie": ["a=1", "b=2"]}}, sent={"Set-Cookie": "a=1, b=2"}),
        go("RestEvent", "REST: base64 without binary media types goes out as text", "answer", {
            "statusCode": 200, "body": hello, "isBase64Encoded": True}, answer=hello),
        EdgeCase("Proxy answers", "Binary", "REST: base64 for an `Accept` that is a binary media type", "binary", [
            Probe("/e", headers=returned({"statusCode": 200, "body": hello, "isBase64Encoded": True})
                  + (("Accept", "application/octet-stream"),), answer="hello")]),
        go("RestEvent", "REST: without a `Content-Type`", "type", {"statusCode": 200, "body": "x"},
           sent={"Content-Type": "application/json"}),
        go("RestEvent", "REST: the function's status and empty body", "proxy", {"statusCode": 204}, status=204),
        go("Event2", "payload 2.0: JSON without a `statusCode` is the body", "payload", {"message": "hello"},
           answer={"message": "hello"}, sent={"Content-Type": "application/json"}),
        go("Event2", "payload 2.0: so is a string", "payload", "Hello from Lambda!", answer="Hello from Lambda!",
           sent={"Content-Type": "application/json"}),
        go("Event2", "payload 2.0: each cookie is a header", "payload", {"statusCode": 200, "cookies": ["a=1", "b=2"]},
           sent={"Set-Cookie": "a=1, b=2"}),
        go("Event2", "payload 2.0: base64 is decoded", "payload", {
            "statusCode": 200, "body": hello, "isBase64Encoded": True}, answer="hello"),
        go("Event2", "payload 2.0: a status, no `Content-Type`", "type", {"statusCode": 200, "body": "x"},
           sent={"Content-Type": re.compile("(?i)^text/plain; ?charset=utf-8$")}),
        EdgeCase("Proxy answers", "Event2", "payload 2.0: the function fails", "trouble", [
            Probe("/e", headers=order({"error": "no"}), **http_failed)]),
        go("Event1", "payload 1.0: several values of a header", "payload", {
            "statusCode": 200, "multiValueHeaders": {"X-Two": ["a", "b"]}}, sent={"X-Two": "a, b"}),
        go("Event1", "payload 1.0: no `statusCode`", "trouble", {"message": "hello"}, **http_failed),
    ]


def streams():
    # MiniStack has no streams.
    go = lambda title, path="/s", **more: EdgeCase("Streams", "Streams", title, "stream", [Probe(path, **more)], only_serve=True)
    streamed = lambda metadata={}, **more: order({"stream": metadata, "text": "whole"} | more)
    parts = {"statusCode": 201, "headers": {"X-A": "1"}, "multiValueHeaders": {"X-B": ["2", "3"]}, "cookies": ["a=1", "b=2"]}
    return [
        go("metadata, a delimiter and the body", headers=streamed(parts), status=201, answer="whole", sent={
            "X-A": "1", "X-B": "2, 3", "Set-Cookie": "a=1, b=2"}),
        go("no member of the metadata", headers=streamed(), answer="whole"),
        go("the delimiter is after the first 16 KB", headers=streamed(pad=16384), status=500),
        go("the metadata is no JSON object", headers=streamed("text"), status=500),
        go("the function does not stream", headers=returned({"statusCode": 200, "body": "whole"}), status=500),
        go("called buffered: status and headers without the body", "/b", headers=streamed({
            "statusCode": 201, "headers": {"X-A": "1"}}), status=201, answer="", sent={"X-A": "1"}),
        go("the authorizer is first", "/guarded", headers=streamed(), status=401),
        go("an HTTP backend", "/h", holds={"path": "/h"}),
    ]


def backends():
    go = lambda api, title, source, path, **more: EdgeCase("HTTP backends", api, title, source, [Probe(path, **more)])
    return [
        go("Proxied", "REST: a greedy path keeps its slashes", "greedy", "/p/a/b", holds={"path": "/a/b"}),
        go("Proxied", "REST: method, query and body", "greedy", "/p/a?x=1", method="POST", body=b"hello",
           headers=(("Content-Type", "text/plain"),), holds={"method": "POST", "path": "/a?x=1", "body": "hello"}),
        go("Proxied", "REST: the backend gets its own `Host`", "remap", "/p/a", holds={
            "headers": {"host": re.compile(r"^127\.0\.0\.1:\d+$")}}),
        go("Proxied", "REST: the backend gets the ID of the API", "remap", "/p/a", holds={
            "headers": {"x-amzn-apigateway-api-id": re.compile(".")}}),
        go("Proxied", "REST: `Authorization` reaches the backend of a proxy", "remap", "/p/a",
           headers=(("Authorization", "Bearer x"),), holds={"headers": {"authorization": "Bearer x"}}),
        go("Proxied", "REST: `Server` and `Date` are remapped", "remap", "/p/a", sent={
            "x-amzn-Remapped-Server": re.compile("^Backend/1"), "x-amzn-Remapped-Date": re.compile("GMT$"), "X-Backend": "yes"}),
        go("Proxied", "REST: `Content-Length` is remapped", "remap", "/p/a", sent={
            "x-amzn-Remapped-Content-Length": re.compile(r"^\d+$")}),
        go("Proxied", "REST: a 401 of the backend, `WWW-Authenticate` is remapped", "remap", "/refused", status=401, sent={
            "x-amzn-Remapped-WWW-Authenticate": "Basic", "WWW-Authenticate": None}),
        go("Proxied", "REST: no backend listens", "status", "/silent", status=504),
        go("Proxied", "REST, mapped: the template is the body, and the answer is mapped", "remap", "/mapped", method="POST",
           body=b'{"n":"a"}', headers=(("Content-Type", "application/json"),), holds={
               "sent": '{"name":"a"}', "agent": re.compile("^AmazonAPIGateway_")}),
        go("HttpProxied", "HTTP: a greedy path, method and query", "greedy", "/p/a/b?x=1", method="POST", holds={
            "path": "/a/b?x=1", "method": "POST"}),
        go("HttpProxied", "HTTP: a header is added, the path is replaced", "mapping", "/q?name=kim", holds={
            "path": re.compile(r"^/changed"), "headers": {"x-added": "kim"}}),
        go("HttpProxied", "HTTP: status and headers of the backend", "mapping", "/p/refused", status=401, sent={
            "X-Backend": "yes"}),
    ]


def keys():
    go = lambda title, *probes: EdgeCase("API keys and usage plans", "Keyed", title, "keys", list(probes))
    key = lambda value, **more: Probe("/k", headers=(("x-api-key", value),), **more)
    refused = {"status": 403, "answer": {"message": "Forbidden"}, "kind": "ForbiddenException"}
    return [
        go("no key", Probe("/k", **refused)),
        go("an unknown key", key("unknown-key-unknown-key-unknown", **refused)),
        go("a key of a plan; the backend gets it", key(edges.KEY, holds={
            "requestContext": {"identity": {"apiKey": edges.KEY, "apiKeyId": re.compile(".")}}})),
        go("a key without a plan", key(edges.LONE_KEY, **refused)),
        go("a disabled key", key(edges.OFF_KEY, **refused)),
        go("the quota is used up", key(edges.QUOTA_KEY), key(
            edges.QUOTA_KEY, status=429, answer={"message": "Limit Exceeded"}, kind="LimitExceededException")),
        go("the burst is used up", key(edges.BURST_KEY), key(
            edges.BURST_KEY, status=429, answer={"message": "Too Many Requests"}, kind="TooManyRequestsException")),
        EdgeCase("API keys and usage plans", "Keyed", "a rate without a burst", "half", [
            key(edges.HALF_KEY, status=429, answer={"message": "Too Many Requests"})]),
    ]


def throttles():
    slow = {"status": 429, "answer": {"message": "Too Many Requests"}}
    go = lambda api, title, *probes: EdgeCase("Throttles of a stage", api, title, "throttle", list(probes))
    return [
        go("Slow", "REST: a burst of 1, and another method with a bucket of its own", Probe("/a"),
           Probe("/a", kind="TooManyRequestsException", **slow), Probe("/b")),
        go("HttpSlow", "HTTP: a burst of 1, and another route with a bucket of its own", Probe("/a"), Probe("/a", **slow),
           Probe("/b")),
    ]


def policies():
    go = lambda api, title, *probes: EdgeCase("Resource policies", api, title, "resource", list(probes), only_serve=True)
    anonymous = r"^User: anonymous is not authorized to perform: execute-api:Invoke on resource: arn:aws:execute-api:\S+"
    refused = lambda end: {"status": 403, "holds": {"Message": re.compile(anonymous + end + "$")}, "kind": "AccessDeniedException"}
    token = lambda *statements: bearer(scripted(policy(*statements)))
    allow, elsewhere, deny = statement(), statement("$stage/GET/other"), statement(effect="Deny")
    with_token = lambda status, *statements: Probe("/guarded", headers=token(*statements), status=status)
    return [
        go("Welcome", "the policy allows", Probe("/x")),
        go("Banned", "the policy denies the caller's address", Probe("/x", **refused(" with an explicit deny( in a resource-based policy)?"))),
        go("Silent", "the policy neither allows nor denies", Probe("/x", **refused("( because no resource-based policy allows the execute-api:Invoke action)?"))),
        go("Welcome", "authorizer silent, policy allows", with_token(200, elsewhere)),
        go("Welcome", "authorizer denies, policy allows", with_token(403, deny)),
        go("Banned", "authorizer allows, policy denies", with_token(403, allow)),
        go("Silent", "authorizer allows, policy silent", with_token(200, allow)),
        go("Silent", "authorizer and policy are silent", with_token(403, elsewhere)),
        go("Silent", "authorizer denies, policy silent", with_token(403, deny)),
        go("Welcome", "no token", Probe("/guarded", status=401)),
    ]


def natives():
    def go(api, title, source, path="/j", token=None, only_serve=True, **more):
        def run(side):
            headers = () if token is None else (("Authorization", token(side)),)
            return side.differences(api, Probe(path, headers=headers, **more))
        area = {"Jwt": "JWT authorizer of HTTP APIs", "RestJwt": "JWT authorizer of REST APIs", "Pool": "Cognito authorizer"}[api]
        # MiniStack has no JWT authorizers of REST APIs.
        only = api == "RestJwt" or only_serve and token is not None
        return EdgeCase(area, api, title, source, [Probe(path, **more)], run, only_serve=only)
    made = lambda name, prefix="Bearer ", **order: lambda side: prefix + side.token(authorizer=name, **order)
    fixed = lambda text: lambda side: text
    changed = lambda token: lambda side: (lambda text: text[:-8] + ("AAAAAAAA" if text[-8:] != "AAAAAAAA" else "BBBBBBBB"))(token(side))
    refused = {"status": 401, "answer": {"message": "Unauthorized"}}
    challenge = {"sent": {"www-authenticate": re.compile("^Bearer")}}
    forbidden = {"status": 403, "answer": {"message": "Forbidden"}}
    claims = lambda **found: {"requestContext": {"authorizer": {"jwt": {"claims": found}}}}
    users = lambda **found: {"requestContext": {"authorizer": {"claims": found}}}
    return [
        go("Jwt", "no token", "jwt", **refused, **challenge),
        go("Jwt", "not a JWT", "jwt", token=fixed("Bearer x.y.z"), only_serve=False, **refused, **challenge),
        go("Jwt", "a valid token; claims reach the backend as strings", "jwt", token=made("Token", user="kim"), holds=claims(
            sub="kim", aud=edges.AUDIENCE, iss=edges.ISSUER, exp=re.compile(r"^\d+$"))),
        go("Jwt", "a valid token without `Bearer `", "jwt", token=made("Token", "", user="kim")),
        go("Jwt", "an expired token", "jwt", token=made("Token", expires="-1h"), **refused),
        go("Jwt", "a changed signature", "jwt", token=changed(made("Token")), **refused),
        go("Jwt", "another audience", "jwt", token=made("Token", audience="another"), **refused),
        go("Jwt", "another issuer", "jwt", token=made("Token", claims={"iss": "https://other.example.com"}), **refused),
        go("Jwt", "`nbf` is in the future", "jwt", token=made("Token", claims={"nbf": 4102444800}), **refused),
        go("Jwt", "a scope of the route", "jwt", "/s", made("Token", scope="pets/read pets/write")),
        go("Jwt", "no scope of the route", "jwt", "/s", made("Token", scope="pets/write"), **forbidden),
        go("Jwt", "no scope at all", "jwt", "/s", made("Token"), **forbidden),
        go("RestJwt", "no token", "rest-jwt", **refused),
        go("RestJwt", "not a JWT", "rest-jwt", token=fixed("Bearer x.y.z"), **refused),
        go("RestJwt", "a valid token; claims reach the backend with their types", "rest-claims", token=made(
            "RestToken", user="kim", claims={"roles": ["user", "editor"], "level": 4, "version": "42", "address": {"city": "Oslo"}}),
           holds=users(sub="kim", org="acme", roles=["user", "editor"], level=4, version="42", address={"city": "Oslo"})),
        go("RestJwt", "an expired token", "rest-jwt", token=made("RestToken", expires="-1h"), **refused),
        go("RestJwt", "a changed signature", "rest-jwt", token=changed(made("RestToken")), **refused),
        go("RestJwt", "an algorithm that is not listed", "rest-jwt", token=made("RestToken", algorithm="RS512"), **refused),
        go("RestJwt", "another audience", "rest-jwt", token=made("RestToken", audience="another"), **refused),
        go("RestJwt", "another issuer", "rest-jwt", token=made("RestToken", claims={"iss": "https://other.example.com"}), **refused),
        go("RestJwt", "the issuer with another end", "rest-jwt", token=made("RestToken", claims={
            "iss": edges.ISSUER[:-1] if edges.ISSUER.endswith("/") else edges.ISSUER + "/"}), **refused),
        go("RestJwt", "another value of an additional claim", "rest-jwt", token=made("RestToken", claims={"org": "Acme"}), **refused),
        go("RestJwt", "an additional claim that is a list", "rest-jwt", token=made("RestToken", claims={"org": ["acme"]}), **refused),
        go("RestJwt", "a scope of the method", "rest-jwt", "/s", made("RestToken", scope="pets/read pets/write")),
        go("RestJwt", "no scope of the method", "rest-jwt", "/s", made("RestToken", scope="pets/write"), status=403),
        go("RestJwt", "no scope at all", "rest-jwt", "/s", made("RestToken"), status=403),
        go("Pool", "no token", "pool", **refused),
        go("Pool", "not a JWT", "pool", token=fixed("x.y.z"), only_serve=False, **refused),
        go("Pool", "an ID token; claims reach the backend", "pool", token=made("Users", "", user="kim"), holds=users(
            sub="kim", token_use="id")),
        go("Pool", "an expired ID token", "pool", token=made("Users", "", expires="-1h"), status=401),
        go("Pool", "a changed signature", "pool", token=changed(made("Users", "")), **refused),
        go("Pool", "an access token with a scope of the method", "pool", "/s", made("Users", "", scope="pets/read")),
        go("Pool", "an access token without it", "pool", "/s", made("Users", "", scope="pets/write"), **refused),
        go("Pool", "an ID token for a method with scopes", "pool", "/s", made("Users", ""), **refused),
        go("Pool", "an access token for a method without scopes", "pool", token=made("Users", "", scope="pets/read"), **refused),
    ]


def signatures():
    def go(title, sign=None, **more):
        def run(side):
            return side.differences("Signature", Probe("/i", **more), sign=sign)
        return EdgeCase("AWS_IAM", "Signature", title, "signed", [Probe("/i", **more)], run, only_serve=sign is not None)
    missing = {"status": 403, "answer": {"message": "Missing Authentication Token"}, "kind": "MissingAuthenticationTokenException"}
    return [
        go("no signature", **missing),
        go("a signature; the backend gets the caller", {}, holds={
            "requestContext": {"identity": {"accessKey": re.compile("."), "userArn": re.compile("^arn:aws:")}}}),
        go("signed with another secret", {"secret": "another secret"}, status=403, kind="InvalidSignatureException",
           holds={"message": re.compile("^The request signature we calculated does not match the signature you provided")}),
        go("signed by an unknown access key", {"key": "AKIAUNKNOWN000000000"}, status=403, kind="UnrecognizedClientException",
           answer={"message": "The security token included in the request is invalid."}),
        *handshakes(),
    ]


def handshakes():
    """Handshakes of a WebSocket API whose `$connect` has `AWS_IAM`."""
    def go(title, status, sign=None):
        def run(side):
            host, stage = side.address("Signed")
            headers = [] if sign is None else side.signed("GET", host, stage, **sign)
            try:
                wire.Client(side.port, host, stage, headers).close(1000)
                found = 101
            except wire.Refused as refused:
                found = int(str(refused).split()[1])
            return [] if found == status else [f"{found}"]
        return EdgeCase("AWS_IAM", "Signed", title, "signed", run=run, truth=str(status), only_serve=True)
    return [
        go("a handshake without a signature", 403), go("a signed handshake", 101, {}),
        go("a handshake signed with another secret", 403, {"secret": "another secret"}),
    ]


def mocks():
    go = lambda title, path, source="mock", **more: EdgeCase("Mock integrations", "Mocked", title, source, [Probe(path, **more)])
    post = lambda body: {"method": "POST", "body": body, "headers": (("Content-Type", "application/json"),)}
    return [
        go("the example of the guide: 200", "/guide?scope=internal", answer={"statusCode": 200, "message": "Go ahead without me."}),
        go("the example of the guide: 500", "/guide?scope=public", status=500, answer={"statusCode": 500, "message": "not supported"}),
        go("`$input.params` finds path, query and header", "/params/7?q=x", headers=(("X-H", "y"),), answer={
            "path": "7", "query": "x", "header": "y"}),
        go("the response template has no body of the request", "/body", "mocked", **post(b'{"text":"a"}'), answer={"text": ""}),
        go("`$context.requestOverride` of the request template is there", "/kept", "mocked", **post(b'{"text":"a"}'),
           answer={"text": "a"}),
        go("`$context`", "/context", answer={"method": "GET", "resource": "/context", "stage": "prod"}),
        go("`$stageVariables`", "/variables", answer={"tone": "calm"}),
        go("`$context.responseOverride`", "/override", status=418, answer={"kind": "pot"}, sent={"x-kind": "pot"}),
        go("a header of the response", "/header", sent={"X-Fixed": "yes"}),
        go("no response for the status, and no default", "/nothing", status=500, answer={"message": "Internal server error"}),
    ]


def customs():
    go = lambda title, source, path, **more: EdgeCase("Custom Lambda integrations", "Custom", title, source, [Probe(path, **more)])
    kind = lambda name: (("Content-Type", name),)
    validated = lambda title, path, names, **more: EdgeCase(
        "Custom Lambda integrations", "Validated", title, "validator", [Probe(path, status=400, answer={
            "message": f"Missing required request parameters: [{names}]"}, kind="BadRequestException", **more)])
    return [
        go("a request template makes the event", "custom", "/template?param1=foobar", answer={"param1": "foobar"}),
        go("without a template the body is the event", "custom", "/through", method="POST", body=b'{"message":"hello world"}',
           headers=kind("application/json"), answer={"message": "hello world"}),
        go("`$input.path` and `#foreach`", "template", "/loop", method="POST", body=b'{"items":[{"n":"a"},{"n":"b"}]}',
           headers=kind("application/json"), answer=[{"n": "a", "i": 0}, {"n": "b", "i": 1}]),
        go("`$util.escapeJavaScript`", "template", "/escaped", method="POST", body=b'{"text":"a \\"quoted\\" word"}',
           headers=kind("application/json"), answer={"text": 'a "quoted" word'}),
        go("`errorMessage` selects a response", "custom", "/choose?text=Error:+Raising+400+here", status=400, holds={
            "errorMessage": "Error: Raising 400 here"}),
        go("no pattern matches: the default response", "custom", "/choose?text=other", status=200, holds={"errorMessage": "other"}),
        go("`passthroughBehavior: never`, another type", "status", "/never", method="POST", body=b"x", headers=kind("text/plain"),
           status=415, answer={"message": "Unsupported Media Type"}, kind="UnsupportedMediaTypeException"),
        validated("required parameters are missing", "/v", "x-header-param, qs1"),
        validated("a required header is missing", "/v?qs1=1", "x-header-param"),
        validated("a required query parameter is missing", "/v", "qs1", headers=(("x-header-param", "1"),)),
    ]


def limits():
    go = lambda api, title, source, path, **more: EdgeCase("Limits", api, title, source, [Probe(path, **more)])
    over = b"x" * (10 * 1024 * 1024 + 1)
    text = (("Content-Type", "text/plain"),)
    return [
        go("RestEvent", "REST: a body over 10 MB", "quotas", "/e", method="POST", headers=text, body=over, status=413),
        go("Event2", "HTTP: a body over 10 MB", "quotas", "/e", method="POST", headers=text, body=over, status=413),
        EdgeCase("Limits", "Welcome", "REST: the ARN of a guarded method is over 1,600 bytes", "quotas", [
            Probe("/guarded/" + "x" * 1700, headers=bearer(scripted(policy(statement()))), status=414)]),
        EdgeCase("Limits", "Routes", "REST: a long path without an authorizer", "quotas", [Probe("/" + "x" * 1700)]),
        go("RestEvent", "REST: header values over 10,240 bytes", "size", "/e", headers=(("X-Long", "x" * 10300),), status=431),
        go("Event2", "HTTP: request line and headers over 10,240 bytes", "size", "/e", headers=(("X-Long", "x" * 10300),), status=431),
        go("RestEvent", "REST: a URL over 10,240 characters", "size", "/e/" + "x" * 10300, status=414),
    ]


def talk(title, source, truth, act, api="Talk"):
    """A case with a connection; `act` gets the side and the client, and returns the differences."""
    def run(side):
        client = side.connect(api)
        try:
            return act(side, client)
        finally:
            client.close()
    return EdgeCase("WebSocket messages", api, title, source, run=run, truth=truth)


def differs(found, wanted):
    return [] if found == wanted else [f"`{found}`"[:150] + f" instead of `{wanted}`"]


def said(client, message):
    """The event that a message made, from its reply."""
    client.send(message if isinstance(message, (str, bytes)) else json.dumps(message))
    return json.loads(client.receive())


def messages():
    def custom(side, client):
        event = said(client, {"action": "say", "text": "hi"})
        context = event["requestContext"]
        return differs((context["routeKey"], context["eventType"], context["messageDirection"], event["isBase64Encoded"]),
                       ("say", "MESSAGE", "IN", False))

    def body(side, client):
        return differs(said(client, '{"action":"say", "n" :1}')["body"], '{"action":"say", "n" :1}')

    def default(message):
        return lambda side, client: differs(said(client, message)["requestContext"]["routeKey"], "$default")

    def quiet(side, client):
        client.send('{"action":"quiet"}')
        return differs(said(client, {"action": "say"})["requestContext"]["routeKey"], "say")

    def status(side, client):
        client.send(json.dumps({"action": "say", "order": {"return": {"statusCode": 400, "body": "text"}}}))
        return differs(client.receive(), "text")

    def failing(side, client):
        client.send(json.dumps({"action": "say", "order": {"error": "no"}}))
        found = json.loads(client.receive())
        return differs((found.get("message"), sorted(found)), ("Internal server error", ["connectionId", "message", "requestId"]))

    def nowhere(side, client):
        client.send('{"action":"other"}')
        found = json.loads(client.receive())
        return differs((found.get("message"), sorted(found)), ("Forbidden", ["connectionId", "message", "requestId"]))

    def closing(data, opcode, code):
        def act(side, client):
            client.send(data, opcode)
            return differs(client.receive(), code)
        return act

    def leaving(side, client):
        said(client, {"action": "say"})
        before = side.events().count("$disconnect")
        client.close(1000)
        return [] if side.wait_for(lambda: side.events().count("$disconnect") > before) else ["`$disconnect` is not invoked"]

    def pushed(side, client):
        name = said(client, {"action": "say"})["requestContext"]["connectionId"]
        answer = side.connections("Talk", "POST", name, b"from the backend")
        return differs(answer.status, 200) or differs(client.receive(), "from the backend")

    def described(side, client):
        name = said(client, {"action": "say"})["requestContext"]["connectionId"]
        answer = side.connections("Talk", "GET", name)
        found = {key[:1].lower() + key[1:] for key in answer.body} if isinstance(answer.body, dict) else set()
        return differs(answer.status, 200) + [f"no `{key}`" for key in ("connectedAt", "identity", "lastActiveAt") if key not in found]

    def ended(side, client):
        name = said(client, {"action": "say"})["requestContext"]["connectionId"]
        answer = side.connections("Talk", "DELETE", name)
        return differs(answer.status, 204) or differs(isinstance(client.receive(), int), True)

    def gone(side, client):
        answer = side.connections("Talk", "POST", "AAAAAAAAAAAAAAA=", b"x")
        return differs((answer.status, (answer.value("x-amzn-ErrorType") or "").split(":")[0]), (410, "GoneException"))

    return [
        talk("the selection expression finds the route", "messages", "route `say`, `MESSAGE`, `IN`", custom),
        talk("the body of the event is the message", "messages", "unchanged", body),
        talk("no route has the key: `$default`", "messages", "route `$default`", default({"action": "other"})),
        talk("a message that is not JSON: `$default`", "messages", "route `$default`", default("hello")),
        talk("a route without a route response answers nothing", "messages", "nothing", quiet),
        talk("a route response has the body, whatever the status", "messages", "`text`", status),
        talk("the function fails", "forbidden", "`Internal server error` with `connectionId` and `requestId`", failing),
        talk("no route, and no `$default`", "forbidden", "`Forbidden` with `connectionId` and `requestId`", nowhere, "Strict"),
        talk("a frame over 32 KB", "messages", "closes with 1009", closing(b"x" * 33 * 1024, 1, 1009)),
        talk("a binary frame", "messages", "closes with 1003", closing(b"\x00", 2, 1003)),
        talk("the client leaves: `$disconnect`", "messages", "invoked", leaving),
        talk("`POST @connections`", "back", "200, and the client gets the message", pushed),
        talk("`GET @connections`", "back", "200 with times and identity", described),
        talk("`DELETE @connections`", "back", "204, and the connection closes", ended),
        talk("`@connections` of a connection that is gone", "back", "410 GoneException", gone),
    ]


def invocations():
    def go(title, truth, name, status, body=b"{}", headers=(), **wanted):
        def run(side):
            answer = side.invoke(name, body, headers)
            found = [] if answer.status == status else [f"{answer.status} `{json.dumps(answer.body)[:110]}`"]
            for header, value in wanted.get("sent", {}).items():
                found += [] if answer.value(header) == value else [f"{header} {answer.value(header)}"]
            if not found and "answer" in wanted:
                found += differs(answer.body, wanted["answer"])
            if not found and "message" in wanted:
                text = (answer.body.get("Message") or answer.body.get("message") or "") if isinstance(answer.body, dict) else ""
                found += [] if re.search(wanted["message"], text) else [f"message `{text}`"]
            return found
        return EdgeCase("Invoke API", "Invoke", title, "invoke", run=run, truth=truth)
    return [
        go("an invocation", "200 and the function's answer", "Edge", 200, b'{"a":1}', answer={"a": 1},
           sent={"X-Amz-Executed-Version": "$LATEST", "X-Amz-Function-Error": None}),
        go("the function fails", "200, `X-Amz-Function-Error: Unhandled`", "Edge", 200, b'{"fail":"no"}',
           sent={"X-Amz-Function-Error": "Unhandled"}),
        go("no such function", "404 `…:doesnotexist:$LATEST`", "doesnotexist", 404, sent={
            "x-amzn-ErrorType": "ResourceNotFoundException"}, message=r"^Function not found: arn:\S+:function:doesnotexist:\$LATEST$"),
        go("the body is not JSON", "400 InvalidRequestContentException", "Edge", 400, b"{", sent={
            "x-amzn-ErrorType": "InvalidRequestContentException"}, message="^Could not parse request body into json"),
        go("`Event`", "202", "Edge", 202, headers=(("X-Amz-Invocation-Type", "Event"),)),
        go("`DryRun`", "204", "Edge", 204, headers=(("X-Amz-Invocation-Type", "DryRun"),)),
        go("an event over 6 MB", "413", "Edge", 413, b'"' + b"x" * 6291457 + b'"'),
    ]


def siblings(side):
    return side.differences_of_siblings()


def all_cases():
    return [*routing(), *events(), *answers(), *streams(), *backends(), *keys(), *throttles(), *policies(), *natives(), *signatures(), *mocks(),
            *customs(), *messages(), *invocations(), *limits()]
