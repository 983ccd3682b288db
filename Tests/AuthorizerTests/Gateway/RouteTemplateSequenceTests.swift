@testable import EmulatorTestSupport
import GatewayEmulator
import GatewayModel
import Templates
import TestSupport
import Testing

/// Sequences of requests through the gateway and its cache, in both worlds: ARNs with templates, and ARNs with paths.
@Suite("Templates of routes behind the gateway")
struct RouteTemplateSequenceTests {
  /// A route of the API. The backend of a route with a variable serves paths that need more rights than its template
  /// shows.
  static let routes = [
    "/me", "/public/a", "/public/{proxy+}", "/users/{id}", "/items/{id}", "/admin", "/admin/{id}",
    "/{proxy+}",
  ]
  static let paths = [
    "/me", "/public/a", "/public/b", "/users/u1", "/users/u2", "/items/7", "/admin", "/admin/7", "/other",
    "/public/%7Bproxy+%7D", "/public/{proxy+}", "/$default", "/users/%7Bid%7D", "/items/{id}",
  ]

  static func template(isREST: Bool, payload: String, hasDefault: Bool, seconds: Int) -> String {
    let (type, reference) = isREST ? ("Api", "RestApiId") : ("HttpApi", "ApiId")
    let form =
      isREST
      ? "FunctionPayloadType: TOKEN, Identity: { Header: Authorization, ReauthorizeEvery: \(seconds) }"
      : "AuthorizerPayloadFormatVersion: \"\(payload)\", EnableFunctionDefaultPermissions: true,"
        + " Identity: { Headers: [Authorization], ReauthorizeEvery: \(seconds) }"
    var events = routes.enumerated().map { index, path in
      "        E\(index): { Type: \(type), Properties: { \(reference): !Ref Api, Method: GET, Path: \"\(path)\" } }"
    }
    if hasDefault { events.append("        Rest: { Type: HttpApi, Properties: { ApiId: !Ref Api } }") }
    return """
      Transform: AWS::Serverless-2016-10-31
      Resources:
        AuthorizerFunction:
          Type: AWS::Serverless::Function
          Properties: { CodeUri: ., Handler: bootstrap, Runtime: provided.al2023, Timeout: 10 }
        Backend:
          Type: AWS::Serverless::Function
          Properties:
            CodeUri: .
            Handler: index.handler
            Runtime: nodejs24.x
            Events:
      \(events.map { "      " + $0 }.joined(separator: "\n"))
        Api:
          Type: AWS::Serverless::\(type)
          Properties:
            StageName: prod
            Auth: { DefaultAuthorizer: A, Authorizers: { A: { FunctionArn: !GetAtt AuthorizerFunction.Arn, \(form) } } }
      """
  }

  private static func service(
    _ members: String, _ template: String, _ routeARN: Assumptions.Path
  ) throws -> GatewayService {
    var settings = Assumptions()
    settings.httpRouteARN = routeARN
    return GatewayService(
      gateway: Gateway(try GatewayTemplate(parsing: template).served, settings: settings),
      functions: [
        "AuthorizerFunction": StolenTokenSequenceTests.Function(try TestRules.authorizer(members))
      ])
  }

  private static func answer(_ service: GatewayService, _ path: String, _ token: String) async throws
    -> GatewayAnswer
  {
    await service.answer(
      GatewayRequest(
        method: "GET", path: "/prod" + path,
        headers: [.init("Host", "api.example.com"), .init("Authorization", "Bearer " + token)]),
      to: try #require(service.gateway.apis.first))
  }

  static let configurations = [
    RouteTemplateTests.own, RouteTemplateTests.wildcard, RouteTemplateTests.variable,
    RouteTemplateTests.restriction, RouteTemplateTests.literalRestriction,
  ]

  @Test(
    "where ARNs contain templates, no request reaches a route with a variable, from the cache neither",
    arguments: configurations, ["1.0", "2.0"])
  func templates(members: String, payload: String) async throws {
    let tokens = [
      try TestRules.partnerToken(#""sub":"u1""#), try TestRules.partnerToken(#""sub":"{id}""#),
      try TestRules.partnerToken(#""sub":"u1","scope":"admin""#),
    ]
    var counts = (reached: 0, failed: 0, cached: 0)
    for seed in 0..<6 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let template = Self.template(
        isREST: false, payload: payload, hasDefault: seed.isMultiple(of: 2), seconds: seed < 4 ? 300 : 0)
      let service = try Self.service(members, template, .template)
      for _ in 0..<40 {
        let path = Self.paths.randomElement(using: &random) ?? "/"
        let answer = try await Self.answer(service, path, tokens.randomElement(using: &random) ?? "")
        let isLiteral = Self.routes.contains { !$0.contains("{") && $0 == path }
        if answer.response.status < 400 {
          #expect(isLiteral, "\(members) \(path)")
          counts.reached += 1
        }
        if answer.response.status == 500 {
          #expect(!isLiteral, "\(members) \(path)")
          counts.failed += 1
        }
        if service.keptAnswers > 0 { counts.cached += 1 }
      }
    }
    #expect(counts.failed > 0 && counts.cached > 0, "\(counts)")
    if members != RouteTemplateTests.own, members != RouteTemplateTests.variable {
      #expect(counts.reached > 0, "\(counts)")
    }
  }

  @Test(
    "where ARNs contain paths, every grant works as on a REST API; only braces and $default are closed",
    arguments: configurations, ["1.0", "2.0"])
  func paths(members: String, payload: String) async throws {
    let tokens = [
      try TestRules.partnerToken(#""sub":"u1""#), try TestRules.partnerToken(#""sub":"u1","scope":"admin""#),
    ]
    var reached = 0
    for seconds in [0, 300] {
      let http = try Self.service(
        members, Self.template(isREST: false, payload: payload, hasDefault: false, seconds: seconds),
        .concrete)
      let rest = try Self.service(
        members, Self.template(isREST: true, payload: payload, hasDefault: false, seconds: seconds), .concrete
      )
      for path in Self.paths + Self.paths.reversed() {
        for token in tokens {
          let status = try await Self.answer(http, path, token).response.status
          let expected = try await Self.answer(rest, path, token).response.status
          if path.contains("{") || path.contains("$") {
            #expect(status == 403, "\(members) \(path)")
          } else if !path.contains("%") {
            #expect(status == expected, "\(members) \(path)")
            if status == 200 { reached += 1 }
          }
        }
      }
    }
    #expect(reached > 0)
  }
}
