import JSON
import Testing

@testable import Authorizer

@Suite("Event recognition")
struct EventKindTests {
  static let arn = "arn:aws:execute-api:eu-west-1:123456789012:abc/dev/GET/pets"
  static let connectARN = "arn:aws:execute-api:eu-west-1:123456789012:abc/dev/$connect"

  struct Sample: CustomTestStringConvertible {
    let event: String
    let kind: EventKind
    var arn = EventKindTests.arn
    var testDescription: String { event }
  }

  static let samples = [
    Sample(
      event: #"{"type":"TOKEN","methodArn":"\#(arn)","authorizationToken":"Bearer a"}"#, kind: .restToken),
    Sample(event: #"{"type":"TOKEN","methodArn":"\#(arn)"}"#, kind: .restToken),
    Sample(
      event: #"{"type":"TOKEN","methodArn":"\#(arn)","routeArn":"x","version":"2.0"}"#, kind: .restToken),
    Sample(event: #"{"type":"REQUEST","methodArn":"\#(arn)"}"#, kind: .restRequest),
    Sample(
      event: #"{"type":"REQUEST","methodArn":"\#(arn)","requestContext":{"resourcePath":"/pets"}}"#,
      kind: .restRequest),
    Sample(event: #"{"version":"1.0","type":"REQUEST","methodArn":"\#(arn)"}"#, kind: .http1),
    Sample(event: #"{"version":"2.0","type":"REQUEST","routeArn":"\#(arn)"}"#, kind: .http2),
    Sample(event: #"{"type":"REQUEST","routeArn":"\#(arn)","methodArn":"x"}"#, kind: .http2),
    Sample(
      event: #"{"type":"REQUEST","methodArn":"\#(connectARN)"}"#, kind: .webSocket, arn: connectARN),
    Sample(
      event: #"{"type":"REQUEST","methodArn":"\#(arn)","requestContext":{"eventType":"CONNECT"}}"#,
      kind: .webSocket),
    // A Lambda context serialized into the event.
    Sample(
      event: #"{"version":"$LATEST","deadline":1,"type":"REQUEST","methodArn":"\#(connectARN)"}"#,
      kind: .webSocket, arn: connectARN),
    Sample(event: #"{"version":"$LATEST","type":"REQUEST","methodArn":"\#(arn)"}"#, kind: .restRequest),
    Sample(event: #"{"version":1.0,"type":"REQUEST","methodArn":"\#(arn)"}"#, kind: .restRequest),
    Sample(event: #"{"version":null,"type":"REQUEST","methodArn":"\#(arn)"}"#, kind: .restRequest),
    // A path of a REST API is never a WebSocket route, even with that name.
    Sample(
      event: #"{"type":"REQUEST","methodArn":"\#(arn)/$connect"}"#, kind: .restRequest,
      arn: arn + "/$connect"),
    Sample(
      event: #"{"version":"1.0","type":"REQUEST","methodArn":"\#(arn)/$connect"}"#, kind: .http1,
      arn: arn + "/$connect"),
    Sample(
      event: #"{"type":"REQUEST","methodArn":"\#(arn)","requestContext":{"eventType":"MESSAGE"}}"#,
      kind: .restRequest),
    Sample(event: #"{"type":"REQUEST","methodArn":"\#(arn)","requestContext":null}"#, kind: .restRequest),
    // An escaped name equals the plain name.
    Sample(event: #"{"t\u0079pe":"TOK\u0045N","methodArn":"\#(arn)"}"#, kind: .restToken),
  ]

  @Test("an event is recognized by the members that only its kind has", arguments: samples)
  func recognized(_ sample: Sample) throws {
    let request = try AuthorizationRequest(parsing: Array(sample.event.utf8))
    #expect(request.kind == sample.kind)
    #expect(request.arn.stagePrefix + request.arn.route == Array(sample.arn.utf8))
  }

  static let foreign = [
    "null", "true", "1", #""TOKEN""#, "[]", "{}", #"[{"type":"TOKEN","methodArn":"\#(arn)"}]"#,
    #"{"type":"TOKEN"}"#, #"{"type":"REQUEST"}"#, #"{"methodArn":"\#(arn)"}"#, #"{"routeArn":"\#(arn)"}"#,
    #"{"type":"TOKEN","routeArn":"\#(arn)"}"#, #"{"type":"token","methodArn":"\#(arn)"}"#,
    #"{"type":"Request","methodArn":"\#(arn)"}"#, #"{"type":"REQUEST ","methodArn":"\#(arn)"}"#,
    #"{"type":["TOKEN"],"methodArn":"\#(arn)"}"#, #"{"type":null,"methodArn":"\#(arn)"}"#,
    #"{"Type":"TOKEN","methodArn":"\#(arn)"}"#, #"{"type":"TOKEN","MethodArn":"\#(arn)"}"#,
    #"{"detail":{"type":"TOKEN","methodArn":"\#(arn)"}}"#,
  ]

  @Test("other JSON is not an authorizer event", arguments: foreign)
  func notRecognized(_ event: String) {
    #expect(throws: EventFlaw.notAnAuthorizerEvent) { try AuthorizationRequest(parsing: Array(event.utf8)) }
  }

  static let malformedARNs = [
    #"{"type":"TOKEN","methodArn":null}"#, #"{"type":"TOKEN","methodArn":7}"#,
    #"{"type":"TOKEN","methodArn":""}"#,
    #"{"type":"REQUEST","methodArn":["\#(arn)"]}"#,
    #"{"type":"REQUEST","routeArn":null,"methodArn":"\#(arn)"}"#,
    #"{"type":"REQUEST","routeArn":"*"}"#,
    #"{"type":"REQUEST","methodArn":"\#(arn)\#(String(repeating: "a", count: MethodARN.maximumBytes))"}"#,
  ]

  @Test("an authorizer event with a malformed ARN is reported as such", arguments: malformedARNs)
  func malformedARN(_ event: String) {
    #expect(throws: EventFlaw.malformedARN) { try AuthorizationRequest(parsing: Array(event.utf8)) }
  }

  static let texts: [(event: String, error: JSONError)] = [
    ("", .unexpectedEnd(offset: 0)), ("{", .unexpectedEnd(offset: 1)),
    (#"{"type":"TOKEN","type":"REQUEST","methodArn":"\#(arn)"}"#, .duplicateName(offset: 16)),
    (#"{"type":"TOKEN","methodArn":"\#(arn)"}x"#, .trailingBytes(offset: 90)),
    ("\u{FEFF}{}", .byteOrderMark),
  ]

  @Test("text that is not strict JSON is not an event", arguments: texts)
  func notJSON(event: String, error: JSONError) {
    #expect(throws: EventFlaw.notJSON(error)) { try AuthorizationRequest(parsing: Array(event.utf8)) }
  }
}

@Suite("Sample events of other projects", .enabled(if: SharedMaterial.hasEvents, "../shared is absent"))
struct SampleEventTests {
  /// By path and kind; every other file is not an authorizer event.
  static let authorizerEvents: [String: EventKind] = [
    "aws-lambda-go/events/testdata/apigw-custom-auth-request.json": .restToken,
    "aws-lambda-go/events/testdata/apigw-custom-auth-request-type-request.json": .restRequest,
    "aws-lambda-go/events/testdata/apigw-v2-custom-authorizer-v1-request.json": .http1,
    "aws-lambda-go/events/testdata/apigw-v2-custom-authorizer-v2-request.json": .http2,
    "powertools-lambda-python/tests/events/apiGatewayAuthorizerRequestEvent.json": .http1,
    "powertools-lambda-python/tests/events/apiGatewayAuthorizerTokenEvent.json": .restToken,
    "powertools-lambda-python/tests/events/apiGatewayAuthorizerV2Event.json": .http2,
    "powertools-lambda-typescript/packages/parser/tests/events/apigw-http/authorizer-request.json": .http2,
    "powertools-lambda-typescript/packages/parser/tests/events/apigw-rest/authorizer-request.json":
      .restRequest,
    "powertools-lambda-typescript/packages/parser/tests/events/apigw-rest/authorizer-token.json": .restToken,
    "powertools-lambda-typescript/packages/parser/tests/events/apigw-websocket/connectEvent.json": .webSocket,
  ]

  @Test("each file is recognized: 3 TOKEN, 2 REST, 2 HTTP 1.0, 3 HTTP 2.0, 1 WebSocket of 65")
  func everyFile() throws {
    var counts: [EventKind: Int] = [:]
    let files = try SharedMaterial.eventFiles()
    for (path, bytes) in files {
      do {
        let kind = try AuthorizationRequest(parsing: bytes).kind
        counts[kind, default: 0] += 1
        #expect(kind == Self.authorizerEvents[path], "\(path)")
      } catch {
        #expect(error == .notAnAuthorizerEvent, "\(path)")
        #expect(Self.authorizerEvents[path] == nil, "\(path)")
      }
    }
    #expect(files.count == 65)
    #expect(counts == [.restToken: 3, .restRequest: 2, .http1: 2, .http2: 3, .webSocket: 1])
  }

  @Test("each file gets an answer: a rejected token or a failure")
  func everyFileIsAnswered() throws {
    var authorizer = try TestIssuers.authorizer()
    for (path, bytes) in try SharedMaterial.eventFiles() {
      let decision = authorizer.decide(on: bytes, at: TestIssuers.now)
      #expect(decision.eventKind == Self.authorizerEvents[path], "\(path)")
      if decision.eventKind == nil {
        #expect(decision.reason == .invalidEvent, "\(path)")
      } else {
        #expect(decision.outcome == .unauthorized, "\(path)")
      }
    }
    #expect(authorizer.signatureChecks == 0)
  }
}
