import Testing

@testable import Authorizer
@testable import FunctionHost

/// Rules that are valid but that no request or no token can meet.
@Suite("Rules that nothing meets")
struct UnmetRuleTests {
  static let colons: [(route: String, advice: String?)] = [
    ("GET /users/:id", "GET /users/:id matches only the text :id; if it is a path variable, write {id}"),
    (
      "* /:tenant_1/x",
      "* /:tenant_1/x matches only the text :tenant_1; if it is a path variable, write {tenant_1}"
    ),
    (
      "GET /users/${sub}/:post",
      "GET /users/${sub}/:post matches only the text :post; if it is a path variable, write {post}"
    ),
    // Verbs of an API, times, and what no router takes for a variable.
    ("POST /users:batch", nil), ("GET /12:30", nil), ("GET /:8080", nil), ("GET /a:", nil), ("GET /:", nil),
    ("GET /::a", nil), ("GET /:a*", nil),
  ]

  @Test("a segment like :id causes a warning, in rules and for guests", arguments: colons)
  func colon(route: String, advice: String?) throws {
    let rules =
      #""routeArnIsConcrete":true,"default":"deny","#
      + #""rules":[{"routes":["\#(route)"],"allow":true,"require":{"issuers":["partner"]}}]"#
    let own = try TestRules.settings(rules).warnings.filter { $0.warning == .variableWithColon }
    #expect(own.map(\.description) == (advice.map { ["rules[0].routes[0]: " + $0] } ?? []))
    guard !route.contains("$") else { return }
    let guests = #""gatewayCache":"off","anonymous":{"routes":["\#(route)"]}"#
    let open = try TestRules.settings(guests).warnings.filter { $0.warning == .variableWithColon }
    #expect(open.map(\.description) == (advice.map { ["anonymous.routes[0]: " + $0] } ?? []))
  }

  private static func rule(_ require: String) -> String {
    #""default":"deny","rules":[{"routes":["GET /a"],"allow":true,"require":\#(require)}]"#
  }

  /// The members beside two issuers, Apple and a partner, and where scopes are required in vain.
  static let requirements: [(members: String, apple: String, partner: String, paths: [String])] = [
    (rule(#"{"scopes":["admin"]}"#), "", "", []),
    (rule(#"{"scopes":["admin"],"issuers":["partner"]}"#), "", "", []),
    (rule(#"{"scopes":["admin"],"issuers":["apple","partner"]}"#), "", "", []),
    (rule(#"{"scopes":["admin"],"issuers":["apple"]}"#), "", "", ["rules[0].require.scopes"]),
    (rule(#"{"scopes":["admin"],"issuers":["own"]}"#), #","name":"own""#, "", ["rules[0].require.scopes"]),
    (rule(#"{"claims":{"email_verified":true},"issuers":["apple"]}"#), "", "", []),
    ("", #","requiredScopes":["a"]"#, "", ["issuers[0].requiredScopes"]),
    ("", "", #","requiredScopes":["a"]"#, []),
  ]

  @Test("scopes of an issuer that sends none cause a warning", arguments: requirements)
  func neverSent(members: String, apple: String, partner: String, paths: [String]) throws {
    let warnings = try TestRules.settings(members, apple: apple, partner: partner).warnings
    #expect(warnings.filter { $0.warning == .scopeNeverSent }.map(\.path) == paths)
  }

  /// Tokens of the others have scopes, or their customers can add them.
  @Test(
    "only Apple, Google, AWS and GitHub never send scopes",
    arguments: [
      ("apple", false), ("google", false), ("supabase:abcdefghijklmnopqrst", true),
      ("firebase:example-project", true),
      ("cognito-id:eu-central-1_Example01", true), ("cognito-access:eu-central-1_Example01", true),
      ("auth0:example.eu.auth0.com", true), ("entra:11111111-2222-4333-8444-555555555555", true),
      ("aws:a1b2c3d4-1177-4468-9351-2f0123456789", false), ("github:octo-org@65", false),
    ])
  func presets(preset: String, sends: Bool) throws {
    var source = try TestIssuers.source()
    source.variables["AUTHORIZER_CONFIG"] =
      #"{"issuers":[{"preset":"\#(preset)","audiences":["a"]}],\#(Self.rule(#"{"scopes":["s"]}"#))}"#
    let warnings = try Settings(reading: source).warnings.filter { $0.warning == .scopeNeverSent }
    #expect(warnings.isEmpty == sends)
  }

  @Test("the warning says what to require instead")
  func advice() throws {
    var source = try TestIssuers.source()
    source.variables["AUTHORIZER_CONFIG"] =
      #"{"issuers":[{"preset":"apple","audiences":["a"]},{"preset":"google","audiences":["a"]}],"#
      + Self.rule(#"{"scopes":["s"]}"#) + "}"
    #expect(
      try Settings(reading: source).warnings.map(\.description) == [
        #"rules[0].require.scopes: no token can meet this: tokens of apple and google have no scopes; require a claim that they have, such as "email_verified": true"#
      ])
  }
}
