@testable import EmulatorTestSupport
@testable import DeploymentChecks
@testable import GatewayEmulator
@testable import GatewayModel
@testable import Templates
import JSON
import Testing

/// Guests through the emulated gateway, for each kind of API.
@Suite("Guests behind the gateway")
struct GuestGatewayTests {
  /// One API whose authorizer has no identity sources, or one.
  enum Setup: String, CaseIterable, Sendable {
    case restRequest, http1, http2, simple, webSocket

    var isREST: Bool { self == .restRequest }

    private func auth(_ source: String?) -> String {
      let identity = source.map { "Headers: [\($0)], " } ?? ""
      let form =
        switch self {
        case .restRequest, .webSocket: "FunctionPayloadType: REQUEST"
        case .http1: "AuthorizerPayloadFormatVersion: \"1.0\""
        case .http2: "AuthorizerPayloadFormatVersion: \"2.0\""
        case .simple: "AuthorizerPayloadFormatVersion: \"2.0\", EnableSimpleResponses: true"
        }
      let permission = isREST ? "" : ", EnableFunctionDefaultPermissions: true"
      return
        "{ DefaultAuthorizer: Guests, Authorizers: { Guests: { FunctionArn: !GetAtt AuthorizerFunction.Arn,"
        + " \(form)\(permission), Identity: { \(identity)ReauthorizeEvery: 0 } } } }"
    }

    func template(requiring source: String?) -> String {
      let functions = """
        Transform: AWS::Serverless-2016-10-31
        Resources:
          AuthorizerFunction:
            Type: AWS::Serverless::Function
            Properties: { CodeUri: ., Handler: bootstrap, Runtime: provided.al2023, Timeout: 10 }

        """
      guard self != .webSocket else {
        let identity = source.map { ", IdentitySource: [route.request.header.\($0)]" } ?? ""
        return functions + """
            Chat:
              Type: AWS::Serverless::Function
              Properties: { CodeUri: ., Handler: index.handler, Runtime: nodejs24.x }
            Api:
              Type: AWS::Serverless::WebSocketApi
              Properties:
                StageName: prod
                RouteSelectionExpression: $request.body.action
                Auth: { AuthType: CUSTOM, AuthArn: !GetAtt AuthorizerFunction.Arn\(identity) }
                Routes: { $connect: { FunctionArn: !GetAtt Chat.Arn } }
          """
      }
      let (type, reference) = isREST ? ("Api", "RestApiId") : ("HttpApi", "ApiId")
      return functions + """
          Backend:
            Type: AWS::Serverless::Function
            Properties:
              CodeUri: .
              Handler: index.handler
              Runtime: nodejs24.x
              Events:
                Any: { Type: \(type), Properties: { \(reference): !Ref Api, Method: ANY, Path: "/{proxy+}" } }
          Api:
            Type: AWS::Serverless::\(type)
            Properties: { StageName: prod, Auth: \(auth(source)) }
        """
    }

    /// The gateway with the authorizer behind it.
    func service(requiring source: String? = nil) throws -> GatewayService {
      let template = try GatewayTemplate(parsing: template(requiring: source))
      let answers = self == .simple ? #","httpApiAnswer":"simple""# : ""
      let rules =
        #","default":"deny","rules":[{"routes":["$connect","GET /public/*","GET /me"],"allow":true}]"#
      let authorizer = try TestGuests.authorizer(GuestTests.routes, TestGuests.concrete + answers + rules)
      return GatewayService(
        gateway: Gateway(template.served, settings: Assumptions()),
        functions: ["AuthorizerFunction": StolenTokenSequenceTests.Function(authorizer)])
    }

    func findings(requiring source: String?) throws -> [DeploymentFinding.Code] {
      let template = try GatewayTemplate(parsing: template(requiring: source))
      let configuration = DeployedConfiguration(
        cache: .off, isSimple: self == .simple, hasRules: true, hasGuests: true)
      return TemplateInspection(template, ["AuthorizerFunction": configuration]).findings.map(\.code)
    }
  }

  private static func answer(
    _ service: GatewayService, _ setup: Setup, _ path: String, _ headers: [GatewayRequest.Header] = [],
    method: String = "GET"
  ) async throws -> GatewayAnswer {
    let api = try #require(service.gateway.apis.first)
    return await service.answer(
      GatewayRequest(
        method: method, path: setup == .webSocket ? "/prod" : "/prod" + path,
        headers: [.init("Host", "api.example.com")] + headers), to: api,
      connectionID: setup == .webSocket ? "CqT7gcXzDoECJuw=" : nil)
  }

  /// The context that the backend gets, as it gets it.
  private static func context(_ answer: GatewayAnswer, _ setup: Setup) throws -> JSONTree? {
    let echo = try JSONTree(parsing: answer.response.body)
    let authorizer = echo["event"]?["requestContext"]?["authorizer"]
    return setup.isREST ? authorizer : authorizer?["lambda"] ?? authorizer
  }

  @Test("a guest gets through, and the backend learns that the caller is one", arguments: Setup.allCases)
  func guest(setup: Setup) async throws {
    let service = try setup.service()
    let answer = try await Self.answer(service, setup, "/public/a")
    #expect(answer.response.status == 200)
    if setup == .webSocket {
      #expect(answer.authorizer?.variables["anonymous"] == "true")
    } else {
      let context = try Self.context(answer, setup)
      // REST APIs pass every value as a string.
      #expect(context?["anonymous"] == (setup.isREST ? .string("true") : .boolean(true)))
      #expect(context?["sub"] == nil)
    }
    #expect(service.keptAnswers == 0)
  }

  @Test("a caller with a token is known on the same route", arguments: Setup.allCases)
  func user(setup: Setup) async throws {
    let service = try setup.service()
    let token = try TestRules.partnerToken(#""sub":"u1""#)
    let answer = try await Self.answer(
      service, setup, "/public/a", [.init("Authorization", "Bearer " + token)])
    #expect(answer.response.status == 200)
    if setup == .webSocket {
      #expect(answer.authorizer?.variables["sub"] == "u1")
      #expect(answer.authorizer?.variables["anonymous"] == nil)
    } else {
      #expect(try Self.context(answer, setup)?["sub"] == .string("u1"))
      #expect(try Self.context(answer, setup)?["anonymous"] == nil)
    }
    // The answer for the bearer serves no guest, and the reverse.
    let guest = try await Self.answer(service, setup, "/me")
    #expect(guest.response.status == (setup == .webSocket ? 200 : 401))
    #expect(service.keptAnswers == 0)
  }

  @Test(
    "a bad credential is a 401 on a guest route",
    arguments: Setup.allCases,
    [
      ("Authorization", ""), ("Authorization", "Bearer"), ("Authorization", "Basic dXNlcg=="),
      ("Authorization", "Bearer a.b.c"), ("DPoP", "x"), ("dpop", ""),
    ])
  func bad(setup: Setup, header: (name: String, value: String)) async throws {
    let service = try setup.service()
    let answer = try await Self.answer(service, setup, "/public/a", [.init(header.name, header.value)])
    #expect(answer.response.status == 401)
  }

  @Test(
    "every other route is a 401 without a token",
    arguments: Setup.allCases.filter { $0 != .webSocket }, ["/me", "/pets", "/publications", "/Public/a"])
  func other(setup: Setup, path: String) async throws {
    let service = try setup.service()
    #expect(try await Self.answer(service, setup, path).response.status == 401)
    #expect(try await Self.answer(service, setup, "/public/a", method: "POST").response.status == 401)
  }

  /// The gateway decides about some spellings itself.
  @Test("no spelling of a dot segment gets through", arguments: Setup.allCases.filter { $0 != .webSocket })
  func spellings(setup: Setup) async throws {
    let service = try setup.service()
    var statuses: [Int: Int] = [:]
    for route in GuestSpellingTests.spellings {
      let status = try await Self.answer(service, setup, String(route.dropFirst(3))).response.status
      statuses[status, default: 0] += 1
      #expect(status >= 400, "\(route)")
    }
    #expect((statuses[401] ?? 0) > 0, "\(statuses)")
  }

  @Test(
    "with an identity source guests do not reach the authorizer for certain, and doctor says so",
    arguments: Setup.allCases)
  func identitySources(setup: Setup) async throws {
    let service = try setup.service(requiring: "Authorization")
    let answer = try await Self.answer(service, setup, "/public/a")
    // AWS documents for REST APIs that it checks the sources of authorizers that cache.
    #expect(answer.response.status == (setup == .restRequest ? 200 : 401))
    #expect(try setup.findings(requiring: "Authorization").contains(.guestsNotCarried))
    let sound = try setup.findings(requiring: nil)
    #expect(!sound.contains(.guestsNotCarried) && !sound.contains(.guestsCached))
  }
}
