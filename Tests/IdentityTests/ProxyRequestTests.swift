import Foundation
import JSON
import TestSupport
import Testing

@testable import Identity

@Suite("Proxy events")
struct ProxyRequestTests {
  static let samples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "shared/events")

  static let hasSamples = FileManager.default.fileExists(atPath: samples.path)

  /// Files of real events by the end of their path, with format, method, path and stage; `nil` for events of another
  /// kind.
  static let expected: [(file: String, request: String?)] = [
    ("aws-lambda-go/events/testdata/apigw-request.json", "1.0 POST /hello/world testStage"),
    ("aws-lambda-go/events/testdata/apigw-restapi-openapi-request.json", "1.0 POST /hello/world testStage"),
    ("aws-lambda-go/events/testdata/apigw-v2-request-iam.json", "2.0 GET /my/path $default"),
    ("aws-lambda-go/events/testdata/apigw-v2-request-jwt-authorizer.json", "2.0 GET /my/path $default"),
    ("aws-lambda-go/events/testdata/apigw-v2-request-lambda-authorizer.json", "2.0 GET /my/path $default"),
    ("aws-lambda-go/events/testdata/apigw-v2-request-no-authorizer.json", "2.0 GET / $default"),
    ("aws-lambda-go/events/testdata/alb-lambda-target-request-headers-only.json", nil),
    ("aws-lambda-go/events/testdata/apigw-websocket-request.json", nil),
    ("aws-lambda-go/events/testdata/apigw-websocket-request-send-message.json", nil),
    ("aws-lambda-go/events/testdata/apigw-custom-auth-request.json", nil),
    ("aws-lambda-go/events/testdata/apigw-custom-auth-request-type-request.json", nil),
    ("aws-lambda-go/events/testdata/apigw-v2-custom-authorizer-v1-request.json", nil),
    ("aws-lambda-go/events/testdata/apigw-v2-custom-authorizer-v2-request.json", nil),
    ("apigw-rest/console-test-ui.json", "1.0 POST /no-auth test-invoke-stage"),
    ("apigw-rest/iam-auth.json", "1.0 POST /iam prod"),
    ("apigw-rest/jwt-authorizer-auth.json", "1.0 POST /cognito prod"),
    ("apigw-rest/lambda-authorizer-auth.json", "1.0 POST /lambda-token prod"),
    ("apigw-rest/no-auth.json", "1.0 POST /no-auth prod"), ("apigw-rest/websocket.json", nil),
    ("apigw-rest/authorizer-token.json", nil), ("apigw-rest/authorizer-request.json", nil),
    ("apigw-http/iam-auth.json", "2.0 POST /iam $default"),
    ("apigw-http/lambda-authorizer-auth.json", "2.0 POST /lambda $default"),
    ("apigw-http/no-auth.json", "2.0 POST /lambda $default"), ("apigw-http/authorizer-request.json", nil),
    ("tests/events/apiGatewayProxyEvent.json", "1.0 GET /my/path $default"),
    ("tests/events/apiGatewayProxyEventPathTrailingSlash.json", "1.0 GET /my/path/ $default"),
    ("tests/events/apiGatewayProxyV2Event.json", "2.0 POST /my/path $default"),
    ("tests/events/apiGatewayProxyV2LambdaAuthorizerEvent.json", "2.0 GET /my/path $default"),
  ]

  @Test(
    "real proxy events are parsed, and other events are refused",
    .enabled(if: hasSamples, "no ../shared/events"), arguments: expected)
  func real(file: String, request: String?) throws {
    let path = try #require(try Self.files().first { $0.hasSuffix("/" + file) })
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    do {
      let found = try ProxyRequest(parsing: bytes)
      let text = [Array(found.format.rawValue.utf8), found.method, found.path, found.stage]
        .map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
      #expect(text == request)
    } catch {
      #expect(request == nil && error == .notAProxyEvent)
    }
  }

  @Test("every sample gets an answer or a flaw", .enabled(if: hasSamples, "no ../shared/events"))
  func everySample() throws {
    var harness = try IdentityHarness()
    var answered = 0
    for path in try Self.files() {
      let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
      do throws(ProxyEventFlaw) {
        let answer = Answered(try harness.service.answer(to: bytes, harness.inputs))
        #expect(answer.status == 404, "\(path)")
        answered += 1
      } catch {
        #expect(!error.description.isEmpty)
      }
    }
    #expect(answered >= 25)
  }

  static let bad: [(event: String, flaw: String)] = [
    ("", "the text ends too early at byte 0"), ("[]", "not a proxy event of an API Gateway REST or HTTP API"),
    ("{}", "not a proxy event of an API Gateway REST or HTTP API"),
    (#"{"requestContext":{"stage":"s"}}"#, "not a proxy event of an API Gateway REST or HTTP API"),
    (
      #"{"version":"3.0","httpMethod":"GET","path":"/","requestContext":{"stage":"s"}}"#,
      "not a proxy event of an API Gateway REST or HTTP API"
    ),
    (
      #"{"type":"REQUEST","httpMethod":"GET","path":"/","requestContext":{"stage":"s"}}"#,
      "not a proxy event of an API Gateway REST or HTTP API"
    ),
    (
      #"{"httpMethod":"GET","path":"/","requestContext":{}}"#,
      "requestContext.stage: absent or of the wrong kind"
    ),
    (#"{"httpMethod":1,"path":"/","requestContext":{"stage":"s"}}"#, "method: absent or of the wrong kind"),
    (#"{"httpMethod":"","path":"/","requestContext":{"stage":"s"}}"#, "method: absent or of the wrong kind"),
    (#"{"httpMethod":"GET","path":"x","requestContext":{"stage":"s"}}"#, "path: absent or of the wrong kind"),
    (#"{"httpMethod":"GET","path":"","requestContext":{"stage":"s"}}"#, "path: absent or of the wrong kind"),
    (
      #"{"httpMethod":"GET","path":"/","headers":[],"requestContext":{"stage":"s"}}"#,
      "headers: absent or of the wrong kind"
    ),
    (
      #"{"httpMethod":"GET","path":"/","headers":{"content-TYPE":1},"requestContext":{"stage":"s"}}"#,
      "headers: absent or of the wrong kind"
    ),
    (
      #"{"httpMethod":"GET","path":"/","multiValueHeaders":{"content-type":"x"},"requestContext":{"stage":"s"}}"#,
      "multiValueHeaders: absent or of the wrong kind"
    ),
    (
      #"{"httpMethod":"GET","path":"/","body":{},"requestContext":{"stage":"s"}}"#,
      "body: absent or of the wrong kind"
    ),
    (
      #"{"httpMethod":"GET","path":"/","isBase64Encoded":"true","requestContext":{"stage":"s"}}"#,
      "isBase64Encoded: absent or of the wrong kind"
    ),
    (
      #"{"version":"2.0","rawPath":"/","requestContext":{"stage":"s","http":{}}}"#,
      "method: absent or of the wrong kind"
    ),
    (
      #"{"version":"2.0","rawPath":"/","requestContext":{"stage":"s"}}"#,
      "not a proxy event of an API Gateway REST or HTTP API"
    ),
  ]

  @Test("an event that is not a proxy event is a flaw", arguments: bad)
  func flaws(event: String, flaw: String) throws {
    var harness = try IdentityHarness()
    do throws(ProxyEventFlaw) {
      _ = try harness.service.answer(to: Array(event.utf8), harness.inputs)
      Issue.record("it was answered")
    } catch {
      #expect(error.description == flaw)
    }
  }

  @Test(
    "several values of Content-Type are refused",
    arguments: [
      #""headers":{"Content-Type":"application/json","content-type":"application/json"}"#,
      #""multiValueHeaders":{"Content-Type":["application/json","text/plain"]}"#,
      #""headers":{"content-type":"application/json"},"multiValueHeaders":{"a":[],"CONTENT-TYPE":["a","b"]}"#,
    ])
  func ambiguousType(headers: String) throws {
    var harness = try IdentityHarness()
    let event =
      #"{"httpMethod":"POST","path":"/auth/verify","body":"{}",\#(headers),"requestContext":{"stage":"s"}}"#
    #expect(Answered(try harness.service.answer(to: Array(event.utf8), harness.inputs)).status == 415)
  }

  @Test("mutated events always get an answer or a flaw")
  func mutated() throws {
    var harness = try IdentityHarness()
    let body = IdentityHarness.body(try harness.token())
    var seeds = PayloadFormat.allCases.flatMap { format in
      [
        ProxyEvent(format, method: "POST", path: "/auth/verify", body: body),
        ProxyEvent(format, method: "POST", path: "/auth/apple/notifications", body: #"{"payload":"a.b.c"}"#),
        ProxyEvent.get("/users/001234%2Ex", as: "001234.x", format),
      ].map(\.bytes)
    }
    if Self.hasSamples {
      seeds += try Self.files().prefix(20).map { [UInt8](try Data(contentsOf: URL(filePath: $0))) }
    }
    var random = SeededGenerator(seed: 0x1D)
    var kinds: Set<String> = []
    for round in 0..<4000 {
      var bytes = seeds[round % seeds.count]
      Mutation.apply(to: &bytes, &random)
      do throws(ProxyEventFlaw) {
        let record = try harness.service.answer(to: bytes, harness.inputs)
        let answer = try? JSONTree(parsing: record.response, limits: .event)
        #expect(answer?["statusCode"] == .number("\(record.status)"))
        kinds.insert("\(record.status)")
      } catch {
        kinds.insert("flaw")
      }
    }
    #expect(kinds.isSuperset(of: ["flaw", "400", "404"]), "\(kinds)")
  }

  private static func files() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: samples.path).filter { $0.hasSuffix(".json") }
      .sorted().map { samples.appending(path: $0).path }
  }
}

/// Small mutations that often break parsers.
private enum Mutation {
  static func apply(to bytes: inout [UInt8], _ random: inout SeededGenerator) {
    for _ in 0...Int(random.next() % 3) where !bytes.isEmpty {
      let index = Int(random.next() % UInt64(bytes.count))
      switch random.next() % 6 {
      case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
      case 1: bytes.remove(at: index)
      case 2: bytes.insert(contentsOf: pieces[Int(random.next() % UInt64(pieces.count))], at: index)
      case 3: bytes.removeSubrange(index..<min(bytes.count, index + Int(random.next() % 64)))
      case 4: bytes.swapAt(index, Int(random.next() % UInt64(bytes.count)))
      default: bytes[index] ^= 0x20
      }
    }
  }

  private static let pieces = ["\"", "{", "}", "null", "[]", "\\u0000", "%", "\u{FFFD}", ",\"x\":1", "\\"]
    .map { Array($0.utf8) }
}
