import JOSE
import JSON
import Testing

@testable import Authorizer
@testable import FunctionHost

@Suite("Requirements")
struct RequirementTests {
  static func value(_ json: String) throws -> JSONValue {
    try JSONDocument(parsing: Array(json.utf8), limits: .token).root
  }

  static let views: [(claims: String, scopes: [String])] = [
    ("{}", []), (#"{"scope":"read write"}"#, ["read", "write"]),
    (#"{"scope":" read  write "}"#, ["read", "write"]),
    (#"{"scope":["read","write"]}"#, ["read", "write"]), (#"{"scp":"read write"}"#, ["read", "write"]),
    (#"{"scp":["read"]}"#, ["read"]), (#"{"permissions":["read:a"]}"#, ["read:a"]),
    (#"{"cognito:groups":["admins"]}"#, ["admins"]),
    (#"{"scope":"a","scp":["b"],"permissions":["c"]}"#, ["a", "b", "c"]),
    (#"{"scope":7}"#, []), (#"{"scope":{"a":1}}"#, []),
    // A malformed claim is ignored; the others still count.
    (#"{"scope":["admin",1]}"#, []), (#"{"scp":["a",7,null,"b"]}"#, []),
    (#"{"permissions":["a",["b"]],"scope":"c"}"#, ["c"]), (#"{"cognito:groups":["a",null]}"#, []),
    (#"{"scope":null,"scp":["a","b"]}"#, ["a", "b"]),
    // An element never becomes two scopes, and control characters are never part of a scope.
    (#"{"permissions":["read admin"]}"#, []), (#"{"permissions":["a\nb","a\"b","a\\b","","\u00e9"]}"#, []),
    (#"{"scope":"a\tadmin"}"#, []),
  ]

  @Test("scopes are read from all claims and formats", arguments: views)
  func scopes(claims: String, scopes: [String]) throws {
    let view = ScopeSet(try Self.value(claims))
    #expect(view.scopes.map { String(decoding: $0, as: UTF8.self) } == scopes)
    #expect(String(decoding: view.joined, as: UTF8.self) == scopes.joined(separator: " "))
  }

  static let claimRows: [(wanted: String, met: [String], unmet: [String])] = [
    (
      #"{"c":true}"#, [#"{"c":true}"#],
      ["{}", #"{"c":false}"#, #"{"c":"true"}"#, #"{"c":1}"#, #"{"c":null}"#, #"{"c":[true]}"#]
    ),
    (#"{"c":false}"#, [#"{"c":false}"#], ["{}", #"{"c":true}"#, #"{"c":null}"#, #"{"c":"false"}"#]),
    (
      #"{"c":"a"}"#, [#"{"c":"a"}"#],
      ["{}", #"{"c":"A"}"#, #"{"c":"a "}"#, #"{"c":["a"]}"#, #"{"c":{"a":1}}"#]
    ),
    (
      #"{"c":["a","b",3,true]}"#, [#"{"c":"b"}"#, #"{"c":3}"#, #"{"c":3.0}"#, #"{"c":true}"#],
      [#"{"c":"c"}"#, #"{"c":["a"]}"#, #"{"c":"3"}"#, #"{"c":3.5}"#]
    ),
    (#"{"c":{"exists":true}}"#, [#"{"c":""}"#, #"{"c":[]}"#, #"{"c":false}"#], ["{}", #"{"c":null}"#]),
    (#"{"c":{"exists":false}}"#, ["{}", #"{"c":null}"#], [#"{"c":0}"#]),
    (
      #"{"c":{"contains":"a"}}"#, [#"{"c":["x","a"]}"#, #"{"c":["a",null]}"#, #"{"c":[true,"a"]}"#],
      [
        #"{"c":"a"}"#, #"{"c":["x"]}"#, #"{"c":[["a"]]}"#, "{}", #"{"c":["b",1]}"#,
      ]
    ),
    (#"{"c":{"contains":["a",1]}}"#, [#"{"c":[1]}"#], [#"{"c":[]}"#, #"{"c":["1"]}"#]),
    (
      #"{"a.b":"x"}"#, [#"{"a":{"b":"x"}}"#, #"{"a.b":"x"}"#],
      [#"{"a":{"b":"y"}}"#, #"{"a.b":"y","a":{"b":"x"}}"#]
    ),
  ]

  @Test("a claim meets its requirement or does not", arguments: claimRows)
  func claims(wanted: String, met: [String], unmet: [String]) throws {
    let problems = ProblemList()
    var reader = try #require(
      ObjectReader(try Self.value(#"{"requiredClaims":\#(wanted)}"#), path: "", problems))
    let requirements = reader.claimRequirements("requiredClaims")
    #expect(problems.problems.isEmpty)
    for (claims, isMet) in met.map({ ($0, true) }) + unmet.map({ ($0, false) }) {
      let claims = try Self.value(claims)
      #expect(requirements.allSatisfy { $0.truth(in: claims) == .met } == isMet, "\(claims.source)")
    }
  }

  /// Apple documents `email_verified` and `is_private_email` as "String or Boolean".
  @Test(
    "Apple's booleans may be text",
    arguments: [
      ("true", true), (#""true""#, true), ("false", false), (#""false""#, false), (#""yes""#, false),
    ])
  func appleBooleans(value: String, isMet: Bool) throws {
    let requirement = ClaimRequirement(
      claim: .init(name: "email_verified"), condition: .oneOf([.boolean(true)]), acceptsBooleanText: true)
    #expect((requirement.truth(in: try Self.value(#"{"email_verified":\#(value)}"#)) == .met) == isMet)
  }

  @Test(
    "a rule for Apple's tokens alone accepts them as text too", arguments: [(true, true), (false, false)])
  func appleBooleansOfRules(_ isForApple: Bool, _ accepts: Bool) throws {
    let issuers = isForApple ? #""issuers":["apple"],"# : ""
    let rule =
      #"{"routes":["GET /a"],"allow":true,"require":{\#(issuers)"claims":{"email_verified":true,"plan":true}}}"#
    let settings = try TestRules.settings(#""default":"deny","rules":[\#(rule)]"#)
    let claims = try #require(settings.rules?.rules.first).requirement.claims
    #expect(claims.map(\.claim.text) == ["email_verified", "plan"])
    #expect(claims.map(\.acceptsBooleanText) == [accepts, false])
  }

  static let flaws: [(wanted: String, problem: String)] = [
    ("7", "requiredClaims: an object with at least one claim is expected"),
    ("{}", "requiredClaims: an object with at least one claim is expected"),
    (#"{"c":null}"#, "requiredClaims.c: a value, a list of values"),
    (#"{"c":[]}"#, "requiredClaims.c: a value"),
    (#"{"c":""}"#, "requiredClaims.c: a value"), (#"{"c":1.5}"#, "requiredClaims.c: a value"),
    (#"{"c":{"exist":true}}"#, "requiredClaims.c: a value"),
    (#"{"c":{"exists":1}}"#, "requiredClaims.c: a value"),
    (#"{"c":{"contains":[]}}"#, "requiredClaims.c: a value"),
    (#"{"c":[["a"]]}"#, "requiredClaims.c: a value"),
    (#"{"a..b":true}"#, "requiredClaims.a..b: a claim's name"),
  ]

  @Test("a malformed requirement is refused", arguments: flaws)
  func refused(wanted: String, problem: String) throws {
    let problems = ProblemList()
    var reader = try #require(
      ObjectReader(try Self.value(#"{"requiredClaims":\#(wanted)}"#), path: "", problems))
    _ = reader.claimRequirements("requiredClaims")
    #expect(problems.problems.count == 1)
    #expect(problems.problems.first?.description.hasPrefix(problem) == true, "\(problems.problems)")
  }
}
