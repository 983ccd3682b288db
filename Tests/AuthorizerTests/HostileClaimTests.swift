import JSON
import Testing

@testable import Authorizer

/// Users may control claims: no value may change the meaning of a policy.
@Suite("Hostile claim values")
struct HostileClaimTests {
  static let values = [
    "*", "?", "/", "u1/*", "*/*", "${sub}", "${*}", "${aws:userid}", "$", "{id}", "..", ".", "../u2",
    "u1/../u2", "%2F", "%2a",
    "\u{0}", "a\u{0}b", "a\r\nX-Admin: 1", "\u{1B}[2J", "\u{7F}", "\u{85}", "\u{202E}1u", "\u{2028}",
    "\u{FEFF}", "\"", "\\",
    "\",\"Effect\":\"Allow", "arn:aws:execute-api:*:*:*", "$connect", "", " ", "u 1", "\u{E9}", "U\u{301}",
    String(repeating: "x", count: 10_240), String(repeating: "*", count: 2000), "[]", "{}", "null", "true",
    "1",
  ]

  static let configuration =
    #""default":"deny","rules":[{"routes":["GET /users/${own}","GET /users/${own}/*","GET /me"],"allow":true}],"routeArnIsConcrete":true"#
  static let context =
    #","context":{"own":"own","list":{"claim":"list","as":"joined"},"json":{"claim":"own","as":"json"},"deep":"deep"}"#

  @Test("a hostile value never widens a policy and never breaks its JSON", arguments: values)
  func value(value: String) throws {
    var authorizer = try TestRules.authorizer(Self.configuration, partner: Self.context)
    let text = String(decoding: JSONTree.string(value).bytes(), as: UTF8.self)
    // A token has at most 16 KiB, so a long value is used in one claim only.
    let others =
      value.utf8.count > 1000 ? "" : #","list":[\#(text),"b"],"deep":{"a":[\#(text)]},"scope":\#(text)"#
    let token = try TestRules.partnerToken(#""sub":"u1","own":\#(text)\#(others)"#)
    let isRoutable = ["null", "true", "1"].contains(value)
    for kind in EventKind.allCases {
      let decision = authorizer.decide(
        on: TestEvent.bytes(kind, arn: TestEvent.stage + "GET/me", token: token), at: TestIssuers.now)
      // Too large is a failure, not a verdict on the value.
      guard case .response(let bytes) = decision.answer else {
        #expect(decision.reason == .answerTooLarge)
        #expect(value.utf8.count > 1000)
        continue
      }
      let policy = try PolicyReading(bytes)
      let allowed = policy.statements.filter { $0.effect == "Allow" }.flatMap(\.resources)
      let own = ["GET/users/\(value)", "GET/users/\(value)/*", "GET/users/\(value)"].map {
        TestEvent.stage + $0
      }
      #expect(Set(allowed) == Set([TestEvent.stage + "GET/me"] + (isRoutable ? own : [])))
      for route in ["GET/users/u2", "GET/admin", "POST/me", "GET/", "$connect", "GET/users/"] {
        #expect(try !policy.allows(TestEvent.stage + route))
      }
      #expect(policy.principalID == "u1")
      guard case .object(let members) = policy.context else { throw PolicyReading.Unreadable() }
      let names = ["sub", "issuer", "exp", "scope", "own", "list", "json", "deep", "denyCode"]
      #expect(Set(members.map(\.name)).isSubset(of: names))
      for case .string(let text) in members.map(\.value) {
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 || 0x7F...0x9F ~= $0.value })
      }
      // A joined list never has more elements than the list.
      if case .string(let list)? = policy.context["list"] { #expect(list.split(separator: " ").count <= 2) }
    }
  }
}
