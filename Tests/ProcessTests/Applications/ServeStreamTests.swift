import Foundation
import JSON
import TestSupport
import Testing

/// `serve` with a function that streams.
@Suite(.needsPython, .needsNode, .serialized, .hangLimit)
struct ServeStreamTests {
  private static let template = """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Guard:
        Type: AWS::Serverless::Function
        Properties: { Runtime: python3.11, Handler: app.handler, CodeUri: guard/, MemorySize: 256 }
      Stories:
        Type: AWS::Serverless::Function
        Properties:
          Runtime: nodejs20.x
          Handler: index.handler
          CodeUri: backend/
          MemorySize: 512
          Timeout: 60
          Events:
            Streamed:
              Type: Api
              Properties: { RestApiId: !Ref Api, Path: /streamed, Method: get, ResponseTransferMode: RESPONSE_STREAM }
            Buffered: { Type: Api, Properties: { RestApiId: !Ref Api, Path: /buffered, Method: get } }
      Api:
        Type: AWS::Serverless::Api
        Properties:
          StageName: prod
          Auth:
            DefaultAuthorizer: Own
            Authorizers: { Own: { FunctionArn: !GetAtt Guard.Arn, Identity: { ReauthorizeEvery: 0 } } }
    """

  private static let guardSource = """
    def handler(event, context):
        effect = "Allow" if event["authorizationToken"] == "Bearer yes" else "Deny"
        statement = {"Action": "execute-api:Invoke", "Effect": effect, "Resource": "*"}
        return {"principalId": "kim", "policyDocument": {"Version": "2012-10-17", "Statement": [statement]},
                "context": {"tale": "snail"}}
    """

  private static let backendSource = """
    const { once } = require("node:events");
    const { pipeline } = require("node:stream/promises");
    const { Readable } = require("node:stream");

    let calls = 0;
    exports.handler = awslambda.streamifyResponse(async (event, stream) => {
      calls += 1;
      const { do: order, size } = event.queryStringParameters ?? {};
      const from = (metadata) => awslambda.HttpResponseStream.from(stream, metadata);
      switch (order) {
        case "large": {
          const blocks = function* () { for (let i = 0; i < Number(size); i++) yield Buffer.alloc(1 << 20, "a"); };
          return pipeline(Readable.from(blocks()), from({}));
        }
        case "plain":
          stream.write(JSON.stringify({ statusCode: 200, body: "secret" }));
          return stream.end();
        case "metadata":
          stream.write("x".repeat(Number(size)));
          return stream.end();
        case "late":
          from({ statusCode: 200 }).write("secret");
          throw new Error("late");
        case "header":
          from({ statusCode: 200, headers: { "X-A": "a\\r\\nX-Forged: b", "X-B": "b" } }).write("c");
          return stream.end();
        case "status":
          from({ statusCode: Number(size) }).write("secret");
          return stream.end();
        case "endless":
          from({}).write("a");
          for (const block = Buffer.alloc(1 << 20, "a");;) if (!stream.write(block)) await once(stream, "drain");
        default: {
          const tale = event.requestContext.authorizer.tale;
          const headers = { "Content-Type": "text/event-stream" };
          stream = from({ statusCode: 201, headers, cookies: ["a=b"] });
          for (const part of ["data: ", tale, `, ${calls}`]) {
            stream.write(part);
            await new Promise((resolve) => setImmediate(resolve));
          }
          stream.end();
        }
      }
    });
    """

  @Test("a stream reaches the client whole, behind the authorizer, and a hostile one does not") func streams()
    async throws
  {
    let workshop = try Workshop()
    try workshop.write(Self.template, to: "their/template.yaml")
    try workshop.write(Self.guardSource, to: "their/guard/app.py")
    try workshop.write(Self.backendSource, to: "their/backend/index.js")
    let gateway = try ServedGateway(workshop, ["--template", "their/template.yaml", "--run-functions"])
    #expect(gateway.logText.contains("notes about the template: 1 (authorizer-local routes)"))
    func send(_ path: String, _ token: String? = "yes") async throws -> ServedGateway.Answer {
      try await gateway.send(
        "GET", "/Api/prod/" + path, headers: token.map { ["Authorization": "Bearer \($0)"] } ?? [:])
    }
    #expect(try await send("streamed", nil).status == 401)
    #expect(try await send("streamed", "no").status == 403)

    let story = try await send("streamed")
    #expect(story.status == 201, "\(story.text)\n\(gateway.logText)")
    #expect(story.text == "data: snail, 1", "the function was not called for the refused requests")
    #expect(story.headers["content-type"] == "text/event-stream")
    #expect(story.headers["set-cookie"] == "a=b")
    let buffered = try await send("buffered?do=header")
    #expect(buffered.status == 200 && buffered.text.isEmpty && buffered.headers["x-b"] == "b")

    let large = try await send("streamed?do=large&size=12")
    #expect(large.status == 200 && large.text.utf8.count == 12 << 20)
    for order in ["plain", "metadata&size=20000", "late", "status&size=99", "status&size=1000", "endless"] {
      let answer = try await send("streamed?do=" + order)
      #expect(answer.status == 500, "\(order): \(answer.text)\n\(gateway.logText)")
      #expect(answer.text.contains("Internal server error"), "\(order)")
      #expect(!answer.text.contains("secret"), "\(order)")
    }
    let header = try await send("streamed?do=header")
    #expect(header.status == 200 && header.text == "c")
    #expect(header.headers["x-b"] == "b" && header.headers["x-forged"] == nil)
  }
}
