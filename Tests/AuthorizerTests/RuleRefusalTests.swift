import JSON
import Testing

@testable import Authorizer

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

  /// A token of the partner with these claims more, as JSON without the braces.
  static func partnerToken(_ claims: String = "") throws -> String {
    try TestIssuers.token(
      #""preset":"oidc","algorithm":"ES256","claims":{"iss":"https://id.example.com","aud":"api","exp":"+10m""#
        + (claims.isEmpty ? "" : "," + claims) + "}")
  }
}

@Suite("Rules that are refused at start")
struct RuleRefusalTests {
  static let simpleIsCached =
    #"httpApiAnswer: a simple answer for one path would be cached for others; write "policy", or set "gatewayCache" to "off" where the API caches nothing"#

  static let refusals: [(members: String, problems: [String])] = [
    (#""default":"deny","rules":[]"#, ["rules: a non-empty list is expected"]),
    (
      #""rules":{}"#,
      [
        #"default: missing: with rules, "deny" (rules grant) or "allow" (rules restrict) is expected"#,
        "rules: a non-empty list is expected",
      ]
    ),
    (#""default":"deny""#, ["default: says what rules leave open, and there are no rules"]),
    (
      #""rules":[{"routes":["GET /"],"allow":true}]"#,
      [#"default: missing: with rules, "deny" (rules grant) or "allow" (rules restrict) is expected"#]
    ),
    (
      #""default":"maybe","rules":[{"routes":["GET /"],"allow":true}]"#,
      ["default: one of deny, allow is expected"]
    ),
    // All problems at once: what is wrong with rules is told, whatever holds beside them.
    (
      #""default":"maybe","rules":[{"routes":["get /","GET /a..b"],"alow":true,"require":{"issuers":["x"]}},7]"#,
      [
        "default: one of deny, allow is expected",
        "rules[0].routes[0]: the verb is one of DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, or * for all of them",
        "rules[0].routes[1]: the segments . and .. are taken away before a route is chosen, and two dots are always refused",
        "rules[0].require.issuers[0]: no issuer of this configuration has this name; one of apple, partner is expected",
        #"rules[0].alow: unknown member, did you mean "allow"?"#, "rules[1]: an object is expected",
      ]
    ),
    (
      #""rules":[{"routes":["get /"],"allow":true}]"#,
      [
        #"default: missing: with rules, "deny" (rules grant) or "allow" (rules restrict) is expected"#,
        "rules[0].routes[0]: the verb is one of DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, or * for all of them",
      ]
    ),
    (
      #""default":"maybe""#,
      [
        "default: one of deny, allow is expected",
        "default: says what rules leave open, and there are no rules",
      ]
    ),
    (
      #""default":"deny","httpApiAnswer":"simple","gatewayCache":"off","rules":[{"routes":["GET /public/*"],"allow":true}]"#,
      [
        "routeArnIsConcrete: missing: these rules need the path of a request, and without this no HTTP API that takes simple answers is served"
      ]
    ),
    (
      #""routeArnIsConcrete":false,"default":"deny","httpApiAnswer":"simple","gatewayCache":"off","rules":[{"routes":["GET /public/*"],"allow":true}]"#,
      [
        "routeArnIsConcrete: must be true: these rules need the path of a request, and without this no HTTP API that takes simple answers is served"
      ]
    ),
    (
      #""default":"deny","rules":[{"routes":["GET /"]}]"#,
      [#"rules[0].allow: missing: under default deny a rule grants, "allow": true is expected"#]
    ),
    (
      #""default":"deny","rules":[{"routes":["GET /"],"allow":false}]"#,
      ["rules[0].allow: must be true: what no rule grants is denied"]
    ),
    (
      #""default":"deny","rules":[{"routes":["GET /"],"allow":"yes"}]"#,
      ["rules[0].allow: true or false is expected"]
    ),
    (
      #""default":"deny","rules":[{"allow":true}]"#,
      ["rules[0].routes: missing: the routes that this rule is about"]
    ),
    (
      #""default":"deny","rules":[{"routes":[],"allow":true}]"#,
      ["rules[0].routes: a non-empty list of non-empty strings is expected"]
    ),
    (
      #""default":"deny","rules":[{"routes":["GET /a","get /b"],"allow":true}]"#,
      [
        "rules[0].routes[1]: the verb is one of DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, or * for all of them"
      ]
    ),
    (
      #""default":"deny","rules":[{"routes":["GET /a"],"allow":true,"requires":{}}]"#,
      [#"rules[0].requires: unknown member, did you mean "require"?"#]
    ),
    (
      #""default":"deny","rules":[{"routes":["GET /a"],"allow":true,"require":{}}]"#,
      ["rules[0].require: scopes, claims or issuers are expected"]
    ),
    (
      #""default":"deny","rules":[{"routes":["GET /a"],"allow":true,"require":{"scopes":["a b"]}}]"#,
      [
        "rules[0].require.scopes[0]: a scope holds no blanks, quotes or backslashes; write one scope in each string"
      ]
    ),
    (
      #""default":"deny","rules":[{"routes":["GET /a"],"allow":true,"require":{"issuers":["partners"]}}]"#,
      [
        "rules[0].require.issuers[0]: no issuer of this configuration has this name; one of apple, partner is expected"
      ]
    ),
    (
      #""default":"allow","rules":[{"routes":["GET /a"],"allow":true}]"#,
      [
        #"rules[0].allow: under default allow a rule restricts, by "require"; grants need default deny"#,
        "rules[0].require: missing: under default allow a rule restricts, by scopes, claims or issuers",
      ]
    ),
    (
      #""default":"allow","rules":[{"routes":["* /users/${sub}"],"require":{"scopes":["a"]}}]"#,
      ["rules[0].routes[0]: ownership routes need default deny"]
    ),
    (
      #""default":"allow","rules":[{"routes":["GET /a%20b"],"require":{"scopes":["a"]}}]"#,
      [
        "rules[0].routes[0]: a restriction with % is reached by other spellings; grant under default deny instead"
      ]
    ),
    (
      #""default":"deny","rules":[{"routes":[\#((0...100).map { "\"GET /r\($0)\"" }.joined(separator: ","))],"allow":true}]"#,
      ["rules: 101 routes; 100 at most"]
    ),
    (
      #""default":"deny","httpApiAnswer":"simple""#,
      ["default: says what rules leave open, and there are no rules"]
    ),
    (
      #""default":"deny","httpApiAnswer":{"http2":"simple"},"rules":[{"routes":["GET /a"],"allow":true}]"#,
      [simpleIsCached]
    ),
    // `$context.routeKey` is `GET /users/{id}`: one entry for all users.
    (
      #""default":"deny","httpApiAnswer":"simple","gatewayCache":"tokenAndRoute","routeArnIsConcrete":true,"rules":[{"routes":["GET /users/${sub}"],"allow":true}]"#,
      [simpleIsCached]
    ),
    (
      #""default":"deny","httpApiAnswer":"simple","rules":[{"routes":["GET a"],"allow":true}]"#,
      [
        "rules[0].routes[0]: a verb, one blank and a path that begins with / is expected, such as GET /users/*, or $connect",
        simpleIsCached,
      ]
    ),
    (
      #""httpApiAnswer":{"http1":"simple"}"#, ["httpApiAnswer.http1: payload format 1.0 takes policies alone"]
    ),
    (#""httpApiAnswer":{"rest":"simple"}"#, ["httpApiAnswer.rest: unknown member"]),
    (#""httpApiAnswer":"yes""#, ["httpApiAnswer: one of policy, simple is expected"]),
    (#""unauthorized":"silent""#, ["unauthorized: one of error, message, deny is expected"]),
    (
      #""unauthorized":{"http2":"no","grpc":"deny"}"#,
      ["unauthorized.http2: one of error, message, deny is expected", "unauthorized.grpc: unknown member"]
    ),
    (#""expiryCondition":"yes""#, ["expiryCondition: true or false is expected"]),
    (#""routeArnIsConcrete":1"#, ["routeArnIsConcrete: true or false is expected"]),
  ]

  @Test("each mistake is named with its place and its cure", arguments: refusals)
  func refused(members: String, problems: [String]) throws {
    #expect(try SettingsRefusalTests.problems(inline: TestRules.configuration(members)) == problems)
  }

  static let contexts: [(context: String, problems: [String])] = [
    ("[]", ["issuers[1].context: an object of names and claims is expected"]),
    (
      #"{"sub":"email","issuer":{"claim":"tenant"}}"#,
      ["sub", "issuer"].map {
        "issuers[1].context.\($0): says who the caller is, which another claim cannot; false leaves it out, another name is free"
      }
    ),
    (
      #"{"principalId":"sub","integrationLatency":"a","claims":"b","denyCode":"c","status":"d","error":"e"}"#,
      ["principalId", "integrationLatency", "claims", "denyCode", "status", "error"].map {
        "issuers[1].context.\($0): API Gateway and this authorizer give this name a meaning of their own; choose another"
      }
    ),
    (
      #"{"1a":"sub","a b":"sub"}"#,
      ["1a", "a b"].map {
        "issuers[1].context.\($0): a name is 1 to 64 letters, digits, _ and -, the first a letter"
      }
    ),
    (#"{"plan":false}"#, ["issuers[1].context.plan: false leaves out a standard member, and this is none"]),
    (
      #"{"plan":7}"#,
      [
        #"issuers[1].context.plan: a claim's name, or names joined by dots, is expected; or {"claim": …, "as": …}; or false"#
      ]
    ),
    (
      #"{"plan":{"as":"list"}}"#,
      [
        "issuers[1].context.plan.as: one of joined, json, boolean is expected",
        "issuers[1].context.plan.claim: a claim's name, or names joined by dots, is expected",
      ]
    ),
  ]

  @Test("a context that API Gateway would misread is refused", arguments: contexts)
  func context(context: String, problems: [String]) throws {
    let text = TestRules.configuration("", partner: #","context":\#(context)"#)
    #expect(try SettingsRefusalTests.problems(inline: text) == problems)
  }

  @Test("more members than a context may have are refused")
  func members() throws {
    let members = (0...50).map { "\"m\($0)\":\"sub\"" }.joined(separator: ",")
    let text = TestRules.configuration("", partner: #","context":{\#(members)}"#)
    #expect(try SettingsRefusalTests.problems(inline: text) == ["issuers[1].context: 51 members; 50 at most"])
  }

  static let pathIsUnknown =
    "routeArnIsConcrete: missing: under these rules every event of an HTTP API fails (5xx), since its routeArn may hold a route's template; REST and WebSocket APIs are served. Write true once you have seen that it holds paths, or false where no HTTP API uses this"

  static let warnings: [(members: String, warnings: [String])] = [
    (#""default":"deny","rules":[{"routes":["GET /a/b","* /me","$connect"],"allow":true}]"#, []),
    (#""default":"deny","rules":[{"routes":["GET /a/*"],"allow":true}]"#, [pathIsUnknown]),
    (#""default":"deny","rules":[{"routes":["GET /b/{p+}"],"allow":true}]"#, [pathIsUnknown]),
    (#""routeArnIsConcrete":false,"default":"deny","rules":[{"routes":["GET /a/*"],"allow":true}]"#, []),
    (
      #""routeArnIsConcrete":true,"default":"deny","rules":[{"routes":["GET /a/*","GET /b/{p+}","* /me"],"allow":true}]"#,
      []
    ),
    (
      #""routeArnIsConcrete":true,"default":"deny","rules":[{"routes":["GET /users/{id}","GET /u/{id}/p","GET /f/*.pdf"],"allow":true}]"#,
      [
        "rules[0].routes[0]: GET /users/{id} crosses segments, so it also reaches GET /users/a/b",
        "rules[0].routes[1]: GET /u/{id}/p crosses segments, so it also reaches GET /u/a/b/p",
        "rules[0].routes[2]: GET /f/*.pdf crosses segments, so it also reaches GET /f/a/b.pdf",
      ]
    ),
    (
      #""httpApiAnswer":"simple","expiryCondition":true"#,
      ["expiryCondition: a simple answer holds no condition: on HTTP APIs 2.0 it has no effect"]
    ),
    (
      #""default":"deny","rules":[{"routes":["* /users/${sub}"],"allow":true,"require":{"issuers":["apple"]}}]"#,
      [pathIsUnknown]
    ),
    (
      #""routeArnIsConcrete":true,"default":"deny","rules":[{"routes":["* /users/${sub}"],"allow":true}]"#,
      [
        #"rules[0].routes[0]: two issuers may give the same claim to different people; require one issuer, by "require": { "issuers": [ … ] }"#
      ]
    ),
    (
      #""routeArnIsConcrete":true,"default":"allow","rules":[{"routes":["GET /a/{id}"],"require":{"scopes":["a"]}}]"#,
      [
        #"default: "allow": a route may be reached by another spelling of its path (//, %2F, letter case, a slash at the end) that no rule names; "deny" has no such gap"#
      ]
    ),
  ]

  @Test("what is sound and may surprise is said", arguments: warnings)
  func warned(members: String, warnings: [String]) throws {
    #expect(try TestRules.settings(members).warnings.map(\.description) == warnings)
  }
}
