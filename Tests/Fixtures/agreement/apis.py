"""The APIs of both gateways: one description for the SAM template and the boto3 calls."""
from dataclasses import dataclass

ROUTES = ("/pets", "/pets/{id}", "/dogs")


@dataclass(frozen=True)
class API:
    """An API with one authorizer for all routes."""

    name: str
    kind: str  # TOKEN, REQUEST: of a REST API; 1.0, 2.0, simple: of an HTTP API; socket: of a WebSocket API
    function: str = "Scripted"
    ttl: int | None = 300
    query: str | None = None  # a query parameter that is a second identity source
    expression: str | None = None

    @property
    def is_rest(self):
        return self.kind in ("TOKEN", "REQUEST")

    @property
    def is_socket(self):
        return self.kind == "socket"

    def template(self):
        """The resources of a SAM template."""
        return self.socket() if self.is_socket else {self.name: self.api()}

    def socket(self):
        """A WebSocket API in CloudFormation, since SAM has no resource for it."""
        call = "lambda:path/2015-03-31/functions/${%s.Arn}/invocations" % self.function
        uri = {"Fn::Sub": "arn:${AWS::Partition}:apigateway:${AWS::Region}:" + call}
        judge, answer, route = f"{self.name}Judge", f"{self.name}Answer", f"{self.name}Connect"
        api = {"ApiId": {"Ref": self.name}}
        parts = {
            self.name: ("Api", {
                "Name": self.name, "ProtocolType": "WEBSOCKET", "RouteSelectionExpression": "$request.body.action"}),
            judge: ("Authorizer", api | {
                "Name": "Judge", "AuthorizerType": "REQUEST", "AuthorizerUri": uri,
                "IdentitySource": ["route.request.header.Authorization"]}),
            answer: ("Integration", api | {
                "IntegrationType": "MOCK", "TemplateSelectionExpression": "\\$default",
                "RequestTemplates": {"$default": '{"statusCode":200}'}}),
            route: ("Route", api | {
                "RouteKey": "$connect", "AuthorizationType": "CUSTOM", "AuthorizerId": {"Ref": judge},
                "Target": {"Fn::Sub": "integrations/${%s}" % answer}}),
            f"{self.name}Deployment": ("Deployment", api),
            f"{self.name}Stage": ("Stage", api | {
                "DeploymentId": {"Ref": f"{self.name}Deployment"}, "StageName": "live"}),
        }
        return {name: {"Type": f"AWS::ApiGatewayV2::{kind}", "Properties": properties}
                for name, (kind, properties) in parts.items()}

    def api(self):
        identity = {} if self.ttl is None else {"ReauthorizeEvery": self.ttl}
        authorizer = {"FunctionArn": {"Fn::GetAtt": [self.function, "Arn"]}}
        if self.kind == "TOKEN":
            identity |= {"Header": "Authorization"}
            if self.expression:
                identity["ValidationExpression"] = self.expression
        else:
            identity |= {"Headers": ["Authorization"]}
            if self.query:
                identity["QueryStrings"] = [self.query]
        if self.is_rest:
            authorizer["FunctionPayloadType"] = self.kind
        else:
            authorizer |= {
                "EnableFunctionDefaultPermissions": True, "EnableSimpleResponses": self.kind == "simple",
                "AuthorizerPayloadFormatVersion": "1.0" if self.kind == "1.0" else "2.0"}
        auth = {"DefaultAuthorizer": "Judge", "Authorizers": {"Judge": authorizer | {"Identity": identity}}}
        if self.is_rest:
            return {"Type": "AWS::Serverless::Api", "Properties": {"StageName": "prod", "Auth": auth}}
        return {"Type": "AWS::Serverless::HttpApi", "Properties": {"Auth": auth}}

    def events(self):
        """The backend's events for the routes of this API."""
        if self.is_socket:
            return {}
        kind, reference = ("Api", "RestApiId") if self.is_rest else ("HttpApi", "ApiId")
        more = {"PayloadFormatVersion": "1.0"} if self.kind == "1.0" else {}
        return {
            f"{self.name}Route{index}": {"Type": kind, "Properties": {
                reference: {"Ref": self.name}, "Path": path, "Method": "get"} | more}
            for index, path in enumerate(ROUTES)}


REAL = (
    API("RealToken", "TOKEN", "Real"),
    API("RealRequest", "REQUEST", "Real"),
    API("RealHttp1", "1.0", "Real"),
    API("RealHttp2", "2.0", "Real"),
    API("RealSocket", "socket", "Real"),
)
SCRIPTED = (
    API("Token", "TOKEN"),
    API("OtherToken", "TOKEN"),
    API("BriefToken", "TOKEN", ttl=1),
    API("FreshToken", "TOKEN", ttl=0),
    API("MatchedToken", "TOKEN", expression="Script [A-Za-z0-9_=-]+"),
    API("Request", "REQUEST", query="tenant"),
    API("FreshRequest", "REQUEST", query="tenant", ttl=0),
    API("Http1", "1.0"),
    API("Http2", "2.0"),
    API("Simple", "simple"),
    API("UnsetHttp", "2.0", ttl=None),
    API("Socket", "socket"),
)
ALL = REAL + SCRIPTED


def template(variables):
    """The SAM template, with the variables of each function."""
    functions = {
        name: {"Type": "AWS::Serverless::Function", "Properties": {
            "Runtime": "provided.al2023", "Handler": "bootstrap", "CodeUri": name, "Timeout": 10,
            "Environment": {"Variables": variables[name]}}}
        for name in ("Real", "Scripted", "Backend")}
    functions["Backend"]["Properties"]["Events"] = {
        name: event for api in ALL for name, event in api.events().items()}
    return {
        "AWSTemplateFormatVersion": "2010-09-09", "Transform": "AWS::Serverless-2016-10-31",
        "Resources": functions | {name: part for api in ALL for name, part in api.template().items()}}
