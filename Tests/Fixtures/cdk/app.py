"""Three stacks of AWS CDK with an authorizer each: a REST API, an HTTP API, and a REST API with a nested stack.

Writes cdk.out, which the tests serve, without account numbers and without paths of a machine:

    pip install aws-cdk-lib==2.275.0 && python3 app.py
"""

import json
import pathlib

import aws_cdk as cdk
from aws_cdk import aws_apigateway as rest
from aws_cdk import aws_apigatewayv2 as http
from aws_cdk import aws_apigatewayv2_authorizers as guards
from aws_cdk import aws_apigatewayv2_integrations as integrations
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as functions

FOLDER = pathlib.Path(__file__).parent


def guard(scope):
    return functions.Function(
        scope, "Guard", runtime=functions.Runtime.PYTHON_3_12, handler="guard.handler",
        code=functions.Code.from_asset(str(FOLDER / "guard")))


def backend(scope):
    return functions.Function(
        scope, "Backend", runtime=functions.Runtime.NODEJS_22_X, handler="index.handler",
        code=functions.Code.from_asset(str(FOLDER / "backend")))


class RestStack(cdk.Stack):
    """A Lambda authorizer of type TOKEN, and one method without it."""

    def __init__(self, scope):
        super().__init__(scope, "Rest")
        api = rest.RestApi(self, "Api", cloud_watch_role=False)
        token = rest.TokenAuthorizer(self, "Token", handler=guard(self))
        pets = api.root.add_resource("pets")
        pets.add_method("GET", rest.LambdaIntegration(backend(self)), authorizer=token)
        api.root.add_resource("health").add_method("GET", rest.MockIntegration(
            integration_responses=[rest.IntegrationResponse(status_code="200")],
            request_templates={"application/json": '{"statusCode": 200}'}),
            method_responses=[rest.MethodResponse(status_code="200")])


class HttpStack(cdk.Stack):
    """A Lambda authorizer with simple answers for one route, and JWT for another."""

    def __init__(self, scope):
        super().__init__(scope, "Http")
        api = http.HttpApi(self, "Api")
        call = integrations.HttpLambdaIntegration("Call", backend(self))
        simple = guards.HttpLambdaAuthorizer(
            "Simple", guard(self), response_types=[guards.HttpLambdaResponseType.SIMPLE])
        tokens = guards.HttpJwtAuthorizer("Tokens", "https://id.example.com", jwt_audience=["pets"])
        api.add_routes(path="/pets", methods=[http.HttpMethod.GET], integration=call, authorizer=simple)
        api.add_routes(path="/me", methods=[http.HttpMethod.GET], integration=call, authorizer=tokens)


class Pets(cdk.NestedStack):
    """A guarded method of the API of the parent, and its function."""

    def __init__(self, scope, api, authorizer):
        super().__init__(scope, "Pets")
        root = rest.RestApi.from_rest_api_attributes(
            self, "Api", rest_api_id=api.rest_api_id, root_resource_id=api.rest_api_root_resource_id).root
        method = root.add_resource("pets").add_method("GET", rest.LambdaIntegration(backend(self)))
        method.node.default_child.authorization_type = "CUSTOM"
        method.node.default_child.authorizer_id = authorizer
        self.method = method


class NestedStack(cdk.Stack):
    """An open method for all paths, and a nested stack with a guarded one."""

    def __init__(self, scope):
        super().__init__(scope, "Nested")
        api = rest.RestApi(self, "Api", deploy=False, cloud_watch_role=False)
        proxy = api.root.add_resource("{proxy+}").add_method("ANY", rest.LambdaIntegration(backend(self)))
        keeper = guard(self)
        keeper.add_permission("Call", principal=iam.ServicePrincipal("apigateway.amazonaws.com"))
        token = rest.CfnAuthorizer(
            self, "Token", name="token", rest_api_id=api.rest_api_id, type="TOKEN",
            identity_source="method.request.header.Authorization",
            authorizer_uri=f"arn:{self.partition}:apigateway:{self.region}:lambda:path/2015-03-31/functions/"
            f"{keeper.function_arn}/invocations")
        pets = Pets(self, api, token.ref)
        deployment = rest.Deployment(self, "Deployment", api=api)
        deployment.node.add_dependency(proxy, pets.method)
        rest.Stage(self, "Stage", deployment=deployment, stage_name="prod")


app = cdk.App(
    analytics_reporting=False, tree_metadata=False, outdir=str(FOLDER / "cdk.out"),
    context={"aws:cdk:enable-asset-metadata": True, "aws:cdk:enable-path-metadata": True})
for stack in (RestStack, HttpStack, NestedStack):
    stack(app)
app.synth()

# The tests read neither reports nor the metadata of constructs.
for path in (FOLDER / "cdk.out").glob("*.json"):
    if path.name.endswith(("metadata.json", "report.json")):
        path.unlink()
        continue
    document = json.loads(path.read_text())
    if path.name == "manifest.json":
        document["artifacts"] = {
            name: artifact for name, artifact in document["artifacts"].items()
            if artifact["type"] in ("cdk:asset-manifest", "aws:cloudformation:stack")}
        for artifact in document["artifacts"].values():
            artifact.pop("additionalMetadataFile", None)
    path.write_text(json.dumps(document, indent=1) + "\n")
