"""The two gateways: `authorizer-local serve`, and MiniStack after a deployment by boto3."""
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import time
from dataclasses import dataclass

import apis


# The example key of RFC 6455, section 1.3.
HANDSHAKE = {
    "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}


@dataclass(frozen=True)
class Seen:
    """The answer to a caller, and the number of calls of the scripted authorizer."""

    status: int
    body: object
    error_type: str | None
    calls: int


class Side:
    """A running gateway; its scripted authorizer counts calls in the file `calls`."""

    def __init__(self, folder, name):
        self.folder = folder / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.calls = self.folder / "calls"
        self.calls.write_text("")
        self.process = None

    def variables(self, real):
        return {"Real": real, "Scripted": {"CALLS": str(self.calls)}, "Backend": {"CALLS": str(self.calls)}}

    def count(self):
        return len(self.calls.read_text().splitlines())

    def send(self, api, path, headers):
        host, prefix = self.address(api)
        before = self.count()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        if api.is_socket:
            path, headers = "", HANDSHAKE | headers
        connection.request("GET", prefix + path, headers={"Host": host} | headers)
        answer = connection.getresponse()
        text = "" if answer.status == 101 else answer.read().decode("utf-8", "replace")
        connection.close()
        try:
            body = json.loads(text)
        except json.JSONDecodeError:
            body = text
        return Seen(answer.status, body, answer.getheader("x-amzn-ErrorType"), self.count() - before)

    def stop(self):
        if self.process:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Served(Side):
    """`authorizer-local serve` with the template of `apis`."""

    name = "serve"

    def __init__(self, folder, harness, package, function, real):
        super().__init__(folder, "served")
        template = self.folder / "template.json"
        template.write_text(json.dumps(apis.template(self.variables(real)), indent=2))
        script = f"{sys.executable} -I {function}"
        with open(self.folder / "log", "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [harness, "serve", "--port", "0", "--template", str(template), "--zip", str(package),
                 "--run", f"Scripted={script}", "--run", f"Backend={script}", "--backend", "template",
                 "--template-variables"],
                cwd=self.folder, stdout=subprocess.PIPE, stderr=log, text=True)
        for line in self.process.stdout:
            if found := re.match(r"serve: http://127\.0\.0\.1:(\d+)", line):
                self.port = int(found[1])
                return
        raise RuntimeError(f"serve did not start: {(self.folder / 'log').read_text()}")

    def address(self, api):
        stage = "/live" if api.is_socket else "/prod" if api.is_rest else ""
        return f"127.0.0.1:{self.port}", f"/{api.name}{stage}"


class MiniStack(Side):
    """MiniStack on a free loopback port, with the same functions and APIs."""

    name = "MiniStack"

    def __init__(self, folder, package, scripted, real, are_apis_wanted=True):
        super().__init__(folder, "ministack")
        self.are_apis_wanted = are_apis_wanted
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        place = self.folder / "tmp"
        place.mkdir(exist_ok=True)
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "TMPDIR": str(place), "BIND_HOST": "127.0.0.1",
            "GATEWAY_PORT": str(self.port), "SERVICES": "lambda,apigateway,apigatewayv2,iam,sts,logs",
            "SFTP_ENABLED": "0", "IOT_MTLS_ENABLED": "0", "LAMBDA_EXECUTOR": "local"}
        with open(self.folder / "log", "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "ministack"], cwd=self.folder, env=environment, stdout=log, stderr=log)
        self.wait()
        self.deploy({"Real": package, "Scripted": scripted, "Backend": scripted}, self.variables(real))

    def wait(self):
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError(f"MiniStack did not start: {(self.folder / 'log').read_text()[-2000:]}")

    def client(self, service):
        import boto3

        return boto3.client(
            service, endpoint_url=f"http://127.0.0.1:{self.port}", region_name="us-east-1",
            aws_access_key_id="test", aws_secret_access_key="test")

    def deploy(self, packages, variables):
        functions = self.client("lambda")
        for name, package in packages.items():
            functions.create_function(
                FunctionName=name, Runtime="provided.al2023", Handler="bootstrap",
                Role="arn:aws:iam::000000000000:role/function", Code={"ZipFile": package.read_bytes()}, Timeout=10,
                MemorySize=128, Environment={"Variables": variables[name]})
        self.rest, self.http = self.client("apigateway"), self.client("apigatewayv2")
        self.identifiers = {
            api.name: (self.deploy_rest if api.is_rest else self.deploy_socket if api.is_socket else self.deploy_http)(api)
            for api in (apis.ALL if self.are_apis_wanted else ())}

    @staticmethod
    def uri(function):
        arn = f"arn:aws:lambda:us-east-1:000000000000:function:{function}"
        return f"arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/{arn}/invocations"

    def deploy_rest(self, api):
        rest = self.rest
        identifier = rest.create_rest_api(name=api.name)["id"]
        sources = ["method.request.header.Authorization"]
        if api.query:
            sources.append(f"method.request.querystring.{api.query}")
        more = {"identityValidationExpression": api.expression} if api.expression else {}
        judge = rest.create_authorizer(
            restApiId=identifier, name="Judge", type=api.kind, authorizerUri=self.uri(api.function),
            identitySource=",".join(sources), authorizerResultTtlInSeconds=api.ttl, **more)["id"]
        resources = {"/": rest.get_resources(restApiId=identifier)["items"][0]["id"]}
        for path in apis.ROUTES:
            above, _, part = path.rpartition("/")
            resources[path] = rest.create_resource(
                restApiId=identifier, parentId=resources[above or "/"], pathPart=part)["id"]
            method = {"restApiId": identifier, "resourceId": resources[path], "httpMethod": "GET"}
            rest.put_method(authorizationType="CUSTOM", authorizerId=judge, **method)
            rest.put_integration(type="AWS_PROXY", integrationHttpMethod="POST", uri=self.uri("Backend"), **method)
        rest.create_deployment(restApiId=identifier, stageName="prod")
        return identifier

    def deploy_http(self, api):
        gateway = self.http
        identifier = gateway.create_api(Name=api.name, ProtocolType="HTTP")["ApiId"]
        more = {} if api.ttl is None else {"AuthorizerResultTtlInSeconds": api.ttl}
        judge = gateway.create_authorizer(
            ApiId=identifier, Name="Judge", AuthorizerType="REQUEST", AuthorizerUri=self.uri(api.function),
            IdentitySource=["$request.header.Authorization"], EnableSimpleResponses=api.kind == "simple",
            AuthorizerPayloadFormatVersion="1.0" if api.kind == "1.0" else "2.0", **more)["AuthorizerId"]
        integration = gateway.create_integration(
            ApiId=identifier, IntegrationType="AWS_PROXY", IntegrationUri=self.uri("Backend"),
            PayloadFormatVersion="1.0" if api.kind == "1.0" else "2.0")["IntegrationId"]
        for path in apis.ROUTES:
            gateway.create_route(
                ApiId=identifier, RouteKey=f"GET {path}", AuthorizationType="CUSTOM", AuthorizerId=judge,
                Target=f"integrations/{integration}")
        gateway.create_stage(ApiId=identifier, StageName="$default", AutoDeploy=True)
        return identifier

    def deploy_socket(self, api):
        gateway = self.http
        identifier = gateway.create_api(
            Name=api.name, ProtocolType="WEBSOCKET", RouteSelectionExpression="$request.body.action")["ApiId"]
        judge = gateway.create_authorizer(
            ApiId=identifier, Name="Judge", AuthorizerType="REQUEST", AuthorizerUri=self.uri(api.function),
            IdentitySource=["route.request.header.Authorization"])["AuthorizerId"]
        integration = gateway.create_integration(
            ApiId=identifier, IntegrationType="MOCK", TemplateSelectionExpression="\\$default",
            RequestTemplates={"$default": '{"statusCode":200}'})["IntegrationId"]
        gateway.create_route(
            ApiId=identifier, RouteKey="$connect", AuthorizationType="CUSTOM", AuthorizerId=judge,
            Target=f"integrations/{integration}")
        deployment = gateway.create_deployment(ApiId=identifier)["DeploymentId"]
        gateway.create_stage(ApiId=identifier, StageName="live", DeploymentId=deployment)
        return identifier

    def address(self, api):
        host = f"{self.identifiers[api.name]}.execute-api.localhost:{self.port}"
        return host, "/live" if api.is_socket else "/prod" if api.is_rest else ""
