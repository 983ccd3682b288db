"""Requests per second of `authorizer-local serve` and of another gateway with the same API: `make bench-serve`. The other
one is MiniStack, or with --before `serve` of another commit.

Both gateways run at the same time, and take turns under `wrk`, so that other load on the machine affects both. Then 1,000
requests with 1,000 tokens are sent at once; each answer must have the id and the subject of its own request.

Exit 0: all answers of serve were right. Exit 1: an answer was lost or mixed up, or a gateway could not be started.
"""
import argparse
import asyncio
import json
import platform
import re
import statistics
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import agreement
import edge_sides
import edges
import sides

HERE = Path(__file__).resolve().parent
LOADS = (
    ("REST API: mock, no authorizer", "Bench", "/open", False),
    ("REST API: mock, cached authorizer", "Bench", "/cached", True),
    ("REST API: mock, authorizer called for each request", "Bench", "/fresh", True),
    ("REST API: function, no authorizer", "Bench", "/echo", False),
    ("REST API: function, authorizer called for each request", "Bench", "/both", True),
    ("HTTP API: function, authorizer called for each request", "BenchHTTP", "/both", True),
)
CROWD = 1000


def judge(target, seconds):
    return {
        "type": "apiKey", "name": "Authorization", "in": "header", "x-amazon-apigateway-authtype": "custom",
        "x-amazon-apigateway-authorizer": {
            "type": "token", "authorizerUri": target.uri("Real"), "authorizerResultTtlInSeconds": seconds}}


def paths(target):
    def mock(**more):
        return edges.answering('{"sub":"$context.authorizer.sub","id":"$input.params("id")"}') | more

    return {
        "/open": {"get": mock()}, "/cached": {"get": mock(security=[{"Cached": []}])},
        "/fresh": {"get": mock(security=[{"Fresh": []}])}, "/echo": {"get": edges.call(target)},
        "/both": {"get": edges.call(target, security=[{"Fresh": []}])}}


def http_judge(target):
    return {
        "type": "apiKey", "name": "Authorization", "in": "header", "x-amazon-apigateway-authorizer": {
            "type": "request", "authorizerUri": target.uri("Real"), "authorizerPayloadFormatVersion": "2.0",
            "identitySource": "$request.header.Authorization", "authorizerResultTtlInSeconds": 0}}


APIS = (
    edges.EdgeAPI("Bench", True, paths, lambda target: {"Cached": judge(target, 300), "Fresh": judge(target, 0)}),
    edges.EdgeAPI(
        "BenchHTTP", False, lambda target: {"/both": {"get": edges.call(target, version="2.0", security=[{"Fresh": []}])}},
        lambda target: {"Fresh": http_judge(target)}))


class ServedBench(edge_sides.ServedEdges):
    """`serve` with the APIs, the shipped function as its authorizer, and a function in Python."""

    def __init__(self, place, name="serve"):
        self.name = name
        sides.Side.__init__(self, place.folder, "served")
        self.notes = self.folder / "events"
        target = edges.Target(edges.lambda_uri, "")
        functions = {name: {"Type": "AWS::Serverless::Function", "Properties": {
            "Runtime": "provided.al2023", "Handler": "bootstrap", "CodeUri": name, "Timeout": 10,
            "Environment": {"Variables": place.variables if name == "Real" else {"EVENTS": str(self.notes)}}}}
            for name in ("Real", "Edge")}
        template = self.folder / "template.json"
        template.write_text(json.dumps({
            "AWSTemplateFormatVersion": "2010-09-09", "Transform": "AWS::Serverless-2016-10-31",
            "Resources": functions | {api.name: {
                "Type": "AWS::Serverless::Api" if api.is_rest else "AWS::Serverless::HttpApi",
                "Properties": {"DefinitionBody": api.document(target)} | ({"StageName": "prod"} if api.is_rest else {})}
                for api in APIS}}, indent=2))
        self.start([
            place.harness, "serve", "--port", "0", "--template", str(template), "--zip", str(place.package.resolve()),
            "--run", f"Edge={sys.executable} -I {HERE / 'edge.py'}", "--template-variables"])

    def address(self, name):
        return f"{name}.localhost:{self.port}", "/prod" if name == "Bench" else ""


class DeployedBench(edge_sides.DeployedEdges):
    """MiniStack with the same APIs and functions."""

    apis, sockets = APIS, {}

    def http(self, api, document):
        gateway = self.main.http
        identifier = gateway.create_api(Name=api.name, ProtocolType="HTTP")["ApiId"]
        judge = gateway.create_authorizer(
            ApiId=identifier, Name="Fresh", AuthorizerType="REQUEST", AuthorizerUri=self.main.uri("Real"),
            IdentitySource=["$request.header.Authorization"], AuthorizerPayloadFormatVersion="2.0",
            AuthorizerResultTtlInSeconds=0)["AuthorizerId"]
        integration = gateway.create_integration(
            ApiId=identifier, IntegrationType="AWS_PROXY", IntegrationUri=self.main.uri("Edge"),
            PayloadFormatVersion="2.0")["IntegrationId"]
        for path in document["paths"]:
            gateway.create_route(
                ApiId=identifier, RouteKey=f"GET {path}", AuthorizationType="CUSTOM", AuthorizerId=judge,
                Target=f"integrations/{integration}")
        gateway.create_stage(ApiId=identifier, StageName="$default", AutoDeploy=True)
        return identifier


def measured(side, api, path, headers, seconds):
    """One run of wrk: requests per second, the 99th percentile in ms, and wrong answers."""
    host, stage = side.address(api)
    words = ["wrk", "-t", "1", "-c", "8", "-d", f"{seconds}s", "--timeout", "10s", "--latency", "-H", f"Host: {host}"]
    for name, value in headers.items():
        words += ["-H", f"{name}: {value}"]
    words.append(f"http://127.0.0.1:{side.port}{stage}{path}?id=1")
    text = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout
    value, unit = re.search(r"99%\s+([\d.]+)(us|ms|s|m)\b", text).groups()
    errors = sum(map(int, re.findall(r"(?:connect|read|write|timeout) (\d+)", text)))
    errors += int((re.search(r"Non-2xx or 3xx responses: (\d+)", text) or [0, 0])[1])
    factor = {"us": 0.001, "ms": 1, "s": 1000, "m": 60000}[unit]
    return float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]), float(value) * factor, errors


async def one(side, api, index, token, opened, gate, seconds):
    """A request on its own connection, when all are open. Returns the problem, if there is one."""
    host, stage = side.address(api)
    try:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", side.port)
        finally:
            opened.release()
        await gate.wait()
        writer.write((f"GET {stage}/both?id={index} HTTP/1.1\r\nHost: {host}\r\nAuthorization: {token}\r\n"
                      "Connection: close\r\n\r\n").encode())
        head, body = (await asyncio.wait_for(reader.read(), seconds)).split(b"\r\n\r\n", 1)
        writer.close()
    except (OSError, ValueError, asyncio.TimeoutError) as error:
        return f"lost: {type(error).__name__}"
    if not head.startswith(b"HTTP/1.1 200"):
        return f"lost: {head.splitlines()[0].decode()} {body[:80].decode()}"
    if b"transfer-encoding: chunked" in head.lower():
        body = body.partition(b"\r\n")[2].rpartition(b"\r\n0\r\n")[0]
    event = json.loads(body)
    context = event["requestContext"]["authorizer"]
    found = (context.get("lambda") or context).get("sub"), event["queryStringParameters"].get("id")
    return None if found == (f"user-{index}", str(index)) else f"mixed up: {found} for {index}"


async def crowd(side, api, tokens, seconds):
    gate, opened = asyncio.Event(), asyncio.Semaphore(0)
    tasks = [asyncio.create_task(one(side, api, index, token, opened, gate, seconds)) for index, token in enumerate(tokens)]
    for _ in tasks:
        await opened.acquire()
    start = time.monotonic()
    gate.set()
    found = [problem for problem in await asyncio.gather(*tasks) if problem]
    return found, time.monotonic() - start


def before(folder, dist):
    """`serve` and the function of another commit, which are in its folder `dist`."""
    dist = Path(dist).resolve()
    place = agreement.Workplace(folder / "before", str(dist / "authorizer-local"), None, dist / "bootstrap")
    return ServedBench(place, "before")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--harness", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--before")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=5)
    options = parser.parse_args()
    place = agreement.Workplace(Path(options.folder).resolve(), str(Path(options.harness).resolve()), None)
    running = []
    try:
        served = ServedBench(place)
        running.append(served)
        if options.before:
            other = before(place.folder, options.before)
            running.append(other)
            words = f"before: {options.before}"
        else:
            ministack = sides.MiniStack(place.folder, place.package, place.scripted, place.variables, are_apis_wanted=False)
            running.append(ministack)
            other = DeployedBench(ministack, place.edge, "")
            if other.problems:
                raise RuntimeError(f"MiniStack refuses the API: {other.problems}")
            words = f"MiniStack {version('ministack')}"
        # Each `serve` trusts its own development keys; MiniStack runs the package of the first one.
        signers = {served.name: served, other.name: other if options.before else served}
        header = lambda side, subject: "Bearer " + signers[side.name].token(
            preset="apple", user=subject, audience="com.example.app", claims={"email_verified": True})
        print(f"bench-serve: {options.harness}; {words}, Python {platform.python_version()}; "
              f"{options.rounds} rounds of {options.seconds} s, 8 connections")
        print(f"| load | serve | p99 | {other.name} | p99 | ratio |\n|---|---|---|---|---|---|")
        for title, api, path, is_guarded in LOADS:
            rows = {side.name: [] for side in (served, other)}
            for _ in range(options.rounds):
                for side in (served, other):
                    headers = {"Authorization": header(side, "user-1")} if is_guarded else {}
                    rows[side.name].append(measured(side, api, path, headers, options.seconds))
            middle = {name: [statistics.median(values) for values in zip(*found)] for name, found in rows.items()}
            cells = []
            for name in rows:
                rate, slow, errors = middle[name]
                cells += [f"{rate:,.0f}/s" + (f" ({errors:.0f} errors)" if errors else ""), f"{slow:,.1f} ms"]
            rates = [middle[name][0] for name in rows]
            ratio = f"{rates[0] / rates[1]:.2f}" if rates[1] else "-"
            print(f"| {title} | {' | '.join(cells)} | {ratio} |", flush=True)
        failed = 0
        # What MiniStack loses does not count, so it has less time.
        for side, limit in ((served, 300), (other, 60)):
            tokens = [header(side, f"user-{index}") for index in range(CROWD)]
            for api in APIS:
                problems, seconds = asyncio.run(crowd(side, api.name, tokens, limit))
                failed += len(problems) if side is served else 0
                print(f"bench-serve: {side.name}, {'REST' if api.is_rest else 'HTTP'} API: {CROWD:,} requests at once with "
                      f"{CROWD:,} tokens, each through the authorizer and the function: {CROWD - len(problems):,} right answers "
                      f"in {seconds:.1f} s" + (f"; first problem: {problems[0]}" if problems else ""), flush=True)
    finally:
        for side in running:
            side.stop()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
