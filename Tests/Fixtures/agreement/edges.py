"""The APIs around the authorizer: OpenAPI documents for both gateways, and the resources of WebSocket APIs."""
from dataclasses import dataclass, field

KEY = "agreement-key-of-the-plan-000001"
LONE_KEY = "agreement-key-without-plan-00001"
OFF_KEY = "agreement-key-that-is-off-000001"
QUOTA_KEY = "agreement-key-with-a-quota-00001"
BURST_KEY = "agreement-key-with-a-burst-00001"
HALF_KEY = "agreement-key-without-burst-0001"
ISSUER, AUDIENCE = "https://issuer.example.com", "agreement"
POOL = "arn:aws:cognito-idp:us-east-1:123456789012:userpool/us-east-1_Agreement"
GUARD = {"Guard": []}


@dataclass(frozen=True)
class Target:
    """Where integrations go: the URI of each function, and the address of the HTTP backend."""

    uri: object
    backend: str


@dataclass(frozen=True)
class EdgeAPI:
    name: str
    is_rest: bool
    paths: object  # of an OpenAPI document, made for a target
    schemes: object = None
    extra: dict = field(default_factory=dict)  # properties of a SAM API
    plans: tuple = ()
    policy: tuple | None = None

    def document(self, target):
        paths = self.paths(target)
        if self.is_rest:
            for operations in paths.values():
                for operation in operations.values():
                    operation["x-amazon-apigateway-integration"].pop("payloadFormatVersion", None)
        document = {"openapi": "3.0.1", "info": {"title": self.name, "version": "1"}, "paths": paths}
        if self.schemes:
            document["components"] = {"securitySchemes": self.schemes(target)}
        if self.policy:
            document["x-amazon-apigateway-policy"] = {"Version": "2012-10-17", "Statement": list(self.policy)}
        return document


def call(target, function="Edge", version=None, **more):
    """A Lambda proxy integration."""
    return {"x-amazon-apigateway-integration": {
        "type": "aws_proxy", "httpMethod": "POST", "uri": target.uri(function),
        "payloadFormatVersion": version or "1.0"}} | more


def stream(target, **more):
    """A Lambda proxy integration that streams."""
    change = lambda text: text.replace("2015-03-31", "2021-11-15").replace("/invocations", "/response-streaming-invocations")
    uri = target.uri("Edge")
    made = {"type": "aws_proxy", "httpMethod": "POST", "responseTransferMode": "STREAM",
            "uri": {"Fn::Sub": change(uri["Fn::Sub"])} if isinstance(uri, dict) else change(uri)}
    return {"x-amazon-apigateway-integration": made} | more


def proxy(target, path, method="ANY", **more):
    """An HTTP proxy integration."""
    return {"x-amazon-apigateway-integration": {
        "type": "http_proxy", "httpMethod": method, "uri": target.backend + path, "payloadFormatVersion": "1.0"} | more}


def mapped(kind, templates, responses, **more):
    """A mapped integration; the responses of the method are those of the integration."""
    codes = {response["statusCode"] for response in responses.values()}
    return {"responses": {code: {"description": ""} for code in sorted(codes)}, "x-amazon-apigateway-integration": {
        "type": kind, "requestTemplates": templates, "responses": responses} | more}


ANY = "x-amazon-apigateway-any-method"
MOCK = {"application/json": '{"statusCode": 200}'}


def json_response(text, status="200"):
    return {"statusCode": status, "responseTemplates": {"application/json": text}}


def answering(text, **more):
    """A mock that answers with this template."""
    return mapped("mock", MOCK, {"default": json_response(text)}, **more)


def guard(target):
    return {"Guard": {
        "type": "apiKey", "name": "Authorization", "in": "header", "x-amazon-apigateway-authtype": "custom",
        "x-amazon-apigateway-authorizer": {
            "type": "token", "authorizerUri": target.uri("Scripted"), "authorizerResultTtlInSeconds": 0}}}


def routes(target):
    one = lambda **more: call(target, **more)
    return {
        "/{proxy+}": {ANY: one()}, "/admin": {"post": one(security=[GUARD])}, "/users/me": {"patch": one()},
        "/users/{id}": {"get": one()}, "/a/b": {"get": one()}, "/a/{id}": {"get": one()},
        "/a/{id}/c": {"get": one()}, "/jobs/{type}": {"get": one()}}


def http_routes(target):
    one = lambda: call(target, version="2.0")
    return {
        "/pets/dog/1": {"get": one()}, "/pets/dog/{id}": {"get": one()}, "/pets/{proxy+}": {"get": one()},
        "/{proxy+}": {ANY: one()}}


def default_routes(target):
    one = lambda: call(target, version="2.0")
    return {"/only": {"get": one()}, "/item/{id}": {"get": one()}, "/$default": {ANY: one()}}


def backends(target):
    path = {"requestParameters": {"integration.request.path.proxy": "method.request.path.proxy"}}
    parameters = [{"name": "proxy", "in": "path", "required": True, "schema": {"type": "string"}}]
    return {
        "/p/{proxy+}": {ANY: proxy(target, "/{proxy}", **path) | {"parameters": parameters}},
        "/refused": {"get": proxy(target, "/refused", "GET")},
        "/mapped": {"post": mapped(
            "http", {"application/json": '{"name":$input.json("$.n")}'},
            {"default": json_response('{"sent":$input.json("$.body"),"agent":$input.json("$.headers.user-agent")}')},
            httpMethod="POST", uri=target.backend + "/mapped")},
        "/silent": {"get": {"x-amazon-apigateway-integration": {
            "type": "http_proxy", "httpMethod": "GET", "uri": "http://127.0.0.1:9/"}}}}


def http_backends(target):
    return {"/p/{proxy+}": {ANY: proxy(target, "/{proxy}")}, "/q": {"get": proxy(
        target, "/q", "GET", requestParameters={
            "append:header.x-added": "$request.querystring.name", "overwrite:path": "/changed"})}}


def mocks(target):
    choice = '{#if($input.params("scope") == "internal")"statusCode": 200#else"statusCode": 500#end}'
    return {
        "/guide": {"get": mapped("mock", {"application/json": choice}, {
            "200": json_response('{"statusCode": 200, "message": "Go ahead without me."}'),
            "500": json_response('{"statusCode": 500, "message": "not supported"}', "500")})},
        "/params/{id}": {"get": answering(
            '{"path":"$input.params("id")","query":"$input.params("q")","header":"$input.params("X-H")"}')},
        "/body": {"post": answering('{"text":"$input.path("$.text")"}')},
        "/kept": {"post": mapped("mock", {
            "application/json": '#set($context.requestOverride.path.body = $input.body){"statusCode":200}'},
            {"default": json_response("$context.requestOverride.path.body")})},
        "/context": {"get": answering(
            '{"method":"$context.httpMethod","resource":"$context.resourcePath","stage":"$context.stage"}')},
        "/variables": {"get": answering('{"tone":"$stageVariables.tone"}')},
        "/override": {"get": answering(
            '#set($context.responseOverride.status = 418)'
            '#set($context.responseOverride.header.x-kind = "pot"){"kind":"pot"}')},
        "/header": {"get": mapped("mock", MOCK, {"default": {
            "statusCode": "200", "responseParameters": {"method.response.header.X-Fixed": "'yes'"},
            "responseTemplates": {"application/json": "{}"}}}) | {
                "responses": {"200": {"description": "", "headers": {"X-Fixed": {"schema": {"type": "string"}}}}}}},
        "/nothing": {"get": mapped("mock", {"application/json": '{"statusCode": 404}'}, {
            "200": json_response("{}")})},
    }


LOOP = ('#set($all = $input.path("$.items"))[#foreach($one in $all){"n":"$one.n","i":$foreach.index}'
        '#if($foreach.hasNext),#end#end]')
ESCAPED = '{"text":"$util.escapeJavaScript($input.path("$.text"))"}'


def customs(target):
    one = lambda templates, responses, **more: mapped(
        "aws", templates, responses, httpMethod="POST", uri=target.uri("Edge"), **more)
    plain = {"default": {"statusCode": "200"}}
    return {
        "/template": {"get": one({"application/json": '{"param1": "$input.params(\'param1\')"}'}, plain)},
        "/through": {"post": one({}, plain)},
        "/loop": {"post": one({"application/json": LOOP}, plain)},
        "/escaped": {"post": one({"application/json": ESCAPED}, plain)},
        "/never": {"post": one({"application/json": "{}"}, plain, passthroughBehavior="never")},
        "/choose": {"get": one(
            {"application/json": '{"fail": "$input.params(\'text\')"}'},
            {"default": {"statusCode": "200"}, ".*400.*": {"statusCode": "400"}, ".*405.*": {"statusCode": "405"}})},
    }


def validated(target):
    return {"/v": {"get": call(target) | {"x-amazon-apigateway-request-validator": "all", "parameters": [
        {"name": "x-header-param", "in": "header", "required": True, "schema": {"type": "string"}},
        {"name": "qs1", "in": "query", "required": True, "schema": {"type": "string"}}]}}}


def scheme(kind, **authorizer):
    made = {"type": "apiKey", "name": "Authorization", "in": "header", "x-amazon-apigateway-authtype": kind}
    return made | ({"x-amazon-apigateway-authorizer": authorizer} if authorizer else {})


JWT = {"Token": {"type": "oauth2", "x-amazon-apigateway-authorizer": {
    "type": "jwt", "identitySource": "$request.header.Authorization",
    "jwtConfiguration": {"issuer": ISSUER, "audience": [AUDIENCE]}}}}
REST_JWT = {"RestToken": scheme(
    "jwt", type="jwt", identitySource="method.request.header.Authorization", jwtConfiguration={
        "defaultAlgorithms": ["RS256"], "issuers": [{"issuer": ISSUER, "audiences": [AUDIENCE], "additionalClaims": [
            {"claimName": "org", "format": "SINGLE_STRING", "expectedValues": ["acme"], "required": True}]}]})}
SIGNED = [{"Signed": []}]


def statement(effect="Allow", **more):
    return {"Effect": effect, "Principal": "*", "Action": "execute-api:Invoke", "Resource": "execute-api:/*"} | more


HERE = {"IpAddress": {"aws:SourceIp": ["127.0.0.0/8"]}}
ELSEWHERE = {"IpAddress": {"aws:SourceIp": ["192.0.2.0/24"]}}


def open_and_guarded(target):
    return {"/x": {"get": call(target)}, "/guarded": {"get": call(target, security=[GUARD])},
            "/guarded/{id}": {"get": call(target, security=[GUARD])}}


def event_paths(version):
    return lambda target: {"/e": {ANY: call(target, version=version)}, "/e/{id}": {ANY: call(target, version=version)}}


ALL = (
    EdgeAPI("Routes", True, routes, guard),
    EdgeAPI("Bare", True, lambda target: {"/only": {"post": call(target)}}),
    EdgeAPI("HttpRoutes", False, http_routes),
    EdgeAPI("HttpDefault", False, default_routes),
    EdgeAPI("RestEvent", True, event_paths(None)),
    EdgeAPI("Binary", True, event_paths(None), extra={"BinaryMediaTypes": ["application/octet-stream"]}),
    EdgeAPI("Event1", False, event_paths("1.0")),
    EdgeAPI("Event2", False, event_paths("2.0")),
    EdgeAPI("Streams", True, lambda target: {
        "/s": {"get": stream(target)}, "/guarded": {"get": stream(target, security=[GUARD])}, "/b": {"get": call(target)},
        "/h": {"get": proxy(target, "/h", "GET", responseTransferMode="STREAM")}}, guard),
    EdgeAPI("Proxied", True, backends),
    EdgeAPI("HttpProxied", False, http_backends),
    EdgeAPI("Keyed", True, lambda target: {"/k": {"get": call(target, security=[{"Key": []}])}},
            lambda target: {"Key": {"type": "apiKey", "name": "x-api-key", "in": "header"}},
            plans=(("Plan", {}, (KEY, OFF_KEY)), ("Quota", {"Quota": {"Limit": 1, "Period": "MONTH"}}, (QUOTA_KEY,)),
                   ("Burst", {"Throttle": {"BurstLimit": 1, "RateLimit": 0.001}}, (BURST_KEY,)),
                   ("Half", {"Throttle": {"RateLimit": 5}}, (HALF_KEY,)))),
    EdgeAPI("Slow", True, lambda target: {"/a": {"get": call(target)}, "/b": {"get": call(target)}},
            extra={"MethodSettings": [{
                "HttpMethod": "*", "ResourcePath": "/*", "ThrottlingBurstLimit": 1, "ThrottlingRateLimit": 0.001}]}),
    EdgeAPI("HttpSlow", False, lambda target: {
        "/a": {"get": call(target, version="2.0")}, "/b": {"get": call(target, version="2.0")}},
        extra={"DefaultRouteSettings": {"ThrottlingBurstLimit": 1, "ThrottlingRateLimit": 0.001}}),
    EdgeAPI("Welcome", True, open_and_guarded, guard, policy=(statement(),)),
    EdgeAPI("Banned", True, open_and_guarded, guard, policy=(statement(), statement("Deny", Condition=HERE))),
    EdgeAPI("Silent", True, open_and_guarded, guard, policy=(statement(Condition=ELSEWHERE),)),
    EdgeAPI("Jwt", False, lambda target: {
        "/j": {"get": call(target, version="2.0", security=[{"Token": []}])},
        "/s": {"get": call(target, version="2.0", security=[{"Token": ["pets/read"]}])}}, lambda target: JWT),
    EdgeAPI("RestJwt", True, lambda target: {
        "/j": {"get": call(target, security=[{"RestToken": []}])},
        "/s": {"get": call(target, security=[{"RestToken": ["pets/read"]}])}}, lambda target: REST_JWT),
    EdgeAPI("Pool", True, lambda target: {
        "/j": {"get": call(target, security=[{"Users": []}])},
        "/s": {"get": call(target, security=[{"Users": ["pets/read"]}])}},
        lambda target: {"Users": scheme("cognito_user_pools", type="cognito_user_pools", providerARNs=[POOL])}),
    EdgeAPI("Signature", True, lambda target: {"/i": {ANY: call(target, security=SIGNED)}},
            lambda target: {"Signed": scheme("awsSigv4")}),
    EdgeAPI("Mocked", True, mocks, extra={"Variables": {"tone": "calm"}}),
    EdgeAPI("Custom", True, customs),
    EdgeAPI("Validated", True, validated),
    EdgeAPI("Siblings", True, lambda target: {"/s/{x}": {"get": call(target)}, "/s/{y}/c": {"get": call(target)}}),
)

# Routes of the WebSocket APIs, and whether each has a route response.
SOCKETS = {
    "Talk": {"$connect": False, "$disconnect": False, "say": True, "quiet": False, "$default": True},
    "Strict": {"say": True},
    "Signed": {"$connect": False, "say": True},
}
FUNCTIONS = ("Edge", "Scripted")


def lambda_uri(function):
    call = "lambda:path/2015-03-31/functions/${%s.Arn}/invocations" % function
    return {"Fn::Sub": "arn:${AWS::Partition}:apigateway:${AWS::Region}:" + call}


def socket_resources(name, keys):
    """The resources of a WebSocket API whose routes call the function `Edge`."""
    api, integration = {"ApiId": {"Ref": name}}, f"{name}Integration"
    parts = {
        name: ("Api", {"Name": name, "ProtocolType": "WEBSOCKET", "RouteSelectionExpression": "$request.body.action"}),
        integration: ("Integration", api | {"IntegrationType": "AWS_PROXY", "IntegrationUri": lambda_uri("Edge")}),
        f"{name}Deployment": ("Deployment", api),
        f"{name}Stage": ("Stage", api | {"DeploymentId": {"Ref": f"{name}Deployment"}, "StageName": "live"}),
    }
    for key, replies in keys.items():
        route = f"{name}{key.strip('$').title()}Route"
        reply = {"RouteResponseSelectionExpression": "$default"} if replies else {}
        parts[route] = ("Route", api | {
            "RouteKey": key, "AuthorizationType": "AWS_IAM" if (name, key) == ("Signed", "$connect") else "NONE", "Target": {"Fn::Sub": "integrations/${%s}" % integration}} | reply)
        if replies:
            parts[f"{route}Response"] = ("RouteResponse", api | {
                "RouteId": {"Ref": route}, "RouteResponseKey": "$default"})
    return {part: {"Type": f"AWS::ApiGatewayV2::{kind}", "Properties": properties}
            for part, (kind, properties) in parts.items()}


def plan_resources(api):
    """The usage plans of an API, their keys, and a key without a plan."""
    made, keys = {}, {LONE_KEY: "Lone"}
    for plan, limits, values in api.plans:
        made[plan] = ("UsagePlan", {"UsagePlanName": plan, "ApiStages": [
            {"ApiId": {"Ref": api.name}, "Stage": {"Ref": f"{api.name}.Stage"}}]} | limits)
        for index, value in enumerate(values):
            keys[value] = f"{plan}Key{index}"
            made[f"{plan}Use{index}"] = ("UsagePlanKey", {
                "KeyId": {"Ref": keys[value]}, "KeyType": "API_KEY", "UsagePlanId": {"Ref": plan}})
    for value, name in keys.items():
        made[name] = ("ApiKey", {"Name": name, "Enabled": value != OFF_KEY, "Value": value})
    return {name: {"Type": f"AWS::ApiGateway::{kind}", "Properties": properties}
            for name, (kind, properties) in made.items()}


def template(backend, variables):
    """The SAM template with the APIs of this file."""
    target = Target(lambda_uri, backend)
    resources = {name: {"Type": "AWS::Serverless::Function", "Properties": {
        "Runtime": "provided.al2023", "Handler": "bootstrap", "CodeUri": name, "Timeout": 10,
        "Environment": {"Variables": variables[name]}}} for name in FUNCTIONS}
    for api in ALL:
        body = {"DefinitionBody": api.document(target)} | api.extra
        resources[api.name] = {
            "Type": "AWS::Serverless::Api" if api.is_rest else "AWS::Serverless::HttpApi",
            "Properties": body | ({"StageName": "prod"} if api.is_rest else {})}
        if api.plans:
            resources |= plan_resources(api)
    for name, keys in SOCKETS.items():
        resources |= socket_resources(name, keys)
    return {"AWSTemplateFormatVersion": "2010-09-09", "Transform": "AWS::Serverless-2016-10-31", "Resources": resources}
