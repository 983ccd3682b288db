"""The APIs that both sides serve: one description, from which a SAM template and boto3 calls are made."""
from dataclasses import dataclass

ROUTES = ("/pets", "/pets/{id}", "/dogs")


@dataclass(frozen=True)
class API:
    """An API with one authorizer before all of its routes."""

    name: str
    kind: str  # TOKEN, REQUEST: of a REST API; 1.0, 2.0, simple: of an HTTP API
    function: str = "Scripted"
    ttl: int | None = 300
    query: str | None = None  # a query parameter that is an identity source too
    expression: str | None = None

    @property
    def is_rest(self):
        return self.kind in ("TOKEN", "REQUEST")

    def template(self):
        """The resource of a SAM template."""
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
        """The events of the backend that are this API's routes."""
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
        "Resources": functions | {api.name: api.template() for api in ALL}}
