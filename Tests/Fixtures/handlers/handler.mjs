// The member `do` of an event selects what the handler does.

import crypto from "node:crypto";
import http from "node:http";
import process from "node:process";

console.log("imported");
let calls = 0;
const held = [];

export const handler = async (event, context) => {
  calls += 1;
  switch (event.do) {
    case "fail": throw new TypeError("no such thing");
    case "unauthorized": throw new Error("Unauthorized");
    case "exit": process.exit(3);
    case "abort": process.abort();
    case "hang": for (;;);
    case "memory": for (;;) held.push(crypto.randomBytes(1 << 20));
    case "large": return "x".repeat(event.bytes);
    case "unserializable": {
      const ring = {};
      ring.itself = ring;
      return ring;
    }
    case "nothing": return undefined;
    case "log":
      console.log("a line of the handler");
      return "logged";
    case "environment": return { ...process.env };
    case "rejection":
      Promise.reject(new RangeError("left behind"));
      return new Promise((resolve) => setTimeout(resolve, 60_000));
    case "uncaught":
      setTimeout(() => { throw new RangeError("too late"); }, 0);
      return new Promise((resolve) => setTimeout(resolve, 60_000));
    case "measure": return { length: event.text.length };
    case "own": return { status: await post(context.awsRequestId), ...event };
    case "other": return { status: await post("00000000-0000-4000-8000-000000000000"), ...event };
    case "chatter":
      process.stdout.write("x".repeat(event.bytes));
      return "said";
    case "deaf":
      process.on("SIGTERM", () => {});
      for (;;);
    case "null": throw null;
    case "text": throw "Unauthorized";
    case "never": return new Promise(() => {});
    case "tell":
      return {
        calls,
        remaining: context.getRemainingTimeInMillis(),
        request: context.awsRequestId,
        arn: context.invokedFunctionArn,
        name: context.functionName,
        version: context.functionVersion,
        memory: context.memoryLimitInMB,
        group: context.logGroupName,
        stream: context.logStreamName,
        trace: process.env._X_AMZN_TRACE_ID,
        folder: process.cwd(),
      };
    default: return event;
  }
};

function post(request) {
  const url = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation/${request}/response`;
  return new Promise((resolve) => {
    http.request(url, { method: "POST" }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode));
    }).end('{"forged":true}');
  });
}

export const sync = () => "ignored";
export const callback = (event, context, done) => {
  if (event.do === "fail") return done(new TypeError("no such thing"));
  if (event.do === "twice") {
    done(null, "first");
    done(null, "second");
    context.succeed("third");
    return Promise.resolve("fourth");
  }
  setTimeout(() => done(null, event), 1);
};
export const streaming = awslambda.streamifyResponse(async () => {});
export const notFunction = 1;
