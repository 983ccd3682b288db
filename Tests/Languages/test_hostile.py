"""What goes wrong around a gateway, in Python."""

import http.server
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import authorizer_local
import pytest
from conftest import API

pytest_plugins = ["pytester"]
# An API of SAM without OpenApiVersion, which has the stages prod and Stage.
ONE_API = """
Transform: AWS::Serverless-2016-10-31
Resources:
  Api: { Type: AWS::Serverless::Api, Properties: { StageName: prod } }
  Backend:
    Type: AWS::Serverless::Function
    Properties:
      Runtime: nodejs24.x
      Handler: index.handler
      InlineCode: "exports.handler = async () => ({ statusCode: 200 })"
      Events: { Me: { Type: Api, Properties: { RestApiId: !Ref Api, Method: GET, Path: /me } } }
"""


def running(place):
    """The gateways of a folder, and their functions."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", encoding="utf-8") as file:
                if str(place) in file.read():
                    found.append(int(pid))
        except OSError:
            pass
    return [pid for pid in found if pid != os.getpid()]


def wait(condition):
    end = time.monotonic() + 20
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    assert condition()


@pytest.mark.parametrize(
    "template, options, message",
    [
        ("nothing.yaml", [], "nothing.yaml"),
        (API, ["--nonsense"], "unknown option '--nonsense'"),
        (API, ["--config", "missing.json"], "missing.json"),
    ])
def test_a_start_that_fails_says_why(template, options, message):
    with pytest.raises(authorizer_local.GatewayError, match="did not start") as error:
        authorizer_local.gateway(template, options=options)
    assert message in str(error.value) and "error: " in str(error.value).lower()


def test_a_port_that_is_taken():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(authorizer_local.GatewayError, match="did not start") as error:
            authorizer_local.gateway(API, options=["--port", str(taken.getsockname()[1])])
    assert "use another port" in str(error.value)


def test_a_missing_tool():
    with pytest.raises(authorizer_local.GatewayError, match="did not start"):
        authorizer_local.gateway(API, tool="/nothing/authorizer-local")


def test_a_slow_start():
    with pytest.raises(authorizer_local.GatewayError, match="within 0.01 s"):
        authorizer_local.gateway(API, timeout=0.01)


def test_a_gateway_that_dies():
    with authorizer_local.gateway(API, api="Orders") as api:
        assert api.get("/me", user="alice").status == 200
        os.kill(api._process._process.pid, signal.SIGKILL)
        with pytest.raises(authorizer_local.GatewayError, match="has ended with -9"):
            api.get("/me")


def test_a_forked_process_does_not_keep_a_gateway():
    api = authorizer_local.gateway(API)
    child = os.fork()
    if not child:
        signal.pause()
    status = api._process.close()
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert status == -signal.SIGTERM


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_test_leaves_no_process(tmp_path, end):
    place = tmp_path / "template.yaml"
    with open(os.path.join(API, "template.yaml"), encoding="utf-8") as file:
        place.write_text(file.read())
    os.symlink(os.path.join(API, "authorizer.json"), tmp_path / "authorizer.json")
    # A shell starts programs in the background without Python's handler of SIGINT.
    code = """
import authorizer_local, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
api = authorizer_local.gateway(sys.argv[1])
print('on', flush=True)
time.sleep(600)"""
    with subprocess.Popen([sys.executable, "-c", code, place], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as test:
        assert test.stdout.readline() == b"on\n" and len(running(place)) >= 2
        test.send_signal(end)
    wait(lambda: not running(place))


def test_no_proxy_and_no_redirect(monkeypatch, tmp_path):
    seen = []

    class Server(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            seen.append(self.path)
            self.send_response(302)
            self.send_header("Location", f"http://localhost:{self.server.server_port}/stolen")
            self.end_headers()

        do_POST = do_GET

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, address)
    answer = {"statusCode": 302, "headers": {"Location": address}}
    (tmp_path / "away.py").write_text(f"def handler(event, context):\n    return {answer}\n")
    with authorizer_local.gateway(API, api="Orders", options=["--handler", f"Backend={tmp_path}/away.py:handler"]) as api:
        moved = api.get("/me", user="alice")
    assert (moved.status, moved.headers["location"], seen) == (302, address, [])
    server.shutdown()


def test_wrong_requests():
    with authorizer_local.gateway(API) as api:
        with pytest.raises(ValueError, match=r'template has Orders, Users: name one, api="Orders", in the request or in gateway\(\)'):
            api.get("/me")
        with pytest.raises(ValueError, match="api is Nothing, but the template has Orders, Users$"):
            api.get("/me", api="Nothing")
        with pytest.raises(ValueError, match="begins with a slash"):
            api.get("http://example.com/me", api="Orders")
        with pytest.raises(authorizer_local.GatewayError, match="expires"):
            api.token("alice", expires="later")
        with pytest.raises(TypeError, match="users"):
            api.get("/me", users="alice")


def test_headers_in_small_letters():
    with authorizer_local.gateway(API, api="Orders") as api:
        kind = {"content-type": "application/merge-patch+json"}
        sent = api.post("/orders", user="alice", claims={"plan": "gold"}, json=1, headers=kind).json()["event"]["headers"]
        assert {name.lower(): value for name, value in sent.items()}["content-type"] == kind["content-type"]
        bearer = {"authorization": f"Bearer {api.token('alice')}"}
        assert api.get("/me", headers=bearer).status == 200
        for options in ({"user": "alice"}, {"token": "guess"}):
            with pytest.raises(ValueError, match="headers has authorization: leave it out, or user, scope, claims and token"):
                api.get("/me", headers=bearer, **options)


def test_fields_of_a_token():
    with authorizer_local.gateway(API, api="Orders", token={"user": "carol", "scope": "read:orders"}) as api:
        assert [api.get("/orders").status, api.get("/orders", token={}).decision["user"]] == [401, "carol"]
        assert api.get("/me", token={"user": "alice", "audience": "other"}).reason == "wrongAudience"
        assert api.get("/orders", user="bob", token={"user": "alice"}).decision["user"] == "alice"
        assert api.get("/orders", token={"scope": None}).reason == "insufficientScope"
        for scope in (["read:orders", "more"], ("more", "read:orders")):
            assert api.get("/orders", user="alice", scope=scope).status == 200
        assert api.get("/orders", token=api.token("alice", scope=["read:orders"])).status == 200


def test_the_stage_of_sam_is_no_choice(tmp_path):
    (tmp_path / "template.yaml").write_text(ONE_API)
    with authorizer_local.gateway(tmp_path / "template.yaml") as api:
        assert api.get("/me").decision["stage"] == "prod"
        assert api.get("/me", api="Api/Stage").decision["stage"] == "Stage"


@pytest.mark.parametrize(
    "mode, problem", [(None, "is missing"), (0o644, "is missing"), (0o755, "cannot be started: Exec format error")])
def test_without_a_tool_for_this_machine(tmp_path, mode, problem):
    own = os.path.dirname(authorizer_local.__file__)
    shutil.copytree(own, tmp_path / "authorizer_local", ignore=lambda folder, names: ["bin"] if folder == own else [])
    if mode:
        (tmp_path / "authorizer_local/bin").mkdir()
        (tmp_path / "authorizer_local/bin/authorizer-local").write_text("x")
        (tmp_path / "authorizer_local/bin/authorizer-local").chmod(mode)
    run = subprocess.run(
        [sys.executable, "-m", "authorizer_local"], cwd=tmp_path, stderr=subprocess.PIPE, text=True, check=False)
    error, hint = run.stderr.splitlines()
    assert run.returncode == 69 and error.startswith("error: ") and problem in error and hint.startswith("hint: ")


def test_a_failure_shows_the_log(pytester):
    pytester.makeini(f"[pytest]\nauthorizer_local = --template '{API}/template.yaml'\n")
    pytester.makepyfile("def test_it(authorizer_gateway):\n    assert authorizer_gateway.get('/orders', user='alice', api='Orders').status == 200\n")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*log of authorizer-local*", "*GET /orders*status=403*reason=insufficientScope*"])


def test_no_file_stays_open():
    with authorizer_local.gateway(API) as api:
        process = api._process._process
    assert [stream.closed for stream in (process.stdin, process.stdout, process.stderr)] == [True, True, True]


def test_a_failed_start_is_short(pytester):
    pytester.makeini("[pytest]\nauthorizer_local = --template nothing.yaml\n")
    pytester.makepyfile("def test_it(authorizer_gateway):\n    pass\n")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*the gateway did not start*nothing.yaml*"])
    assert "_process.py" not in result.stdout.str() and "_gateway.py" not in result.stdout.str()
