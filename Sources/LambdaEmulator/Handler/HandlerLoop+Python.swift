extension HandlerLoop {
  /// Calls a Python handler. Arguments: the folder of the code, the handler, and the JSON of `HandlerExtras`.
  ///
  /// AWS's own client runs instead where it can be imported. The texts and types of errors are those of that client
  /// (aws-lambda-python-runtime-interface-client 4.2.2, checked by `make check-clients`).
  package static let python = HandlerLoop(fileName: "bootstrap.py", text: pythonText)

  private static let pythonText = #"""
    import decimal
    import http.client
    import importlib
    import importlib.machinery
    import importlib.util
    import json
    import logging
    import os
    import runpy
    import sys
    import time
    import traceback
    from types import SimpleNamespace

    LOGS_JSON = os.environ.get("AWS_LAMBDA_LOG_FORMAT") == "JSON"
    request_id = ""


    class Fault(Exception):
        def __init__(self, kind, message, frames=()):
            super().__init__(message)
            self.kind, self.frames = "Runtime." + kind, list(frames)


    class Context:
        def __init__(self, headers):
            environment = os.environ.get
            self.aws_request_id = headers["Lambda-Runtime-Aws-Request-Id"]
            self.invoked_function_arn = headers.get("Lambda-Runtime-Invoked-Function-Arn")
            self.function_name = environment("AWS_LAMBDA_FUNCTION_NAME")
            self.function_version = environment("AWS_LAMBDA_FUNCTION_VERSION")
            self.memory_limit_in_mb = environment("AWS_LAMBDA_FUNCTION_MEMORY_SIZE")
            self.log_group_name = environment("AWS_LAMBDA_LOG_GROUP_NAME")
            self.log_stream_name = environment("AWS_LAMBDA_LOG_STREAM_NAME")
            self.tenant_id = headers.get("Lambda-Runtime-Aws-Tenant-Id")
            self.identity = SimpleNamespace(cognito_identity_id=None, cognito_identity_pool_id=None)
            given = headers.get("Lambda-Runtime-Client-Context")
            self.client_context = None
            if given:
                values = json.loads(given)
                self.client_context = SimpleNamespace(
                    custom=values.get("custom"), env=values.get("env"),
                    client=SimpleNamespace(**values["client"]) if values.get("client") else None)
            self._deadline = int(headers.get("Lambda-Runtime-Deadline-Ms") or 0)

        def get_remaining_time_in_millis(self):
            return max(0, self._deadline - int(time.time() * 1000))

        def log(self, message):
            sys.stdout.write(str(message))


    class Encoder(json.JSONEncoder):
        def default(self, value):
            if isinstance(value, decimal.Decimal):
                return int(value) if value == value.to_integral_value() else float(value)
            return super().default(value)


    class Formatter(logging.Formatter):
        converter = time.gmtime

        def format(self, record):
            record.aws_request_id = request_id
            if not LOGS_JSON:
                return super().format(record)
            entry = {
                "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
                "level": record.levelname, "message": record.getMessage(), "logger": record.name,
                "requestId": request_id}
            if record.exc_info:
                entry["errorType"] = record.exc_info[0].__name__
                entry["errorMessage"] = str(record.exc_info[1])
                entry["stackTrace"] = traceback.format_tb(record.exc_info[2])
            return json.dumps(entry, default=str)


    class Output(logging.Handler):
        def emit(self, record):
            sys.stdout.write(self.format(record) + "\n")
            sys.stdout.flush()


    def set_up_logging():
        output = Output()
        output.setFormatter(Formatter(
            "[%(levelname)s]\t%(asctime)s.%(msecs)03dZ\t%(aws_request_id)s\t%(message)s", "%Y-%m-%dT%H:%M:%S"))
        logging.getLogger().addHandler(output)
        level = os.environ.get("AWS_LAMBDA_LOG_LEVEL", "").replace("TRACE", "DEBUG").replace("FATAL", "CRITICAL")
        if level and LOGS_JSON:
            logging.getLogger().setLevel(level)


    def load(name):
        module, dot, function = name.rpartition(".")
        if not dot or not module or not function:
            raise Fault("MalformedHandlerName", "Bad handler '%s': it has the form MODULE.FUNCTION" % name)
        if module.split(".")[0] in sys.builtin_module_names:
            raise Fault("BuiltInModuleConflict", "Cannot use built-in module %s as a handler module" % module)
        try:
            loaded = importlib.import_module(module.replace("/", "."))
        except ImportError as error:
            hint_missing(error, (module, module.replace("/", ".")))
            raise Fault("ImportModuleError", "Unable to import module '%s': %s" % (module, error))
        except SyntaxError as error:
            frame = '  File "%s" Line %s\n    %s' % (error.filename, error.lineno, error.text)
            raise Fault("UserCodeSyntaxError", "Syntax error in module '%s': %s" % (module, error), [frame])
        try:
            return getattr(loaded, function)
        except AttributeError:
            raise Fault("HandlerNotFound", "Handler '%s' missing on module '%s'" % (function, module))


    class PackageNotes:
        """Finds no module. Names the packages of this machine that the function imports: they are not deployed."""

        # Those of Lambda (its runtimes include the SDK), and AWS's client.
        included = {"boto3", "botocore", "s3transfer", "jmespath", "dateutil", "six", "urllib3", "awslambdaric"}

        def __init__(self, folders):
            self.folders = tuple(os.path.join(os.path.realpath(folder), "") for folder in folders)
            self.seen = set(self.included)

        def find_spec(self, name, path=None, target=None):
            if path is None and name not in self.seen and self.is_asked_by_function():
                self.seen.add(name)
                spec = importlib.machinery.PathFinder.find_spec(name)
                parts = list(spec.submodule_search_locations or [spec.origin or ""]) if spec else []
                entry = os.path.dirname(parts[0]) if parts else ""
                place = os.path.join(os.path.realpath(entry), "")
                if os.path.basename(entry) in ("site-packages", "dist-packages") and place not in self.folders:
                    # Such as a virtual environment in the folder of the function.
                    why = "which Lambda does not search" if place.startswith(self.folders) else "outside of the function"
                    hint("%s is in %s, %s: Lambda has it only if you deploy it with the function" % (name, entry, why))
            return None

        def is_asked_by_function(self):
            frame = sys._getframe(2)
            while frame and frame.f_code.co_filename.startswith("<frozen importlib"):
                frame = frame.f_back
            return bool(frame) and os.path.realpath(frame.f_code.co_filename).startswith(self.folders)


    def hint_missing(error, own=()):
        name = error.name if isinstance(error, ModuleNotFoundError) else None
        if not name or name in own:
            return
        if name.split(".")[0] in PackageNotes.included:
            hint("%s is in Lambda's runtime, and %s does not have it: install it there, or into the folder of the "
                 "function" % (name, sys.executable))
        else:
            hint("install %s into the folder of the function, or serve the template that sam build wrote" % name)


    def hint(text):
        sys.stderr.write("hint: %s\n" % text)
        sys.stderr.flush()


    def report(error, number=""):
        if isinstance(error, Fault):
            kind, frames = error.kind, error.frames
        else:
            kind = type(error).__name__
            own = [frame for frame in traceback.extract_tb(error.__traceback__)]
            while own and own[0].filename == __file__:
                own.pop(0)
            # Tuples, as in AWS's client: newer versions of Python mark the columns of frames.
            frames = traceback.format_list(
                [(frame.filename, frame.lineno, frame.name, frame.line) for frame in own])
        document = {"errorMessage": str(error), "errorType": kind, "requestId": number, "stackTrace": frames}
        if LOGS_JSON:
            line = json.dumps(dict({"level": "ERROR"}, **document))
        else:
            lines = ["[ERROR] %s: %s" % (kind, error)]
            if frames:
                lines.append("Traceback (most recent call last):")
            line = "\r".join(lines + "".join(frames).splitlines())
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
        return document


    def answer_key_sets(file, addresses):
        """Answers requests of urllib and urllib3 (requests, botocore) for these addresses with the file."""
        import http.server
        import threading
        import urllib.request

        class Answer(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                with open(file, "rb") as opened:
                    body = opened.read()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *words):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_port
        open_any = urllib.request.HTTPSHandler.https_open

        def https_open(handler, asked):
            if asked.full_url not in addresses:
                return open_any(handler, asked)
            local = urllib.request.Request("http://127.0.0.1:%d/" % port)
            local.timeout = asked.timeout
            return handler.do_open(http.client.HTTPConnection, local)

        urllib.request.HTTPSHandler.https_open = https_open
        try:
            from urllib3 import connectionpool
        except ImportError:
            return
        pool = connectionpool.HTTPConnectionPool
        ask_any = pool.urlopen

        def urlopen(asked, method, url, *words, **more):
            place = "" if asked.port in (None, 443) else ":%d" % asked.port
            if asked.scheme != "https" or "https://%s%s%s" % (asked.host, place, url) not in addresses:
                return ask_any(asked, method, url, *words, **more)
            return ask_any(pool("127.0.0.1", port), method, "/", *words, **more)

        pool.urlopen = urlopen


    class RuntimeAPI:
        def __init__(self):
            self.connection = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])

        def call(self, method, path, body=None, headers={}):
            self.connection.request(method, "/2018-06-01/runtime" + path, body, headers)
            answer = self.connection.getresponse()
            return answer, answer.read()

        def post(self, path, body, headers):
            answer, text = self.call("POST", path, body, dict(headers, **{"Content-Type": "application/json"}))
            if answer.status in (410, 413):
                sys.stderr.write("%s: %s\n" % (path, text.decode("utf-8", "replace")))
            elif answer.status != 202:
                raise SystemExit("%s: %s %s" % (path, answer.status, text.decode("utf-8", "replace")))

        def fail(self, path, document, headers={}):
            self.post(path, json.dumps(document).encode(), dict(
                headers, **{"Lambda-Runtime-Function-Error-Type": document["errorType"].encode("ascii", "replace")}))


    def answer(handler, body, headers):
        try:
            event = json.loads(body)
        except Exception as error:
            raise Fault("UnmarshalError", "Unable to unmarshal input: %s" % error)
        result = handler(event, Context(headers))
        if isinstance(result, bytes):
            return result
        try:
            return json.dumps(result, cls=Encoder, ensure_ascii=False).encode()
        except Exception as error:
            raise Fault("MarshalError", "Unable to marshal response: %s" % error)


    def run(name):
        global request_id
        api = RuntimeAPI()
        set_up_logging()
        try:
            handler = load(name)
        except Exception as error:
            api.fail("/init/error", report(error))
            sys.exit(1)
        while True:
            event, body = api.call("GET", "/invocation/next")
            if event.status != 200:
                raise SystemExit("the next event: %s %s" % (event.status, body.decode("utf-8", "replace")))
            request_id = event.headers["Lambda-Runtime-Aws-Request-Id"]
            attempt = event.headers.get("Lambda-Runtime-Invocation-Id")
            echo = {"Lambda-Runtime-Invocation-Id": attempt} if attempt else {}
            trace = event.headers.get("Lambda-Runtime-Trace-Id")
            if trace:
                os.environ["_X_AMZN_TRACE_ID"] = trace
            try:
                result = answer(handler, body, event.headers)
            except Exception as error:
                hint_missing(error)
                api.fail("/invocation/%s/error" % request_id, report(error, request_id), echo)
            else:
                api.post("/invocation/%s/response" % request_id, result, echo)


    if __name__ == "__main__":
        root, name, extras = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
        layers = extras["layers"]
        os.chdir(root)
        version = "python%d.%d" % sys.version_info[:2]
        parts = [os.path.join(layer, part)
                 for layer in layers for part in ("python/lib/" + version + "/site-packages", "python")]
        own = [root] + [part for part in parts if os.path.isdir(part)]
        sys.path[0:1] = own
        if "keySets" in extras:
            answer_key_sets(**extras["keySets"])
        sys.meta_path.insert(0, PackageNotes(own))
        if importlib.util.find_spec("awslambdaric"):
            sys.argv = ["awslambdaric", name]
            runpy.run_module("awslambdaric", run_name="__main__", alter_sys=True)
        else:
            sys.argv = sys.argv[:1]
            run(name)
    """#
}
