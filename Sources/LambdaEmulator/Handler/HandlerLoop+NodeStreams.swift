extension HandlerLoop {
  /// Streams the response of a handler, as `awslambda` of Lambda's own client does.
  static let nodeStreams = HandlerLoop(fileName: "streams.mjs", text: nodeStreamsText)

  private static let nodeStreamsText = #"""
    import { Writable } from "node:stream";

    const streaming = Symbol.for("aws.lambda.runtime.handler.streaming");
    const [errorType, errorBody] = ["Lambda-Runtime-Function-Error-Type", "Lambda-Runtime-Function-Error-Body"];

    globalThis.awslambda = {
      streamifyResponse: (handler) => Object.assign(handler, { [streaming]: "response" }),
      HttpResponseStream: {
        from(stream, metadata) {
          stream.setContentType("application/vnd.awslambda.http-integration-response");
          const text = JSON.stringify(metadata);
          stream._onBeforeFirstWrite = (write) => {
            write(text);
            write(new Uint8Array(8));
          };
          return stream;
        },
      },
    };

    export function streams(handler) {
      if (!handler[streaming]) return false;
      if (handler[streaming] === "response") return true;
      throw Object.assign(
        new Error("Only response streaming is supported."), { name: "Runtime.MalformedStreamingHandler" });
    }

    // The response to one event. `open` begins its request with these headers, and returns the promise of its answer.
    export class ResponseStream extends Writable {
      #open;
      #request;
      #type = "application/octet-stream";
      #isWritten = false;

      constructor(open) {
        super();
        this.#open = open;
        this.on("error", () => {});
      }

      setContentType(type) {
        if (this.#isWritten) {
          throw Object.assign(
            new Error("Cannot set content-type, too late."), { name: "Runtime.InvalidStreamingOperation" });
        }
        this.#type = type;
      }

      // As on Lambda, `end` alone does not write the metadata of `HttpResponseStream.from`.
      write(chunk, ...rest) {
        const isFirst = !this.#isWritten;
        this.#isWritten = true;
        if (isFirst) this._onBeforeFirstWrite?.((part) => super.write(part));
        const isPlain = typeof chunk === "string" || chunk instanceof Uint8Array;
        return super.write(isPlain ? chunk : JSON.stringify(chunk), ...rest);
      }

      _write(chunk, encoding, done) {
        this.#begin().write(chunk, done);
      }

      _final(done) {
        this.#begin().end(done);
      }

      #begin() {
        if (this.#request) return this.#request;
        const headers = {
          "Content-Type": this.#type, "Lambda-Runtime-Function-Response-Mode": "streaming",
          Trailer: `${errorType}, ${errorBody}`,
        };
        this.answer = this.#open(headers, (request) => (this.#request = request));
        // An answer before the end refuses the rest.
        this.answer.then(() => this.#request.destroy());
        return this.#request;
      }

      // Calls a handler. The promise is settled when the response is written.
      async call(handler, event, context) {
        const result = handler(event, this, context);
        if (typeof result?.then !== "function") throw new Error("Streaming does not support non-async handlers.");
        if ((await result) !== undefined) console.warn("Streaming handlers ignore return values.");
        if (!this.closed) await new Promise((resolve) => this.once("close", resolve));
        if (!this.writableFinished) throw new Error("Response stream is not finished.");
      }

      // Ends the response with an error, unless it has ended.
      fail(text, type) {
        const request = this.#begin();
        if (!request.writableEnded && !request.destroyed) {
          // A server takes trailers of some 80 KB.
          const body = text.length > 16384 ? JSON.stringify({ errorMessage: "too long", errorType: type }) : text;
          request.addTrailers({ [errorType]: type, [errorBody]: Buffer.from(body).toString("base64") });
          request.end();
        }
        return this.answer;
      }
    }
    """#
}
