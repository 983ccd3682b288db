extension HandlerLoop {
  /// Calls a handler of Node.js. Arguments: the folder of the code, the handler, and the JSON of `HandlerExtras`.
  ///
  /// The texts and types of errors are those of Lambda's own client (aws-lambda-nodejs-runtime-interface-client).
  package static let node = HandlerLoop(fileName: "index.mjs", text: nodeText)

  private static let nodeText = #"""
    import fs from "node:fs";
    import { Agent, request } from "node:http";
    import { createRequire } from "node:module";
    import path from "node:path";
    import { pathToFileURL } from "node:url";
    import util from "node:util";
    import { hint, hintMissing, notePackages, onlyIfDeployed, sdk, share } from "./packages.mjs";
    import { ResponseStream, streams } from "./streams.mjs";

    const [root, name, text] = process.argv.slice(2);
    const extras = JSON.parse(text);
    process.argv.length = 2;
    process.chdir(root);
    const [host, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(":");
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const logsJSON = process.env.AWS_LAMBDA_LOG_FORMAT === "JSON";
    const version = Number(/nodejs(\d+)/.exec(process.env.AWS_EXECUTION_ENV ?? "")?.[1] ?? 0);
    let requestID = "";

    // With `begin`, the caller writes the body, on a connection of its own.
    function call(method, resource, body, headers = {}, begin = undefined) {
      return new Promise((resolve, reject) => {
        if (body) headers["Content-Length"] = body.length;
        const outgoing = request(
          { host, port, agent: begin ? false : agent, method, headers, path: `/2018-06-01/runtime${resource}` },
          (answer) => {
            const parts = [];
            answer.on("data", (part) => parts.push(part));
            answer.on("end", () => {
              resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(parts) });
            });
            answer.on("error", reject);
          });
        outgoing.on("error", reject);
        if (begin) begin(outgoing);
        else outgoing.end(body);
      });
    }

    function leave(status, words) {
      process.stderr.write(`${words}\n`);
      process.exit(status);
    }

    async function post(resource, text, headers) {
      let answer;
      try {
        answer = await call(
          "POST", resource, Buffer.from(text), { ...headers, "Content-Type": "application/json" });
      } catch (error) {
        leave(1, `${resource}: ${error}`);
      }
      check(resource, answer);
    }

    function check(resource, answer) {
      if ([410, 413].includes(answer.status)) process.stderr.write(`${resource}: ${answer.body}\n`);
      else if (answer.status !== 202) leave(1, `${resource}: ${answer.status} ${answer.body}`);
    }

    function describe(error) {
      try {
        const hasParts = ["name", "message", "stack"].every((part) => error?.[part] && typeof error[part] === "string");
        if (util.types.isNativeError(error) || hasParts) {
          return { errorType: error.name, errorMessage: error.message, trace: error.stack.split("\n") };
        }
        return { errorType: typeof error, errorMessage: error.toString(), trace: [] };
      } catch {
        return { errorType: "handled", errorMessage: "the error has no readable name and message", trace: [] };
      }
    }

    // Writes an error into the log, and returns its document and type.
    function report(error) {
      const document = describe(error);
      write("ERROR", [`${document.errorType}: ${document.errorMessage}`, ...document.trace.slice(1)].join("\n"));
      return [JSON.stringify(document), String(document.errorType).replace(/[^\x20-\x7e]/g, "?")];
    }

    function fail(resource, error, headers = {}) {
      const [text, type] = report(error);
      return post(resource, text, { ...headers, "Lambda-Runtime-Function-Error-Type": type });
    }

    function fault(type, message) {
      const error = new Error(message);
      error.name = `Runtime.${type}`;
      return error;
    }

    function write(level, message) {
      const timestamp = new Date().toISOString();
      const line = logsJSON
        ? JSON.stringify({ timestamp, level, requestId: requestID, message })
        : [timestamp, requestID, level, message].join("\t");
      process.stdout.write(`${line.replaceAll("\n", "\r")}\n`);
    }

    for (const [method, level] of Object.entries(
      { trace: "TRACE", debug: "DEBUG", log: "INFO", info: "INFO", warn: "WARN", error: "ERROR" })) {
      console[method] = (...words) => write(level, util.format(...words));
    }

    // Loading

    function isModule(file) {
      if (file.endsWith(".mjs")) return true;
      if (!file.endsWith(".js")) return false;
      for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
        try {
          const decides = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8")).type === "module";
          if (decides && file.startsWith(`${root}/`) && !`${folder}/`.startsWith(`${root}/`)) {
            const what = `package.json of ${folder} makes ${path.basename(file)} an ES module`;
            hint(`${what}, and is outside of the function: ${onlyIfDeployed}`);
          }
          return decides;
        } catch (error) {
          if (error.code !== "ENOENT") throw error;
        }
        if (folder === path.dirname(folder)) return false;
      }
    }

    function find(folder, module) {
      const place = path.resolve(root, folder, module);
      for (const ending of ["", ".js", ".mjs", ".cjs"]) {
        if (fs.statSync(place + ending, { throwIfNoEntry: false })?.isFile()) return place + ending;
      }
      return createRequire(path.join(root, "index.js")).resolve(module);
    }

    async function exportsOf(folder, module) {
      try {
        const file = find(folder, module);
        const loaded = isModule(file) ? await import(pathToFileURL(file).href) : createRequire(file)(file);
        try {
          notePackages(file, root, name, sdk(version));
        } catch {
          // A folder that cannot be read costs the hints, not the handler.
        }
        return loaded;
      } catch (error) {
        if (error instanceof SyntaxError) throw fault("UserCodeSyntaxError", String(error));
        if (!["MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND"].includes(error?.code)) throw error;
        hintMissing(error, sdk(version), root, module);
        throw fault("ImportModuleError", String(error));
      }
    }

    async function load() {
      if (name.includes("..")) {
        throw fault("MalformedHandlerName", `'${name}' is not a valid handler name`);
      }
      const match = /^([^.]+)\.(.+)$/.exec(path.basename(name));
      if (!match) throw fault("MalformedHandlerName", "Bad handler");
      const loaded = await exportsOf(path.dirname(name), match[1]);
      const member = (start) => match[2].split(".").reduce((value, part) => value?.[part], start);
      const handler = member(loaded) ?? (version >= 24 ? member(loaded.default) : undefined);
      if (handler === undefined) throw fault("HandlerNotFound", `${name} is undefined or not exported`);
      if (typeof handler !== "function") throw fault("HandlerNotFound", `${name} is not a function`);
      if (!streams(handler) && version >= 24 && handler.length > 2) {
        throw fault(
          "CallbackHandlerDeprecated",
          `${name} takes a callback, which Lambda does not support from Node.js 24 on: declare (event, context)`);
      }
      return handler;
    }

    // Invocations

    function contextOf(headers) {
      const environment = process.env;
      const deadline = Number(headers["lambda-runtime-deadline-ms"] ?? 0);
      const parsed = (text) => (text ? JSON.parse(text) : undefined);
      return {
        callbackWaitsForEmptyEventLoop: true,
        functionName: environment.AWS_LAMBDA_FUNCTION_NAME,
        functionVersion: environment.AWS_LAMBDA_FUNCTION_VERSION,
        memoryLimitInMB: environment.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
        logGroupName: environment.AWS_LAMBDA_LOG_GROUP_NAME,
        logStreamName: environment.AWS_LAMBDA_LOG_STREAM_NAME,
        invokedFunctionArn: headers["lambda-runtime-invoked-function-arn"],
        awsRequestId: headers["lambda-runtime-aws-request-id"],
        clientContext: parsed(headers["lambda-runtime-client-context"]),
        identity: parsed(headers["lambda-runtime-cognito-identity"]),
        tenantId: headers["lambda-runtime-aws-tenant-id"],
        getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
      };
    }

    let onEmpty;
    process.on("beforeExit", () => onEmpty?.());

    // Returns the handler's result, or throws its error.
    function invoke(handler, event, context) {
      return new Promise((resolve, reject) => {
        // Of callback, succeed, fail, done and the promise, the first call counts, as on Lambda.
        let isSettled = false;
        const first = (action) => (...values) => {
          if (isSettled) return;
          isSettled = true;
          action(...values);
        };
        const isNothing = (error) => error === undefined || error === null;
        const settle = (error, result) => (isNothing(error) ? resolve(result) : reject(error));
        // A result of the callback waits until nothing else is left to do, as on Lambda.
        const callback = first((error, result) => {
          if (!isNothing(error) || !context.callbackWaitsForEmptyEventLoop) return settle(error, result);
          onEmpty = () => resolve(result);
        });
        context.succeed = first(resolve);
        context.fail = first((error) => reject(isNothing(error) ? "handled" : error));
        context.done = first(settle);
        // Nothing will settle it any more.
        onEmpty = () => {
          if (handler.constructor?.name !== "AsyncFunction") return resolve(null);
          reject(fault("NodeJsExit", "nothing is left to do, and the promise of the handler is not settled"));
        };
        try {
          const result = version >= 24 ? handler(event, context) : handler(event, context, callback);
          if (typeof result?.then === "function") result.then(context.succeed, context.fail);
          else if (version >= 24) resolve(result);
        } catch (error) {
          (version >= 24 ? context.fail : callback)(error);
        }
      });
    }

    // Streams the response to the running event.
    function streamTo(resource, headers) {
      return new ResponseStream((more, begin) => (
        call("POST", resource, undefined, { ...headers, ...more }, begin)
          .catch((error) => leave(1, `${resource}: ${error}`))));
    }

    let crash = "/init/error";
    let crashHeaders = {};
    let isDying = false;
    function die(status, error) {
      if (!crash) leave(status, util.format(error));
      const resource = crash;
      crash = undefined;
      isDying = true;
      fail(resource, error, crashHeaders).then(() => process.exit(status));
    }
    process.on("uncaughtException", (error) => die(129, error));
    process.on("unhandledRejection", (reason) => die(128, fault("UnhandledPromiseRejection", String(reason))));

    let handler;
    try {
      share(sdk(version), extras.packages);
      if (extras.keySets) await (await import("./keysets.mjs")).answerKeySets(extras.keySets);
      handler = await load();
    } catch (error) {
      if (!isDying) {
        await fail("/init/error", error);
        process.exit(1);
      }
    }
    crash = undefined;
    while (!isDying) {
      let next;
      try {
        next = await call("GET", "/invocation/next");
      } catch (error) {
        leave(1, `the next event: ${error}`);
      }
      if (next.status !== 200) leave(1, `the next event: ${next.status} ${next.body}`);
      requestID = next.headers["lambda-runtime-aws-request-id"];
      const attempt = next.headers["lambda-runtime-invocation-id"];
      crashHeaders = attempt ? { "Lambda-Runtime-Invocation-Id": attempt } : {};
      crash = `/invocation/${requestID}/error`;
      if (next.headers["lambda-runtime-trace-id"]) process.env._X_AMZN_TRACE_ID = next.headers["lambda-runtime-trace-id"];
      const resource = `/invocation/${requestID}/response`;
      const stream = streams(handler) ? streamTo(resource, crashHeaders) : undefined;
      const called = stream ? async (event, context) => stream.call(handler, event, context) : handler;
      let text;
      let error;
      try {
        const result = await invoke(called, JSON.parse(next.body.toString()), contextOf(next.headers));
        try {
          text = JSON.stringify(result === undefined ? null : result) ?? "null";
        } catch {
          throw new Error("Unable to stringify response body");
        }
      } catch (thrown) {
        error = { thrown };
      }
      onEmpty = undefined;
      // A rejection that the handler left behind comes before its answer.
      await new Promise((resolve) => setImmediate(resolve));
      // The error is the answer, and this process ends when it is sent.
      if (isDying) break;
      crash = undefined;
      if (error) hintMissing(error.thrown, sdk(version), root);
      if (stream) check(resource, await (error ? stream.fail(...report(error.thrown)) : stream.answer));
      else if (error) await fail(`/invocation/${requestID}/error`, error.thrown, crashHeaders);
      else await post(resource, text, crashHeaders);
    }
    """#
}
