"""What AWS's own translator makes of a SAM template: its routes, with the guard that SAM gives to each."""
import copy
import logging

import boto3
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator

METHODS = {"get", "post", "put", "delete", "patch", "head", "options"}
ANY = "x-amazon-apigateway-any-method"
logging.disable(logging.CRITICAL)


def document(template):
    """The translated template; None for one that SAM refuses."""
    session = boto3.session.Session(region_name="us-east-1")
    try:
        return Translator({}, Parser(), boto_session=session).translate(copy.deepcopy(template), {})
    except Exception as error:
        # The translator raises one kind of exception for a template that cannot be deployed; others are its bugs.
        if type(error).__name__ != "InvalidDocumentException":
            raise
        return None


def guard(scheme):
    authorizer = scheme.get("x-amazon-apigateway-authorizer") or {}
    if scheme.get("x-amazon-apigateway-authtype") == "awsSigv4":
        return "iam"
    return {"cognito_user_pools": "userPool", "jwt": "jwt", "token": "lambda", "request": "lambda"}[authorizer["type"]]


def is_key(scheme):
    """Whether a scheme asks for an API key."""
    return "x-amazon-apigateway-authorizer" not in scheme and "x-amazon-apigateway-authtype" not in scheme


def access(operation, schemes, rest):
    """The word of `routes` for an operation's security, and whether it needs an API key.

    API Gateway ignores a name without a scheme, and an HTTP API has no keys. None for more than one authorizer, of which
    AWS says nothing.
    """
    names = [name for entry in operation.get("security") or [] for name in entry if name in schemes]
    key = rest and any(is_key(schemes[name]) for name in names)
    names = list(dict.fromkeys(name for name in names if not is_key(schemes[name])))
    if len(names) > 1:
        return None
    kind = guard(schemes[names[0]]) if names else "open"
    return kind if kind in ("open", "iam") else f"{kind}:{names[0]}", key


def section(body):
    """The security schemes in the section of the document's version."""
    if "swagger" in body:
        return body.get("securityDefinitions") or {}
    return (body.get("components") or {}).get("securitySchemes") or {}


def stages(resources, api):
    """The names of an API's stages. SAM's deployment has one more, `Stage`, unless OpenApiVersion is set."""
    for resource in resources.values():
        properties = resource.get("Properties", {})
        if (properties.get("RestApiId") or properties.get("ApiId")) != {"Ref": api} or "StageName" not in properties:
            continue
        if resource["Type"] in ("AWS::ApiGateway::Stage", "AWS::ApiGatewayV2::Stage", "AWS::ApiGateway::Deployment"):
            yield properties["StageName"]


def routes(template):
    """The access, key and policy of each route by API, stage and route; None for a template that SAM refuses.

    The access is None where AWS says nothing.
    """
    translated = document(template)
    if translated is None:
        return None
    found = {}
    resources = translated["Resources"]
    for api, resource in resources.items():
        if resource["Type"] not in ("AWS::ApiGateway::RestApi", "AWS::ApiGatewayV2::Api"):
            continue
        body = resource["Properties"]["Body"]
        rest = resource["Type"] == "AWS::ApiGateway::RestApi"
        policy = "x-amazon-apigateway-policy" in body
        for path, operations in body["paths"].items():
            for method, operation in operations.items():
                if method.lower() not in METHODS | {ANY}:
                    continue
                verb = "ANY" if method.lower() == ANY else method.upper()
                route = "$default" if path.endswith("$default") else f"{verb} {path}"
                given = access(operation, section(body), rest)
                for stage in stages(resources, api):
                    found[(api, stage, route)] = given and (*given, policy)
    return found
