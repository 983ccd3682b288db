import TestSupport
import Testing

@testable import Authorizer

@Suite("Policies")
struct PolicyTests {
  /// API Gateway caches a policy under the token and evaluates it for other routes of the stage.
  @Test("one token gets the same policy for every route of a stage", arguments: EventKind.allCases)
  func sameForEveryRoute(kind: EventKind) throws {
    var authorizer = try TestIssuers.authorizer()
    let token = try TestIssuers.token(#""preset":"apple""#)
    var random = SeededGenerator(seed: 0x5EED)
    for stage in ["dev", "$default", "*"] {
      let prefix = "arn:aws:execute-api:eu-west-1:123456789012:abc/\(stage)/"
      var policies: Set<[UInt8]> = []
      for _ in 0..<100 {
        let event = TestEvent.bytes(kind, arn: prefix + Self.route(&random), token: token)
        guard case .response(let bytes) = authorizer.decide(on: event, at: TestIssuers.now).answer else {
          Issue.record("no policy")
          continue
        }
        policies.insert(bytes)
      }
      #expect(policies.count == 1)
      #expect(try policies.map { try PolicyReading($0).resources } == [[prefix + "*"]])
    }
  }

  /// A subject is unique only within its issuer (OpenID Connect Core section 5.7), so two issuers may use the same
  /// one.
  @Test("the same subject of two issuers gives two answers")
  func sameSubject() throws {
    var authorizer = try TestIssuers.authorizer()
    let answers = try ["apple", "partner"].map { issuer in
      let shape =
        issuer == "apple"
        ? #""preset":"apple","claims":{"sub":"alice"}"#
        : #""claims":{"iss":"https://id.example.com","aud":"api","sub":"alice","iat":"-1m","exp":"+10m"}"#
      let event = TestEvent.bytes(.restToken, token: try TestIssuers.token(shape))
      return authorizer.decide(on: event, at: TestIssuers.now)
    }
    #expect(answers.map(\.outcome) == [.allowed, .allowed])
    #expect(answers[0].answer != answers[1].answer)
  }

  private static func route(_ random: inout SeededGenerator) -> String {
    let verbs = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "*", "$connect"]
    let pieces = [
      "", "a", "users", "..", ".", "%2F", "%2e%2e", "%25", "a:b", ":", "arn:aws:iam::1:root", "*", "?",
      "$connect",
      "$default", "${sub}", "{proxy+}", "a b", "\u{E9}", "\"", "\\", "\u{1}", "GET", "dev",
    ]
    let path = (0..<Int.random(in: 0...8, using: &random)).map { _ in
      pieces.randomElement(using: &random) ?? ""
    }
    return (verbs.randomElement(using: &random) ?? "GET") + "/" + path.joined(separator: "/")
  }
}
