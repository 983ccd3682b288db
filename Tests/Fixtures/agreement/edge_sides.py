"""Both gateways with the APIs of `edges`: `authorizer-local serve` in a process of its own, and MiniStack by boto3."""
import json
import pathlib
import re
import subprocess
import sys
import time
import urllib.request

import edges
import wire
from sides import Side


def short(body):
    """A body in one line, with identifiers that change between runs removed."""
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,}", "…", text)


def matches(wanted, found):
    if isinstance(wanted, re.Pattern):
        return isinstance(found, str) and bool(wanted.search(found))
    return type(wanted) is type(found) and wanted == found


def named(wanted):
    return f"/{wanted.pattern}/" if isinstance(wanted, re.Pattern) else short(wanted)


def missing(wanted, found, path=""):
    """The members of `wanted` that `found` does not have with the same value."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return [line for name in wanted for line in missing(wanted[name], found.get(name), f"{path}.{name}" if path else name)]
    return [] if matches(wanted, found) else [f"`{path}` {short(found)[:110]} instead of {named(wanted)[:110]}"]


def compare(probe, seen):
    """The differences of an answer from AWS's."""
    if seen.status != probe.status:
        return [f"{seen.status} `{short(seen.body)[:110]}`"]
    found = []
    if probe.answer is not None and not matches(probe.answer, seen.body):
        found.append(f"body `{short(seen.body)[:110]}`")
    if probe.holds is not None:
        found += missing(probe.holds, seen.body)
    if probe.kind and (seen.value("x-amzn-ErrorType") or "").split(":")[0] != probe.kind:
        found.append(f"x-amzn-ErrorType {seen.value('x-amzn-ErrorType')}")
    for name, wanted in (probe.sent or {}).items():
        value = seen.value(name)
        if not (value is None if wanted is None else matches(wanted, value)):
            found.append(f"header `{name}` {value}" + ("" if wanted is None else f" instead of {named(wanted)}"))
    return found


class EdgeSide:
    """A gateway with the APIs of `edges`. `address` gives the `Host` and the stage of an API, or the reason why not."""

    region = "us-east-1"

    def differences(self, api, probe, sign=None):
        host, stage = self.address(api)
        target = probe.before_stage + stage + probe.path
        headers = list(probe.headers)
        if sign is not None:
            headers += self.signed(probe.method, host, target, **sign)
        return compare(probe, wire.exchange(self.port, host, probe.method, target, headers, probe.body))

    def signed(self, method, host, target, key=None, secret=None):
        """The headers of a signed request."""
        from botocore.auth import SigV4Auth
        from botocore.awsrequest import AWSRequest
        from botocore.credentials import Credentials

        own_key, own_secret = self.credentials()
        request = AWSRequest(method, f"http://{host}{target}", headers={"Host": host})
        SigV4Auth(Credentials(key or own_key, secret or own_secret), "execute-api", self.region).add_auth(request)
        return [(name, value) for name, value in request.headers.items() if name.lower() != "host"]

    def connect(self, api):
        host, stage = self.address(api)
        return wire.Client(self.port, host, stage)

    def connections(self, api, method, name, body=b""):
        host, stage = self.address(api)
        path = f"{stage}/@connections/{name.replace('=', '%3D')}"
        return wire.exchange(self.port, host, method, path, self.back(method, host, path), body)

    def back(self, method, host, path):
        return []

    def invoke(self, function, body, headers):
        path = f"/2015-03-31/functions/{function}/invocations"
        return wire.exchange(self.port, f"127.0.0.1:{self.port}", "POST", path, headers, body)

    def events(self):
        return self.notes.read_text().splitlines() if self.notes.exists() else []

    def wait_for(self, is_true):
        """Waits until a condition is true, for 10 s at most."""
        end = time.monotonic() + 10
        while not is_true():
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True


class ServedEdges(EdgeSide, Side):
    """`authorizer-local serve` with the template of `edges`."""

    name = "serve"

    def __init__(self, folder, harness, programs, backend):
        super().__init__(folder, "served-edges")
        self.notes = self.folder / "events"
        variables = {name: {"CALLS": str(self.calls), "EVENTS": str(self.notes)} for name in edges.FUNCTIONS}
        template = self.folder / "template.json"
        template.write_text(json.dumps(edges.template(backend, variables), indent=2))
        command = {name: f"{sys.executable} -I {program}" for name, program in programs.items()}
        runs = ["--function", command["Scripted"], "--run", f"Edge={command['Edge']}"]
        self.start([
            harness, "serve", "--port", "0", "--template", str(template), "--backend", "template",
            "--template-variables", *runs])

    def start(self, words):
        """Starts `serve`, and reads its port."""
        with open(self.folder / "log", "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.PIPE, stderr=log, text=True)
        for line in self.process.stdout:
            if found := re.match(r"serve: http://127\.0\.0\.1:(\d+)", line):
                self.port = int(found[1])
                return
        raise RuntimeError(f"serve did not start: {(self.folder / 'log').read_text()[-4000:]}")

    def address(self, name):
        stage = "/live" if name in edges.SOCKETS else next(
            "/prod" if api.is_rest else "" for api in edges.ALL if api.name == name)
        return f"{name}.localhost:{self.port}", stage

    def invoke(self, function, body, headers):
        state = re.search(r"users of this machine are in (.+)", (self.folder / "log").read_text())[1]
        name, value = pathlib.Path(state, "secret").read_text().split(": ")
        return super().invoke(function, body, [*headers, (name, value.strip())])

    def development(self, path, order=None):
        data = None if order is None else json.dumps(order).encode()
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", data, wire.TIMEOUT) as answer:
            return json.load(answer)

    def token(self, **order):
        made = self.development("/dev/token", order)
        return made.get("access_token") or made["token"]

    def credentials(self):
        found = self.development("/dev/credentials")
        return found["AccessKeyId"], found["SecretAccessKey"]

    def differences_of_siblings(self):
        """AWS refuses the deployment, and `serve` the API."""
        host, stage = self.address("Siblings")
        seen = wire.exchange(self.port, host, "GET", stage + "/s/1")
        return [] if seen.status in (404, 501) else [f"{seen.status} `{short(seen.body)[:110]}`"]


class DeployedEdges(EdgeSide):
    """MiniStack, in which `sides` has started, with the APIs of `edges`."""

    name = "MiniStack"
    apis, sockets = edges.ALL, edges.SOCKETS

    def __init__(self, ministack, package, backend):
        self.main, self.port = ministack, ministack.port
        self.notes = ministack.folder / "events"
        self.identifiers, self.problems = {}, {}
        ministack.client("lambda").create_function(
            FunctionName="Edge", Runtime="provided.al2023", Handler="bootstrap", Role="arn:aws:iam::000000000000:role/function",
            Code={"ZipFile": package.read_bytes()}, Timeout=10, MemorySize=128,
            Environment={"Variables": {"EVENTS": str(self.notes)}})
        target = edges.Target(ministack.uri, backend)
        for api in self.apis:
            self.deploy(api.name, lambda: (self.rest if api.is_rest else self.http)(api, api.document(target)))
        for name, keys in self.sockets.items():
            self.deploy(name, lambda: self.socket(name, keys))

    def deploy(self, name, make):
        """Makes an API, or keeps the reason why it cannot be made."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            self.identifiers[name] = make()
        except (BotoCoreError, ClientError) as error:
            self.problems[name] = str(error)

    def address(self, name):
        if name in self.problems:
            raise wire.Refused(f"cannot be deployed: {self.problems[name]}")
        is_rest = next((api.is_rest for api in self.apis if api.name == name), False)
        stage = "/live" if name in edges.SOCKETS else "/prod" if is_rest else ""
        return f"{self.identifiers[name]}.execute-api.localhost:{self.port}", stage

    def credentials(self):
        return "test", "test"

    def back(self, method, host, path):
        return self.signed(method, host, path)

    def differences_of_siblings(self):
        problem = self.problems.get("Siblings")
        return [] if problem and "sibling" in problem else [problem or "is deployed"]

    def authorizers(self, identifier, document):
        """The name of each security scheme with what a method says about it."""
        made = {}
        for name, scheme in document.get("components", {}).get("securitySchemes", {}).items():
            kind, more = scheme.get("x-amazon-apigateway-authtype"), scheme.get("x-amazon-apigateway-authorizer", {})
            if kind == "awsSigv4":
                made[name] = {"authorizationType": "AWS_IAM"}
            elif kind == "custom":
                found = self.main.rest.create_authorizer(
                    restApiId=identifier, name=name, type="TOKEN", authorizerUri=more["authorizerUri"],
                    identitySource="method.request.header.Authorization",
                    authorizerResultTtlInSeconds=more["authorizerResultTtlInSeconds"])
                made[name] = {"authorizationType": "CUSTOM", "authorizerId": found["id"]}
            elif kind == "cognito_user_pools":
                found = self.main.rest.create_authorizer(
                    restApiId=identifier, name=name, type="COGNITO_USER_POOLS", providerARNs=more["providerARNs"],
                    identitySource="method.request.header.Authorization")
                made[name] = {"authorizationType": "COGNITO_USER_POOLS", "authorizerId": found["id"]}
            else:
                made[name] = {"authorizationType": "NONE", "apiKeyRequired": True}
        return made

    def rest(self, api, document):
        rest = self.main.rest
        more = {"policy": json.dumps(document["x-amazon-apigateway-policy"])} if api.policy else {}
        identifier = rest.create_rest_api(
            name=api.name, binaryMediaTypes=api.extra.get("BinaryMediaTypes", []), **more)["id"]
        made = self.authorizers(identifier, document)
        resources = {"": rest.get_resources(restApiId=identifier)["items"][0]["id"]}
        for path, operations in document["paths"].items():
            above = ""
            for part in path.strip("/").split("/"):
                here = f"{above}/{part}"
                if here not in resources:
                    resources[here] = rest.create_resource(
                        restApiId=identifier, parentId=resources[above], pathPart=part)["id"]
                above = here
            for verb, operation in operations.items():
                self.method(identifier, resources[above], "ANY" if verb == edges.ANY else verb.upper(), operation, made)
        rest.create_deployment(restApiId=identifier, stageName="prod", variables=api.extra.get("Variables", {}))
        for setting in api.extra.get("MethodSettings", []):
            rest.update_stage(restApiId=identifier, stageName="prod", patchOperations=[
                {"op": "replace", "path": f"/*/*/throttling/{name}", "value": str(setting[member])}
                for name, member in (("burstLimit", "ThrottlingBurstLimit"), ("rateLimit", "ThrottlingRateLimit"))])
        for plan, limits, values in api.plans:
            self.plan(identifier, plan, limits, values)
        if api.plans:
            rest.create_api_key(name="Lone", enabled=True, value=edges.LONE_KEY)
        return identifier

    def plan(self, identifier, plan, limits, values):
        rest = self.main.rest
        lower = {kind.lower(): {name[:1].lower() + name[1:]: value for name, value in limit.items()}
                 for kind, limit in limits.items()}
        made = rest.create_usage_plan(name=plan, apiStages=[{"apiId": identifier, "stage": "prod"}], **lower)["id"]
        for value in values:
            key = rest.create_api_key(name=value, enabled=value != edges.OFF_KEY, value=value)["id"]
            rest.create_usage_plan_key(usagePlanId=made, keyId=key, keyType="API_KEY")

    def method(self, identifier, resource, verb, operation, made):
        rest, where = self.main.rest, {"restApiId": identifier, "resourceId": resource, "httpMethod": verb}
        access = {"authorizationType": "NONE"}
        for requirement in operation.get("security", []):
            for name, scopes in requirement.items():
                access = dict(made[name]) | ({"authorizationScopes": scopes} if scopes else {})
        places = {"header": "header", "query": "querystring", "path": "path"}
        parameters = {f"method.request.{places[one['in']]}.{one['name']}": one["required"]
                      for one in operation.get("parameters", [])}
        if "x-amazon-apigateway-request-validator" in operation:
            access["requestValidatorId"] = rest.create_request_validator(
                restApiId=identifier, name="all", validateRequestBody=True, validateRequestParameters=True)["id"]
        rest.put_method(requestParameters=parameters, **access, **where)
        found = operation["x-amazon-apigateway-integration"]
        kept = {name: found[name] for name in ("uri", "requestTemplates", "requestParameters") if name in found}
        if "passthroughBehavior" in found:
            kept["passthroughBehavior"] = found["passthroughBehavior"].upper()
        rest.put_integration(
            type=found["type"].upper(), integrationHttpMethod=found.get("httpMethod", "POST"), **kept, **where)
        for pattern, response in found.get("responses", {}).items():
            code = response["statusCode"]
            headers = response.get("responseParameters", {})
            rest.put_method_response(statusCode=code, responseParameters={name: False for name in headers}, **where)
            rest.put_integration_response(
                statusCode=code, responseTemplates=response.get("responseTemplates", {}), responseParameters=headers,
                **({} if pattern == "default" else {"selectionPattern": pattern}), **where)

    def http(self, api, document):
        gateway = self.main.http
        identifier = gateway.create_api(Name=api.name, ProtocolType="HTTP")["ApiId"]
        made = {}
        for name, scheme in document.get("components", {}).get("securitySchemes", {}).items():
            more = scheme["x-amazon-apigateway-authorizer"]
            made[name] = gateway.create_authorizer(
                ApiId=identifier, Name=name, AuthorizerType="JWT", IdentitySource=[more["identitySource"]],
                JwtConfiguration={"Issuer": more["jwtConfiguration"]["issuer"],
                                  "Audience": more["jwtConfiguration"]["audience"]})["AuthorizerId"]
        for path, operations in document["paths"].items():
            for verb, operation in operations.items():
                found = operation["x-amazon-apigateway-integration"]
                more = {"RequestParameters": found["requestParameters"]} if "requestParameters" in found else {}
                integration = gateway.create_integration(
                    ApiId=identifier, IntegrationType=found["type"].upper(), IntegrationUri=found["uri"],
                    IntegrationMethod=found["httpMethod"], PayloadFormatVersion=found["payloadFormatVersion"],
                    **more)["IntegrationId"]
                access = {"AuthorizationType": "NONE"}
                for requirement in operation.get("security", []):
                    for name, scopes in requirement.items():
                        access = {"AuthorizationType": "JWT", "AuthorizerId": made[name], "AuthorizationScopes": scopes}
                key = "$default" if path == "/$default" else f"{'ANY' if verb == edges.ANY else verb.upper()} {path}"
                gateway.create_route(ApiId=identifier, RouteKey=key, Target=f"integrations/{integration}", **access)
        limits = {"DefaultRouteSettings": api.extra["DefaultRouteSettings"]} if "DefaultRouteSettings" in api.extra else {}
        gateway.create_stage(ApiId=identifier, StageName="$default", AutoDeploy=True, **limits)
        return identifier

    def socket(self, name, keys):
        gateway = self.main.http
        identifier = gateway.create_api(
            Name=name, ProtocolType="WEBSOCKET", RouteSelectionExpression="$request.body.action")["ApiId"]
        integration = gateway.create_integration(
            ApiId=identifier, IntegrationType="AWS_PROXY", IntegrationUri=self.main.uri("Edge"))["IntegrationId"]
        for key, replies in keys.items():
            more = {"RouteResponseSelectionExpression": "$default"} if replies else {}
            route = gateway.create_route(
                ApiId=identifier, RouteKey=key, AuthorizationType="NONE", Target=f"integrations/{integration}", **more)
            if replies:
                gateway.create_route_response(ApiId=identifier, RouteId=route["RouteId"], RouteResponseKey="$default")
        deployment = gateway.create_deployment(ApiId=identifier)["DeploymentId"]
        gateway.create_stage(ApiId=identifier, StageName="live", DeploymentId=deployment)
        return identifier
