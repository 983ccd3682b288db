"""A running `authorizer-local serve` with the REST API of `init`, changed: GET /me for all users, GET /admin with a scope."""
import concurrent.futures
import http.client
import json
import os
import re
import shutil
import subprocess

# The only scope of the configuration.
SCOPE = "admin"
# The time in seconds for programs that do not answer. No result depends on it.
HANG_LIMIT = 120


class Gateway:
    def __init__(self, harness, folder):
        self.harness, self.folder, self.process = harness, folder, None
        shutil.rmtree(folder, ignore_errors=True)
        self.run("init", "--for", "rest", str(folder))
        template = folder / "template.yaml"
        # Its limit of 100 requests per second would refuse most of the 10,000.
        lines = [line for line in template.read_text().splitlines() if "Throttling" not in line and "MethodSettings" not in line]
        template.write_text("\n".join(lines).replace("/orders", "/admin") + "\n")
        rules = folder / "authorizer.json"
        rules.write_text(rules.read_text().replace("/orders", "/admin").replace('"claims": { "email_verified": true }', f'"scopes": ["{SCOPE}"]'))

    def run(self, *arguments):
        return subprocess.run(
            [self.harness, *arguments], check=True, capture_output=True, text=True, timeout=HANG_LIMIT).stdout

    def start(self, *options, path=os.environ["PATH"]):
        with open(self.folder / "serve.log", "w") as log:
            self.process = subprocess.Popen(
                [self.harness, "serve", "--port", "0", "--template", str(self.folder / "template.yaml"), *options],
                stdout=subprocess.PIPE, stderr=log, text=True, env={**os.environ, "PATH": path})
        for line in self.process.stdout:
            found = re.search(r"http://127\.0\.0\.1:(\d+)/dev/console#secret=(\S+)", line)
            if found:
                self.port, self.secret = int(found[1]), found[2]
                return self
        raise SystemExit(f"serve did not start:\n{(self.folder / 'serve.log').read_text()}")

    def stop(self):
        if self.process:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def console(self):
        """The origin of the console's page."""
        return f"http://console.localhost:{self.port}"

    def call(self, method, path, body=None, headers=None):
        """Sends one request; returns status, headers and body."""
        if path.startswith("/dev/"):
            headers = {"X-Development-Secret": self.secret, **(headers or {})}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANG_LIMIT)
        connection.request(method, path, body if body is None else json.dumps(body), headers or {})
        answer = connection.getresponse()
        content = answer.read().decode("utf-8", "replace")
        connection.close()
        return answer.status, answer.headers, content

    def token(self, **order):
        status, _, text = self.call("POST", "/dev/token", order)
        assert status == 200, text
        return json.loads(text)["access_token"]

    def get(self, path, token=None):
        """Sends GET to the API; returns the status."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return self.call("GET", "/Api/prod" + path, headers=headers)[0]

    def newest(self):
        return json.loads(self.call("GET", "/dev/decisions?limit=1&view=summary")[2])["newest"]

    @property
    def memory(self):
        """The bytes of its own that serve has in memory (RssAnon, proc(5)); None on a system without /proc."""
        try:
            with open(f"/proc/{self.process.pid}/status") as status:
                return int(re.search(r"RssAnon:\s+(\d+) kB", status.read())[1]) * 1024
        except FileNotFoundError:
            return None

    def send_many(self, count, tokens, connections=8):
        """Sends this number of requests over some connections, each time with another of the tokens."""

        def send(first):
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANG_LIMIT)
            for number in range(first, count, connections):
                token = tokens[number % len(tokens)]
                connection.request(
                    "GET", "/Api/prod/" + ("me" if number % 3 else "admin"),
                    headers={"Authorization": f"Bearer {token}"} if token else {})
                connection.getresponse().read()
            connection.close()

        with concurrent.futures.ThreadPoolExecutor(connections) as pool:
            list(pool.map(send, range(connections)))
