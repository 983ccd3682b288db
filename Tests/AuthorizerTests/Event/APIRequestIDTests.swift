import Testing

@testable import Authorizer
@testable import FunctionHost

@Suite("Request IDs of API Gateway")
struct APIRequestIDTests {
  static let uuid = "deef4878-7910-11e6-8f14-25afc3e9ae33"

  /// Events of all kinds with the ID in their `requestContext`.
  static func event(_ kind: EventKind, requestContext: String) -> String {
    let arn = #""arn:aws:execute-api:eu-west-1:123456789012:abc/dev/"#
    return switch kind {
    case .restToken:
      #"{"type":"TOKEN","methodArn":\#(arn)GET/pets","requestContext":\#(requestContext)}"#
    case .restRequest:
      #"{"type":"REQUEST","methodArn":\#(arn)GET/pets","requestContext":\#(requestContext)}"#
    case .http1:
      #"{"version":"1.0","type":"REQUEST","methodArn":\#(arn)GET/pets","requestContext":\#(requestContext)}"#
    case .http2:
      #"{"version":"2.0","type":"REQUEST","routeArn":\#(arn)GET/pets","requestContext":\#(requestContext)}"#
    case .webSocket: #"{"type":"REQUEST","methodArn":\#(arn)$connect","requestContext":\#(requestContext)}"#
    }
  }

  private static func decide(_ event: String) throws -> (decision: Decision, id: String?) {
    var authorizer = try TestIssuers.authorizer()
    let decision = authorizer.decide(on: Array(event.utf8), at: TestIssuers.now)
    return (decision, decision.apiRequestID.map { String(decoding: $0.utf8, as: UTF8.self) })
  }

  @Test("a decision has the ID of each kind of event but TOKEN", arguments: EventKind.allCases)
  func kinds(kind: EventKind) throws {
    for id in [Self.uuid, "LV7fzho-PHcEJPw=", "id", "_", String(repeating: "A", count: 36)] {
      let (decision, found) = try Self.decide(Self.event(kind, requestContext: #"{"requestId":"\#(id)"}"#))
      #expect(decision.eventKind == kind)
      #expect(found == (kind == .restToken ? nil : id))
    }
  }

  /// Values of `requestContext` that give no ID.
  static let hostile: [String] =
    [
      "null", "[]", "1", #""requestId""#, "{}", #"{"requestid":"id"}"#, #"{"identity":{"requestId":"id"}}"#,
      #"{"requestId":null}"#, #"{"requestId":1}"#, #"{"requestId":true}"#, #"{"requestId":["id"]}"#,
      #"{"requestId":{"requestId":"id"}}"#,
    ]
    + [
      "", " ", "a b", "a.b", "a@b", "a/b", "a+b", "a:b", "a,b", "a;b", "\u{E9}", "\u{1F600}", "a\u{7F}",
      #"a\"b"#, #"a\\b"#, #"a\nb"#, #"a\u0000"#, #"\u0061"#, #"\",\"outcome\":\"allowed"#,
      String(repeating: "a", count: 37), String(repeating: "a", count: 100_000),
    ].map { #"{"requestId":"\#($0)"}"# }

  @Test("anything else is left out of the decision, and the caller gets the same answer", arguments: hostile)
  func leavesOut(requestContext: String) throws {
    for kind in EventKind.allCases {
      let (decision, id) = try Self.decide(Self.event(kind, requestContext: requestContext))
      #expect(id == nil)
      #expect(decision.eventKind == kind)
      #expect(decision.reason == .missingToken)
    }
  }

  @Test("an event that is no authorizer event has none")
  func noEvent() throws {
    let (decision, id) = try Self.decide(#"{"type":"OTHER","requestContext":{"requestId":"id"}}"#)
    #expect(decision.reason == .invalidEvent)
    #expect(id == nil)
  }
}
