@testable import EmulatorTestSupport
@testable import GatewayConsole
@testable import GatewayEmulator
@testable import GatewayModel
@testable import IssuerEmulator
@testable import LambdaEmulator
import JSON
import TestSupport
import TestTokens
import Testing

/// The matrix says what a client gets that sends the request itself: of WebSocket APIs, and where API Gateway verifies
/// the token. `ConsoleTruthTests` has the Lambda authorizers of other APIs.
@Suite struct ConsoleMatrixTruthTests {
  private static let users: [(name: String?, scope: String?)] = [
    (nil, nil), ("alice", nil), ("bob", "write"), ("carol", "read"), ("dave", "read write"), ("eve", "admin"),
  ]

  /// Compares each cell with the decision on a client's own request; returns their outcomes.
  private static func outcomes(_ stage: ConsoleStage, path prefix: String) async throws -> Set<String> {
    let (service, api) = (stage.service, stage.service.gateway.apis[0])
    let query = users.map { user in
      "user=" + (user.name ?? "") + (user.scope.map { "&scope=" + $0.replacing(" ", with: "%20") } ?? "")
    }
    let matrix = try await stage.ask("/dev/matrix", query: query.joined(separator: "&")).json
    var outcomes: Set<String> = []
    for (row, cells) in zip(matrix["routes"]?.elements ?? [], matrix["cells"]?.elements ?? []) {
      let route = try #require(api.routes.first { $0.key == row["route"]?.plain })
      for (user, cell) in zip(users, cells.elements) {
        let isConnect = route.match == .connect
        let path = isConnect ? "" : try #require(cell["path"]?.plain)
        let token = try user.name.map { try Self.token($0, user.scope, for: route, stage) }
        _ = await service.answer(
          Self.request(row["method"]?.plain ?? "", prefix + path, token, route.identitySources.first),
          to: api, connectionID: isConnect ? WebSocketStage.identifier : nil)
        let number = stage.log.page(after: nil, limit: 1).newest
        let decision = DecisionText(try #require(stage.log.decision(number)))
        let summary = JSONTree.object(decision.summary)
        let status = summary["status"] == .integer(101) ? .integer(200) : summary["status"]
        #expect(cell["status"] == status, "\(route.key) \(user)")
        for name in ["outcome", "reason", "decision"] {
          #expect(cell[name] == summary[name], "\(route.key) \(user)")
        }
        outcomes.insert(cell["outcome"]?.plain ?? "")
      }
    }
    return outcomes
  }

  /// The token of `POST /dev/token`.
  private static func token(
    _ user: String, _ scope: String?, for route: GatewayRoute, _ stage: ConsoleStage
  ) throws -> String {
    var authorizers: [TokenAuthorizer] = []
    if case .token(let authorizer, _) = route.access { authorizers = [authorizer] }
    let order = JSONTree.members([
      "user": .string(user), "scope": scope.map { .string($0) },
      "authorizer": authorizers.first.map { .string($0.name) },
    ])
    let answer = try stage.connection.issuer.token(
      order, base: "http://" + ConsoleStage.host, authorizers: authorizers,
      now: stage.service.unixMilliseconds / 1000)
    return try #require(answer["access_token"]?.plain)
  }

  private static func request(
    _ method: String, _ path: String, _ token: String?, _ source: IdentitySource?
  ) -> GatewayRequest {
    var (query, headers) = ("", [GatewayRequest.Header("Host", ConsoleStage.host)])
    switch (source, token) {
    case (.query(let name)?, let token?): query = "\(name)=\(token)"
    case (.header(let name)?, let token?): headers.append(.init(name, "Bearer " + token))
    default: break
    }
    return GatewayRequest(method: method, path: path, query: query, headers: headers)
  }

  private static func source(_ random: inout SeededGenerator) -> IdentitySource {
    let sources: [IdentitySource] = [.header("Authorization"), .header("X-Token"), .query("token")]
    return sources.randomElement(using: &random) ?? sources[0]
  }

  // MARK: WebSocket APIs

  /// Allows `$connect` for `write`, another route alone for `read`, and fails for `admin`.
  @Sendable private static func answer(_ event: JSONTree) -> InvocationAnswer {
    let text = String(decoding: event.bytes(), as: UTF8.self)
    let token = text.split { " \"=".contains($0) }.lazy.compactMap { DecodedToken(String($0)) }.first
    let arn = event["methodArn"]?.plain ?? ""
    switch token?.claims["scope"]?.plain {
    case "write": return GatewayStage.policy(resource: arn)
    case "read": return GatewayStage.policy(resource: arn.replacing("$connect", with: "$default"))
    case "read write": return GatewayStage.error("Unauthorized")
    case "admin": return GatewayStage.error("boom", type: "Error")
    default: return GatewayStage.policy("Deny")
    }
  }

  @Test(arguments: UInt64(0)..<12)
  func aCellOfAWebSocketAPIIsTheAnswerToItsHandshake(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let authorizer = GatewayAuthorizer(
      name: "Request", function: "Authorizer", form: .webSocket([Self.source(&random)]),
      timeToLiveSeconds: 0)
    let access = Bool.random(using: &random) ? RouteAccess.lambda(authorizer) : .open
    let stage = try ConsoleStage(
      [
        try WebSocketStage.api([
          WebSocketStage.route("$connect", access: access), WebSocketStage.route("$default"),
        ])
      ], answer: Self.answer)
    let outcomes = try await Self.outcomes(stage, path: "/live")
    let expected: Set = ["allowed", "forbidden", "unauthorized", "failure"]
    #expect(outcomes == (access.isOpen ? ["open"] : expected))
  }

  // MARK: Authorizers of API Gateway itself

  @Test(arguments: UInt64(0)..<24)
  func aCellOfANativeAuthorizerIsTheAnswerToItsRequest(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let isREST = Bool.random(using: &random)
    let source = Self.source(&random)
    let authorizer = TokenAuthorizer(
      name: "Own",
      kind: isREST
        ? .userPools(["arn:aws:cognito-idp:us-east-1:123456789012:userpool/us-east-1_Pool00001"])
        : .jwt(issuer: "https://id.example.com", audiences: ["api"]), source: source)
    let scopes = ["read", "write", "admin", "other"]
    let routes = try ["GET /pets/{id}", "POST /pets", "GET /{proxy+}"].map { key in
      let needed = scopes.shuffled(using: &random).prefix(Int.random(in: 0...2, using: &random))
      return try GatewayStage.route(
        key, access: .token(authorizer, scopes: Array(needed)),
        integration: .function("Backend", isREST ? .rest : .http2))
    }
    let stage = try ConsoleStage(
      [GatewayStage.api(routes, isREST: isREST)],
      trust: TrustedKeys(keys: try SharedKeys.all(), credentials: nil))
    let outcomes = try await Self.outcomes(stage, path: isREST ? "/prod" : "")
    #expect(outcomes.isSuperset(of: ["unauthorized"]) && outcomes.count > 1, "\(outcomes)")
    #expect(stage.events.count == 0)
  }
}
