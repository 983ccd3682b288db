"""Compares `authorizer-local routes` with AWS's SAM translator on random templates.

The templates are about who may call a route: authorizers and defaults in Globals, APIs and events, API keys, resource
policies, CORS, implicit APIs, OpenAPI documents whose operations ask for schemes that exist or do not. A route that is
closed here is not a difference, but most must be compared.

Exit 0: no difference. Exit 1: a difference, whose template is kept.
"""
import argparse
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import translator

HANG_SECONDS = 600
# The share of routes that must not be closed, or the comparison would say nothing.
COMPARED_SHARE = 0.9
# The stage that SAM's deployment makes beside the template's. A gateway without it is stricter than AWS.
SECOND_STAGE = "Stage"
POOL = "arn:aws:cognito-idp:us-east-1:123456789012:userpool/us-east-1_Example01"
PATHS = ("/", "/a", "/a/{id}", "/b", "/c/{rest+}")
FUNCTION = "arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/arn:aws:lambda:us-east-1:123456789012:function:Own/invocations"
BACKEND = {"type": "http_proxy", "httpMethod": "GET", "uri": "https://a.example/", "payloadFormatVersion": "1.0"}
HEADER = {"type": "apiKey", "in": "header"}
SIGNED = {**HEADER, "name": "Authorization", "x-amazon-apigateway-authtype": "awsSigv4"}
KEY = {**HEADER, "name": "x-api-key"}


class Draw:
    """Random choices for one template."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def often(self, share):
        return self.random.random() < share

    def one(self, *values):
        return self.random.choice(values)

    def some(self, share, members):
        """Each member with this probability; its value is a function."""
        return {name: value() for name, value in members.items() if self.often(share)}

    def rest_authorizer(self, kind):
        if kind == "Pool":
            members = {"UserPoolArn": self.one({"Fn::GetAtt": ["Users", "Arn"]}, POOL, [POOL])}
            return {**members, **self.some(0.3, {"Identity": lambda: {"Header": "X-Token"}})}
        members = {"FunctionArn": {"Fn::GetAtt": ["Doorkeeper", "Arn"]}}
        if kind == "Request":
            members |= {"FunctionPayloadType": "REQUEST", "Identity": {"Headers": ["X-Token"]}}
        return members

    def http_authorizer(self, kind):
        if kind == "Token":
            return {
                "IdentitySource": "$request.header.Authorization",
                "JwtConfiguration": {"issuer": "https://issuer.example", "audience": ["app"]}}
        return {
            "FunctionArn": {"Fn::GetAtt": ["Doorkeeper", "Arn"]}, "AuthorizerPayloadFormatVersion": self.one("1.0", "2.0"),
            "Identity": {"Headers": ["Authorization"]}}

    def auth(self, rest):
        """The Auth of an API, and the names of its authorizers."""
        make = self.rest_authorizer if rest else self.http_authorizer
        kinds = ("Plain", "Request", "Pool") if rest else ("Token", "Function")
        authorizers = {kind: make(kind) for kind in kinds if self.often(0.6)}
        auth = {"Authorizers": authorizers} if authorizers else {}
        if authorizers and self.often(0.6):
            auth["DefaultAuthorizer"] = self.one(*authorizers)
        elif self.often(0.3):
            auth["DefaultAuthorizer"] = "AWS_IAM"
        if rest:
            auth |= self.some(0.2, {
                "ApiKeyRequired": lambda: self.often(0.8), "AddDefaultAuthorizerToCorsPreflight": lambda: self.often(0.5),
                "AddApiKeyRequiredToCorsPreflight": lambda: self.often(0.5),
                "ResourcePolicy": lambda: self.one({"IpRangeWhitelist": ["127.0.0.1"]}, {"IpRangeBlacklist": ["10.0.0.0/8"]})})
        elif auth.get("DefaultAuthorizer") == "AWS_IAM" or self.often(0.3):
            auth["EnableIamAuthorizer"] = True
        return auth, list(authorizers)

    def event(self, rest, words, explicit):
        event = {"Path": self.one(*PATHS), "Method": self.one("GET", "post", "any", "OPTIONS")}
        if explicit:
            event["RestApiId" if rest else "ApiId"] = {"Ref": "Api"}
        if self.often(0.5):
            auth = self.some(0.7, {"Authorizer": lambda: self.one(*words)}) if words else {}
            if rest:
                auth |= self.some(0.3, {"ApiKeyRequired": lambda: self.often(0.7)})
            if auth:
                event["Auth"] = auth
        return {"Type": "Api" if rest else "HttpApi", "Properties": event}

    def schemes(self, rest):
        """Security schemes of a document, some with SAM's own names."""
        own = {"type": "token", "authorizerUri": FUNCTION} if rest else {
            "type": "request", "authorizerUri": FUNCTION, "authorizerPayloadFormatVersion": "2.0"}
        return self.some(0.5, {
            "Own": lambda: {**HEADER, "name": "Unused", "x-amazon-apigateway-authorizer": own}, "Signed": lambda: SIGNED,
            "Key": lambda: KEY, "api_key": lambda: KEY, "AWS_IAM": lambda: SIGNED})

    def document(self, rest, auth, names):
        """A document, and its operations that name an authorizer, by path and method."""
        version3 = not rest or self.often(0.5)
        schemes = self.schemes(rest)
        words = [*names, "AWS_IAM", "NONE", "Absent"]
        # SAM would add its default to another authorizer, which AWS does not document.
        if version3 or "DefaultAuthorizer" not in auth:
            words += ["Own", "Signed"]
        # With the authorizers of an API, SAM replaces those of the document; without one of them they stay.
        paths, guarded = {}, set()
        for _ in range(self.random.randint(1, 4)):
            path, method = self.one(*PATHS), self.one("get", "post", "options", "x-amazon-apigateway-any-method")
            operation = {"x-amazon-apigateway-integration": dict(BACKEND)}
            if self.often(0.7):
                entries = [self.one(*words)] if self.often(0.7) else []
                if entries:
                    guarded.add((path, method))
                entries += [name for name in ("Key", "api_key", "Missing") if self.often(0.25)]
                self.random.shuffle(entries)
                operation["security"] = [{name: []} for name in entries]
            paths.setdefault(path, {})[method] = operation
        document = {"info": {"title": "a", "version": "1"}, "paths": paths}
        document |= {"openapi": "3.0.1"} if version3 else {"swagger": "2.0"}
        if schemes:
            document |= {"components": {"securitySchemes": schemes}} if version3 else {"securityDefinitions": schemes}
        return document, guarded

    def beside(self, event, api, document, guarded, rest):
        """Changes an event so that it may be beside a document."""
        properties = event["Properties"]
        method = properties["Method"].lower().replace("any", "x-amazon-apigateway-any-method")
        place = (properties["Path"], method)
        merges = api.get("MergeDefinitions")
        if merges and method.startswith("x-"):
            properties["Method"] = "put"
        if rest and not merges and "Auth" in properties and self.often(0.7):
            properties["Auth"]["OverrideApiAuth"] = True
        if place in guarded and not merges:
            # Two authorizers, or one beside NONE.
            properties.pop("Auth", None)
        operation = document["paths"].get(place[0], {}).get(method)
        if not rest and operation is not None and self.often(0.5):
            operation.pop("x-amazon-apigateway-integration", None)

    def template(self):
        rest, explicit = self.often(0.65), self.often(0.7)
        section = "Api" if rest else "HttpApi"
        auth, names = self.auth(rest)
        api = {"StageName": "live"} if rest else {}
        shared = {}
        # Globals and the API's own properties are merged, so both may have a part.
        (api if explicit and self.often(0.6) else shared)["Auth"] = auth
        if rest:
            (api if explicit else shared).update(self.some(0.3, {
                "Cors": lambda: self.one("'*'", {"AllowOrigin": "'https://a.example'", "AllowMethods": "'GET'"}),
                "OpenApiVersion": lambda: "3.0.1"}))
        document, guarded = None, set()
        if explicit and self.often(0.5):
            document, guarded = self.document(rest, auth, names)
            api["DefinitionBody"] = document
            if rest and self.often(0.4):
                api["MergeDefinitions"] = True
        code = {"Runtime": "python3.13", "Handler": "index.handler", "CodeUri": "s3://bucket/key"}
        resources = {
            "Doorkeeper": {"Type": "AWS::Serverless::Function", "Properties": code},
            "Users": {"Type": "AWS::Cognito::UserPool", "Properties": {}}}
        if explicit:
            resources["Api"] = {"Type": f"AWS::Serverless::{section}", "Properties": api}
        # SAM refuses NONE where there is no default, and AWS_IAM where an HTTP API does not enable it.
        words = [*names, *["NONE"][:"DefaultAuthorizer" in auth], *["AWS_IAM"][:rest or "EnableIamAuthorizer" in auth]]
        taken = set()
        for number in range(self.random.randint(1, 3)):
            events = {}
            for part in range(self.random.randint(1, 3)):
                event = self.event(rest, words, explicit)
                if document:
                    self.beside(event, api, document, guarded, rest)
                route = (event["Properties"]["Path"], event["Properties"]["Method"].lower())
                if route not in taken:
                    taken.add(route)
                    events[f"Event{part}"] = event
            resources[f"Function{number}"] = {"Type": "AWS::Serverless::Function", "Properties": {**code, "Events": events}}
        template = {"Transform": "AWS::Serverless-2016-10-31", "Resources": resources}
        if shared:
            template["Globals"] = {section: shared}
        return template


def read(harness, path):
    """The routes that `routes` prints, in the translator's form; None for a refused template, with what it prints."""
    ran = subprocess.run(
        [harness, "routes", "--json", "--template", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        timeout=HANG_SECONDS)
    if ran.returncode != 0:
        return None, ran.stderr
    return {
        (row["api"], row["stage"], row["route"]): (row["access"], row["apiKey"], row["resourcePolicy"])
        for row in json.loads(ran.stdout)["routes"]}, ""


def differences(expected, seen, counts):
    found = []
    for name, wanted in expected.items():
        row = seen.get(name)
        if row is None and name[1] == SECOND_STAGE:
            continue
        if wanted is None:
            counts["undocumented"] += 1
            if row is not None and row[0] != "closed":
                found.append(f"{' '.join(name)}: {row}, but AWS says nothing")
            continue
        counts["routes"] += 1
        if row is None:
            found.append(f"{' '.join(name)}: missing instead of {wanted}")
        elif row[0] == "closed":
            counts["closed"] += 1
        elif row != wanted:
            found.append(f"{' '.join(name)}: {row} instead of {wanted}")
    return found + [f"{' '.join(name)}: SAM has no such route" for name, row in seen.items()
                    if name not in expected and row[0] != "closed"]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--harness", required=True)
    options.add_argument("--folder", required=True)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--count", type=int, default=150)
    given = options.parse_args()
    folder = Path(given.folder)
    folder.mkdir(parents=True, exist_ok=True)
    counts = {"routes": 0, "closed": 0, "undocumented": 0, "refused by SAM": 0}
    failures = 0
    for number in range(given.count):
        template = Draw(given.seed * 1_000_000 + number).template()
        expected = translator.routes(template)
        if expected is None:
            counts["refused by SAM"] += 1
            continue
        path = folder / f"{given.seed}-{number}.json"
        path.write_text(json.dumps(template, indent=1))
        seen, refusal = read(os.path.abspath(given.harness), str(path))
        if seen is None:
            counts["routes"] += len(expected)
            counts["closed"] += len(expected)
            found = [line for line in refusal.splitlines()[:3]] if expected else []
        else:
            found = differences(expected, seen, counts)
        if found:
            failures += 1
            print(f"  DIFFERS {path}", *("          " + line for line in found[:5]), sep="\n", flush=True)
        else:
            path.unlink()
    print(f"check-templates: {given.count} random templates, seed {given.seed}: {failures} differ from SAM; "
          + ", ".join(f"{value} {name}" for name, value in counts.items()))
    compared = counts["routes"] - counts["closed"]
    if failures or compared < COMPARED_SHARE * counts["routes"] or not compared:
        print(f"  {compared} of {counts['routes']} routes are compared; {COMPARED_SHARE:.0%} must be")
        sys.exit(1)


main()
