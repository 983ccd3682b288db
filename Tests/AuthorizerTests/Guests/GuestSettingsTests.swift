import TestSupport
import Testing

@testable import Authorizer
@testable import FunctionHost

@Suite("Settings of guests")
struct GuestSettingsTests {
  static let off = #""gatewayCache":"off","#
  static let cached =
    #"gatewayCache: must be "off": "anonymous" allows requests without a token, so the API's authorizer has no identity sources that an answer could be cached under; set its TTL to 0 too"#

  static let refusals = Fact.table(
    #"""
    "anonymous":{"routes":["GET /a"]}
    "gatewayCache":"token","anonymous":{"routes":["GET /a"]}
    "gatewayCache":"tokenAndRoute","anonymous":{"routes":["GET /a"]}
      \#(cached)
    "gatewayCache":"never","anonymous":{"routes":["GET /a"]}
      gatewayCache: one of token, tokenAndRoute, off is expected
    \#(off)"anonymous":true
    \#(off)"anonymous":["GET /a"]
      anonymous: an object is expected
    \#(off)"anonymous":{}
      anonymous.routes: missing: the routes that callers without a token may reach
    \#(off)"anonymous":{"routes":[]}
    \#(off)"anonymous":{"routes":"GET /a"}
      anonymous.routes: a non-empty list of non-empty strings is expected
    \#(off)"anonymous":{"route":["GET /a"],"routes":["GET /a"]}
      anonymous.route: unknown member, did you mean "routes"?
    \#(off)"anonymous":{"routes":["GET /users/${sub}","GET /a","GET /../a","/a"]}
      anonymous.routes[0]: a guest has no claims; write a route without ${claim}
      anonymous.routes[2]: servers remove the segments . and .. before routing, and two dots are always refused
      anonymous.routes[3]: a verb, one blank and a path that begins with / is expected, such as GET /users/*, or $connect
    \#(off)"anonymous":{"routes":["GET /a","GET /b","GET /a"]}
      anonymous.routes[2]: duplicate
    \#(off)"httpApiAnswer":"simple","anonymous":{"routes":["GET /a/*"]}
      -
    """#)

  private static func problems(_ members: String, apple: String = "") throws -> [String] {
    try SettingsRefusalTests.problems(inline: TestRules.configuration(members, apple: apple))
  }

  @Test("guests that could never be decided soundly are refused at start", arguments: refusals)
  func refused(_ fact: Fact) throws {
    #expect(try Self.problems(fact.subject) == fact.expected)
  }

  @Test("guest routes have a maximum number")
  func number() throws {
    let routes = (0...100).map { "GET /a\($0)" }
    #expect(
      try Self.problems(TestGuests.members(routes)) == ["anonymous.routes: 101 routes; 100 at most"])
    #expect(try Self.problems(TestGuests.members(routes.dropLast())) == [])
  }

  @Test(
    "no issuer's context can say that a caller is a guest, or not",
    arguments: [#""is_anonymous""#, "false", #"{"claim":"a","as":"boolean"}"#])
  func context(value: String) throws {
    let message =
      #"issuers[0].context.anonymous: tells guests ("anonymous") from callers with a token and cannot come from a claim; choose another name"#
    for members in ["", TestGuests.members(["GET /a"])] {
      #expect(try Self.problems(members, apple: #","context":{"anonymous":\#(value)}"#) == [message])
    }
  }

  @Test(
    "a name that differs from anonymous in letter case is refused too", arguments: ["Anonymous", "ANONYMOUS"])
  func contextCase(name: String) throws {
    let problems = try Self.problems("", apple: #","context":{"\#(name)":"x"}"#)
    #expect(problems.count == 1)
    #expect(problems.first?.hasPrefix("issuers[0].context.\(name): tells guests") == true)
  }

  static let concrete = TestGuests.concrete

  static let warnings: [(routes: [String], more: String, warnings: [String])] = [
    (["GET /a", "$connect"], "", []), (["GET /a/*"], concrete, []), (["GET /a/*"], "", []),
    (["GET /a/*"], #""routeArnIsConcrete":false"#, []),
    (
      ["GET /a/{id}/b"], concrete,
      ["anonymous.routes[0]: GET /a/{id}/b crosses segments, so guests also reach GET /a/a/b/b"]
    ),
    (
      ["GET /a/*", "GET /b"],
      concrete + #","default":"deny","rules":[{"routes":["GET /a/*"],"allow":true}]"#,
      [
        #"anonymous.routes[1]: no rule grants GET /b to every valid token: callers with a token may get 403 where guests are allowed; add { "routes": ["GET /b"], "allow": true } to "rules""#
      ]
    ),
    (
      ["GET /*"],
      concrete
        + #","default":"deny","rules":[{"routes":["* /*"],"allow":true},{"routes":["GET /admin/${sub}"],"allow":true,"require":{"issuers":["apple"]}}]"#,
      [
        "rules[1]: rules[0] allows all routes of rules[1] without its \"require\", so rules[1] has no effect: a route needs only one rule that is met (docs/rules.md)",
        #"anonymous.routes[0]: guests reach routes of rules[1] without its "require""#,
      ]
    ),
    (
      ["GET /a/x", "GET /b"],
      concrete + #","default":"allow","rules":[{"routes":["* /a/*"],"require":{"scopes":["s"]}}]"#,
      [
        #"default: "allow": another spelling of a path (//, %2F, letter case, a slash at the end) may bypass its rule; "deny" has no such gap"#,
        "anonymous.routes[0]: no effect: rules[0] restricts GET /a/x, and a guest meets no requirement",
      ]
    ),
  ]

  private static func rules(_ rules: String) -> String {
    concrete + #","default":"deny","rules":[\#(rules)]"#
  }

  private static let bypassed = #"anonymous.routes[0]: guests reach routes of rules[%] without its "require""#

  private static func bypassed(_ index: Int) -> String { bypassed.replacing("%", with: "\(index)") }

  private static let owned =
    "anonymous.routes[0]: guests reach GET /users/${sub} of rules[0] for every user, since a guest has no claims"

  /// No case has the advice to grant the route, which would open it to tokens that do not meet the requirement.
  static let overRules: [(route: String, rules: String, warnings: [String])] = [
    (
      "GET /*",
      #"{"routes":["GET /*"],"allow":true},{"routes":["* /admin/*","* /users/${sub}/*"],"allow":true,"require":{"scopes":["admin"]}}"#,
      [bypassed(1)]
    ),
    ("GET /users/*", #"{"routes":["GET /users/${sub}"],"allow":true}"#, [owned]),
    (
      "GET /users/*",
      #"{"routes":["GET /users/${sub}"],"allow":true},{"routes":["GET /users/*"],"allow":true}"#, [owned]
    ),
    ("GET /users/u1", #"{"routes":["GET /users/${sub}"],"allow":true}"#, [owned]),
    (
      "GET /admin/*", #"{"routes":["* /admin/*"],"allow":true,"require":{"scopes":["admin"]}}"#,
      [bypassed(0)]
    ),
    (
      "GET /*/settings", #"{"routes":["GET /admin/*"],"allow":true,"require":{"issuers":["apple"]}}"#,
      [
        "anonymous.routes[0]: GET /*/settings crosses segments, so guests also reach GET /a/b/settings",
        bypassed(0),
      ]
    ),
    ("$connect", #"{"routes":["$connect"],"allow":true,"require":{"scopes":["chat"]}}"#, [bypassed(0)]),
    // Other verbs and other paths.
    (
      "GET /articles/*",
      #"{"routes":["GET /articles/*"],"allow":true},{"routes":["POST /articles/*","* /drafts/*"],"allow":true,"require":{"scopes":["edit"]}}"#,
      []
    ),
    // A grant to every token inside the routes of the requirement is meant.
    (
      "GET /articles/*",
      #"{"routes":["GET /articles/*"],"allow":true},{"routes":["* /articles/*"],"allow":true,"require":{"scopes":["edit"]}}"#,
      []
    ),
  ]

  @Test("a guest route over routes that require something causes a warning", arguments: overRules)
  func overRule(route: String, rules: String, warnings: [String]) throws {
    let settings = try TestRules.settings(TestGuests.members([route], Self.rules(rules)))
    let own = settings.warnings.filter { $0.path.hasPrefix("anonymous") }
    #expect(own.map(\.description) == warnings)
  }

  @Test("valid but surprising guest routes cause warnings", arguments: warnings)
  func warned(routes: [String], more: String, warnings: [String]) throws {
    let settings = try TestRules.settings(TestGuests.members(routes, more))
    #expect(settings.warnings.map(\.description) == warnings)
    #expect(settings.guestRoutes == routes)
  }
}
