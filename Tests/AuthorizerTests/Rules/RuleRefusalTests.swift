import TestSupport
import Testing

@testable import Authorizer
@testable import FunctionHost

/// Configurations of the test's two issuers, with more members.
enum TestRules {
  /// - Parameters:
  ///   - members: members of the document beside `issuers`, as JSON without the braces.
  ///   - apple: more members of Apple's entry; each begins with a comma.
  ///   - partner: more members of the partner's entry; each begins with a comma.
  static func configuration(_ members: String, apple: String = "", partner: String = "") -> String {
    """
    {"issuers":[
      {"preset":"apple","audiences":["com.example.app"],"keys":{"seed":"keys.json","pinned":true}\(apple)},
      {"name":"partner","issuer":"https://id.example.com","audiences":["api"],"algorithms":["ES256"],
       "keys":{"seed":"keys.json","pinned":true}\(partner)}
    ]\(members.isEmpty ? "" : "," + members)}
    """
  }

  static func settings(_ members: String, apple: String = "", partner: String = "") throws -> Settings {
    var source = try TestIssuers.source()
    source.variables["AUTHORIZER_CONFIG"] = configuration(members, apple: apple, partner: partner)
    return try Settings(reading: source)
  }

  static func authorizer(_ members: String, apple: String = "", partner: String = "") throws
    -> Authorizer<ScriptedTransport>
  {
    Authorizer(
      settings: try settings(members, apple: apple, partner: partner), transport: ScriptedTransport(),
      at: TestIssuers.now)
  }

  /// Returns a token of the partner with these additional claims, as JSON without the braces.
  static func partnerToken(_ claims: String = "") throws -> String {
    try TestIssuers.token(
      #""preset":"oidc","algorithm":"ES256","claims":{"iss":"https://id.example.com","aud":"api","exp":"+10m""#
        + (claims.isEmpty ? "" : "," + claims) + "}")
  }
}

@Suite("Refused rules")
struct RuleRefusalTests {
  static let simpleIsCached =
    #"httpApiAnswer: a simple answer for one path would be cached for others; write "policy", or set "gatewayCache" to "off" if the API caches nothing"#

  static let refusals = Fact.table(
    #"""
    "default":"deny","rules":[]
      rules: a non-empty list is expected
    "rules":{}
      default: missing: with rules, set "deny" (rules grant) or "allow" (rules restrict)
      rules: a non-empty list is expected
    "default":"deny"
      default: has no effect without "rules"; add rules or remove it
    "rules":[{"routes":["GET /"],"allow":true}]
      default: missing: with rules, set "deny" (rules grant) or "allow" (rules restrict)
    "default":"maybe","rules":[{"routes":["GET /"],"allow":true}]
      default: one of deny, allow is expected
    // All problems at once: problems of rules are reported along with others.
    "default":"maybe","rules":[{"routes":["get /","GET /a..b"],"alow":true,"require":{"issuers":["x"]}},7]
      default: one of deny, allow is expected
      rules[0].routes[0]: the verb is one of DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, or * for all of them
      rules[0].routes[1]: servers remove the segments . and .. before routing, and two dots are always refused
      rules[0].require.issuers[0]: no issuer of this configuration has this name; one of apple, partner is expected
      rules[0].alow: unknown member, did you mean "allow"?
      rules[1]: an object is expected
    "rules":[{"routes":["get /"],"allow":true}]
      default: missing: with rules, set "deny" (rules grant) or "allow" (rules restrict)
      rules[0].routes[0]: the verb is one of DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, or * for all of them
    "default":"maybe"
      default: one of deny, allow is expected
      default: has no effect without "rules"; add rules or remove it
    "default":"deny","httpApiAnswer":"simple","gatewayCache":"off","rules":[{"routes":["GET /public/*"],"allow":true}]
      -
    "default":"deny","rules":[{"routes":["GET /"]}]
      rules[0].allow: missing: with default deny a rule grants and needs "allow": true
    "default":"deny","rules":[{"routes":["GET /"],"allow":false}]
      rules[0].allow: must be true: routes without a grant are denied
    "default":"deny","rules":[{"routes":["GET /"],"allow":"yes"}]
      rules[0].allow: true or false is expected
    "default":"deny","rules":[{"allow":true}]
      rules[0].routes: missing: the routes that this rule applies to
    "default":"deny","rules":[{"routes":[],"allow":true}]
      rules[0].routes: a non-empty list of non-empty strings is expected
    "default":"deny","rules":[{"routes":["GET /a","get /b"],"allow":true}]
      rules[0].routes[1]: the verb is one of DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, or * for all of them
    "default":"deny","rules":[{"routes":["GET /a"],"allow":true,"requires":{}}]
      rules[0].requires: unknown member, did you mean "require"?
    "default":"deny","rules":[{"routes":["GET /a"],"allow":true,"require":{}}]
      rules[0].require: at least one of scopes, claims, issuers, authenticatedWithinSeconds, any and not is expected
    "default":"deny","rules":[{"routes":["GET /a"],"allow":true,"require":{"scopes":["a b"]}}]
      rules[0].require.scopes[0]: a scope has no blanks, quotes or backslashes; write one scope in each string
    "default":"deny","rules":[{"routes":["GET /a"],"allow":true,"require":{"issuers":["partners"]}}]
      rules[0].require.issuers[0]: no issuer of this configuration has this name; one of apple, partner is expected
    "default":"allow","rules":[{"routes":["GET /a"],"allow":true}]
      rules[0].allow: with default allow a rule restricts with "require"; grants need default deny
      rules[0].require: missing: with default allow a rule restricts by scopes, claims or issuers
    "default":"allow","rules":[{"routes":["* /users/${sub}"],"require":{"scopes":["a"]}}]
      rules[0].routes[0]: ownership routes need default deny
    "default":"allow","rules":[{"routes":["GET /a%20b"],"require":{"scopes":["a"]}}]
      rules[0].routes[0]: other spellings of the path bypass a restriction with %; use grants with default deny
    "default":"deny","rules":[{"routes":[\#((0...100).map { "\"GET /r\($0)\"" }.joined(separator: ","))],"allow":true}]
      rules: 101 routes; 100 at most
    "default":"deny","httpApiAnswer":"simple"
      default: has no effect without "rules"; add rules or remove it
    "default":"deny","httpApiAnswer":{"http2":"simple"},"rules":[{"routes":["GET /a"],"allow":true}]
      \#(simpleIsCached)
    // `$context.routeKey` is `GET /users/{id}`: one cache entry for all users.
    "default":"deny","httpApiAnswer":"simple","gatewayCache":"tokenAndRoute","routeArnIsConcrete":true,"rules":[{"routes":["GET /users/${sub}"],"allow":true}]
      \#(simpleIsCached)
    "default":"deny","httpApiAnswer":"simple","rules":[{"routes":["GET a"],"allow":true}]
      rules[0].routes[0]: a verb, one blank and a path that begins with / is expected, such as GET /users/*, or $connect
      \#(simpleIsCached)
    "httpApiAnswer":{"http1":"simple"}
      httpApiAnswer.http1: payload format 1.0 accepts only policies
    "httpApiAnswer":{"rest":"simple"}
      httpApiAnswer.rest: unknown member
    "httpApiAnswer":"yes"
      httpApiAnswer: one of policy, simple is expected
    "unauthorized":"silent"
      unauthorized: one of error, message, deny is expected
    "unauthorized":{"http2":"no","grpc":"deny"}
      unauthorized.http2: one of error, message, deny is expected
      unauthorized.grpc: unknown member
    "expiryCondition":"yes"
      expiryCondition: true or false is expected
    "routeArnIsConcrete":1
      routeArnIsConcrete: true or false is expected
    """#)

  @Test("each mistake is reported with its path and a fix", arguments: refusals)
  func refused(_ fact: Fact) throws {
    let text = TestRules.configuration(fact.subject)
    #expect(try SettingsRefusalTests.problems(inline: text) == fact.expected)
  }

  private static let own =
    "identifies the caller and cannot come from another claim; omit it with false, or choose another name"
  private static let reserved = "reserved by API Gateway or by this authorizer; choose another name"
  private static let name = "a name is 1 to 64 letters, digits, _ and -, the first a letter"

  static let contexts = Fact.table(
    #"""
    []
      issuers[1].context: an object of names and claims is expected
    {"sub":"email","issuer":{"claim":"tenant"}}
      issuers[1].context.sub: \#(own)
      issuers[1].context.issuer: \#(own)
    {"principalId":"sub","integrationLatency":"a","claims":"b","denyCode":"c","status":"d","error":"e"}
      issuers[1].context.principalId: \#(reserved)
      issuers[1].context.integrationLatency: \#(reserved)
      issuers[1].context.claims: \#(reserved)
      issuers[1].context.denyCode: \#(reserved)
      issuers[1].context.status: \#(reserved)
      issuers[1].context.error: \#(reserved)
    {"1a":"sub","a b":"sub"}
      issuers[1].context.1a: \#(name)
      issuers[1].context.a b: \#(name)
    {"plan":false}
      issuers[1].context.plan: false omits a standard member, but this is not one
    {"plan":7}
      issuers[1].context.plan: a claim's name, or names joined by dots, is expected; or {"claim": …, "as": …}; or false
    {"plan":{"as":"list"}}
      issuers[1].context.plan.as: one of joined, json, boolean is expected
      issuers[1].context.plan.claim: a claim's name, or names joined by dots, is expected
    """#)

  @Test("an invalid context is refused", arguments: contexts)
  func context(_ fact: Fact) throws {
    let text = TestRules.configuration("", partner: #","context":\#(fact.subject)"#)
    #expect(try SettingsRefusalTests.problems(inline: text) == fact.expected)
  }

  @Test("too many members of a context are refused")
  func members() throws {
    let members = (0...50).map { "\"m\($0)\":\"sub\"" }.joined(separator: ",")
    let text = TestRules.configuration("", partner: #","context":{\#(members)}"#)
    #expect(try SettingsRefusalTests.problems(inline: text) == ["issuers[1].context: 51 members; 50 at most"])
  }

  static let warnings = Fact.table(
    #"""
    "default":"deny","rules":[{"routes":["GET /a/b","* /me","$connect"],"allow":true}]
    "default":"deny","rules":[{"routes":["GET /a/*"],"allow":true}]
    "default":"deny","rules":[{"routes":["GET /b/{p+}"],"allow":true}]
    "routeArnIsConcrete":false,"default":"deny","rules":[{"routes":["GET /a/*"],"allow":true}]
    "routeArnIsConcrete":true,"default":"deny","rules":[{"routes":["GET /a/*","GET /b/{p+}","* /me"],"allow":true}]
      -
    "routeArnIsConcrete":true,"default":"deny","rules":[{"routes":["GET /users/{id}","GET /u/{id}/p","GET /f/*.pdf"],"allow":true}]
      rules[0].routes[0]: GET /users/{id} crosses segments, so it also reaches GET /users/a/b
      rules[0].routes[1]: GET /u/{id}/p crosses segments, so it also reaches GET /u/a/b/p
      rules[0].routes[2]: GET /f/*.pdf crosses segments, so it also reaches GET /f/a/b.pdf
    "routeArnIsConcrete":true,"default":"deny","rules":[{"routes":["GET /*","GET /adm*"],"allow":true},{"routes":["* /admin/*"],"allow":true,"require":{"scopes":["a"]}}]
      rules[0].routes[0]: GET /* opens routes of rules[1] without its "require"
      rules[0].routes[1]: GET /adm* crosses segments, so it also reaches GET /adma/b
      rules[0].routes[1]: GET /adm* opens routes of rules[1] without its "require"
    "routeArnIsConcrete":true,"default":"deny","rules":[{"routes":["GET /admin/me","GET /admin/o/*","POST /*"],"allow":true},{"routes":["GET /admin/*"],"allow":true,"require":{"scopes":["a"]}}]
    "routeArnIsConcrete":true,"default":"deny","rules":[{"routes":["GET /*"],"allow":true,"require":{"scopes":["b"]}},{"routes":["* /admin/*"],"allow":true,"require":{"scopes":["a"]}}]
    "routeArnIsConcrete":true,"default":"deny","rules":[{"routes":["GET /*"],"allow":true},{"routes":["* /users/${sub}/*"],"allow":true,"require":{"issuers":["apple"]}}]
      -
    "httpApiAnswer":"simple","expiryCondition":true
      expiryCondition: simple answers have no condition: no effect on HTTP APIs 2.0
    "default":"deny","rules":[{"routes":["* /users/${sub}"],"allow":true,"require":{"issuers":["apple"]}}]
      -
    "routeArnIsConcrete":true,"default":"deny","rules":[{"routes":["* /users/${sub}"],"allow":true}]
      rules[0].routes[0]: two issuers may use the same value for different users; require one issuer: "require": { "issuers": [ … ] }
    "routeArnIsConcrete":true,"default":"allow","rules":[{"routes":["GET /a/{id}"],"require":{"scopes":["a"]}}]
      default: "allow": another spelling of a path (//, %2F, letter case, a slash at the end) may bypass its rule; "deny" has no such gap
    """#)

  static let admin = #"{"routes":["* /admin/*"],"allow":true,"require":{"scopes":["admin"]}}"#

  static func grant(_ routes: String, require: String? = nil) -> String {
    let require = require.map { #","require":"# + $0 } ?? ""
    return #"{"routes":[\#(routes)],"allow":true\#(require)}"#
  }

  /// The rules under default deny, and the indexes of those without effect.
  static let effects: [(rules: [String], useless: [Int])] = [
    // A wider route, an equal route, and the parent of a folder.
    ([grant(#""* /*""#), admin], [1]),
    ([admin, grant(#""* /*""#)], [0]),
    ([grant(#""* /admin/*""#), admin], [1]),
    ([grant(#""ANY /adm*""#), admin], [1]),
    ([grant(#""* /{proxy+}""#), admin], [1]),
    ([grant(#""GET /b","* /admin*""#), admin], [1]),
    ([grant(#""* /*""#), admin, grant(#""GET /b""#, require: #"{"issuers":["apple"]}"#)], [1, 2]),
    ([grant(#""$connect""#), grant(#""$connect""#, require: #"{"scopes":["a"]}"#)], [1]),
    // A part of the requirement.
    (
      [
        grant(#""* /*""#, require: #"{"scopes":["a"]}"#),
        grant(#""GET /b""#, require: #"{"scopes":["b","a"],"claims":{"c":"d"}}"#),
      ], [1]
    ),
    (
      [
        grant(#""* /*""#, require: #"{"issuers":["apple","partner"]}"#),
        grant(#""GET /b""#, require: #"{"issuers":["partner"]}"#),
      ], [1]
    ),
    // Claims in a route.
    (
      [grant(#""* /users/*""#), grant(#""GET /users/${sub}""#, require: #"{"issuers":["apple"]}"#)], [1]
    ),
    (
      [
        grant(#""* /u/${sub}""#, require: #"{"issuers":["apple"]}"#),
        grant(#""DELETE /u/${sub}""#, require: #"{"issuers":["apple"],"scopes":["a"]}"#),
      ], [1]
    ),
    (
      [
        grant(#""* /u/${sub}""#, require: #"{"issuers":["apple"]}"#),
        grant(#""* /u/${oid}","* /u/me""#, require: #"{"issuers":["apple"],"scopes":["a"]}"#),
      ], []
    ),
    // Each rule has an effect.
    ([grant(#""GET /me""#), admin], []),
    ([grant(#""GET /*""#), admin], []),
    ([grant(#""* /admin/{proxy+}""#), admin], []),
    ([grant(#""* /admin/a*""#), admin], []),
    ([grant(#""* /*""#), grant(#""* /admin/*","$connect""#, require: #"{"scopes":["a"]}"#)], []),
    ([grant(#""$connect""#), grant(#""* /*""#, require: #"{"scopes":["a"]}"#)], []),
    ([grant(#""* /*""#, require: #"{"scopes":["other"]}"#), admin], []),
    ([grant(#""* /*""#, require: #"{"issuers":["apple"]}"#), admin], []),
    (
      [
        grant(#""* /*""#, require: #"{"issuers":["apple"]}"#),
        grant(#""GET /b""#, require: #"{"issuers":["apple","partner"],"scopes":["a"]}"#),
      ], []
    ),
    // Equal requirements only repeat a route.
    ([grant(#""* /*""#), grant(#""GET /b""#)], []),
    ([admin, admin], []),
  ]

  @Test("a grant that a wider grant makes useless causes a warning", arguments: effects)
  func useless(rules: [String], useless: [Int]) throws {
    let members =
      #""routeArnIsConcrete":true,"default":"deny","rules":[\#(rules.joined(separator: ","))]"#
    let warnings = try TestRules.settings(members).warnings.filter { $0.warning == .ruleWithoutEffect }
    #expect(warnings.map(\.path) == useless.map { "rules[\($0)]" })
  }

  @Test("the warning names both rules; under default allow every rule must be met")
  func uselessText() throws {
    let wide = #"{"routes":["* /*"],"require":{"scopes":["a"]}}"#
    let narrow = #"{"routes":["* /admin/*"],"require":{"scopes":["a","admin"]}}"#
    let restricting = try TestRules.settings(
      #""routeArnIsConcrete":true,"default":"allow","rules":[\#(wide),\#(narrow)]"#)
    #expect(restricting.warnings.map(\.path) == ["default"])
    let all = Self.grant(#""* /*""#)
    let granting = try TestRules.settings(
      #""routeArnIsConcrete":true,"default":"deny","rules":[\#(all),\#(Self.admin)]"#)
    #expect(
      granting.warnings.map(\.description) == [
        #"rules[1]: rules[0] allows all routes of rules[1] without its "require", so rules[1] has no effect: a route needs only one rule that is met (docs/rules.md)"#
      ])
  }

  @Test("valid but surprising settings cause warnings", arguments: warnings)
  func warned(_ fact: Fact) throws {
    #expect(try TestRules.settings(fact.subject).warnings.map(\.description) == fact.expected)
  }
}
