@testable import GatewayEmulator
@testable import GatewayModel
@testable import LambdaEmulator
@testable import Templates
import JSON
import Testing

/// A gateway with a fixed clock and a function of the test.
struct GatewayStage {
  let gateway: Gateway
  let state = Gateway.State()
  /// Milliseconds since 1970.
  var now: Int64 = 1_718_636_523_035
  /// The events that the function has received.
  private(set) var events: [JSONTree] = []
  /// The function.
  var function: (JSONTree) -> InvocationAnswer
  /// The reason in the function's log.
  var reason: String?
  /// Whether the function logs its decisions.
  var hasDecisionLine = false

  init(
    _ template: String, settings: Assumptions = Assumptions(),
    function: @escaping (JSONTree) -> InvocationAnswer = { _ in Self.policy() }
  ) throws {
    gateway = Gateway(try GatewayTemplate(parsing: template).served, settings: settings)
    self.function = function
  }

  /// Creates a stage of APIs that no template describes.
  init(
    _ apis: [GatewayAPI], settings: Assumptions = Assumptions(),
    function: @escaping (JSONTree) -> InvocationAnswer = { _ in Self.policy() }
  ) {
    gateway = Gateway(apis: apis, location: AWSLocation(), settings: settings)
    self.function = function
  }

  /// Returns an API with the stage `prod` whose routes call the function `Backend`.
  static func api(
    _ routes: [GatewayRoute], access: APIAccess = APIAccess(), isREST: Bool = true, binary: [String] = []
  ) -> GatewayAPI {
    GatewayAPI(
      name: "Api", identifier: "abcdefghij", kind: isREST ? .rest(GatewayResponses()) : .http(nil),
      stage: .init(name: isREST ? "prod" : "$default", variables: [:]), routes: routes, access: access,
      binaryMediaTypes: binary)
  }

  /// Returns a route by its key, such as `GET /pets/{id}`.
  static func route(
    _ key: String, access: RouteAccess = .open, needsAPIKey: Bool = false,
    integration: GatewayIntegration = .function("Backend", .rest)
  ) throws -> GatewayRoute {
    let parts = key.split(separator: " ").map(String.init)
    let match: GatewayRoute.Match =
      parts.count == 1
      ? .default : .path(method: parts[0] == "ANY" ? nil : parts[0], try #require(PathPattern(parts[1])))
    return GatewayRoute(match: match, access: access, needsAPIKey: needsAPIKey, integration: integration)
  }

  /// A TOKEN authorizer without a cache.
  static let tokenAuthorizer = GatewayAuthorizer(
    name: "Bearer", function: "Authorizer", form: .token(header: "Authorization", nil), timeToLiveSeconds: 0)

  static func policy(
    _ effect: String = "Allow", resource: String = "*", context: String? = nil, more: String = ""
  ) -> InvocationAnswer {
    let context = context.map { #","context":\#($0)"# } ?? ""
    return .response(
      Array(
        (#"{"principalId":"user-1","policyDocument":{"Version":"2012-10-17","Statement":[{"Action":"#
          + #""execute-api:Invoke","Effect":"\#(effect)","Resource":"\#(resource)"}]}\#(context)\#(more)}"#)
          .utf8))
  }

  static func error(_ message: String, type: String? = "Function.Unauthorized") -> InvocationAnswer {
    let type = type.map { #","errorType":"\#($0)""# } ?? ""
    return .error(
      FunctionErrorReport(
        headerType: "Function.Any", document: Array(#"{"errorMessage":"\#(message)"\#(type)}"#.utf8)))
  }

  static let bearer = [GatewayRequest.Header("Authorization", "Bearer t")]
  /// A value that matches the validation expression of the project's templates: three parts of base64url.
  static let threeParts = [GatewayRequest.Header("Authorization", "Bearer h.c.s")]

  /// Sends a request and returns the answer; backends are replaced by the echo.
  mutating func send(
    _ method: String = "GET", _ path: String, query: String = "",
    headers: [GatewayRequest.Header] = bearer, body: [UInt8] = [], from address: String = "192.0.2.1",
    api: String? = nil, connectionID: String? = nil, backend: GatewayResponse? = nil
  ) -> GatewayAnswer {
    let api = gateway.apis.first { api == nil || $0.name == api } ?? gateway.apis[0]
    var step = gateway.begin(
      ReceivedRequest(
        GatewayRequest(
          method: method, path: path, query: query, headers: headers, body: body, sourceAddress: address),
        to: api,
        RequestIdentity(
          requestID: "r-1", extendedRequestID: "ZhFsxGQDDoEEMig=", traceID: "Root=1-a", unixMilliseconds: now),
        connectionID: connectionID), state: state)
    while true {
      switch step {
      case .answer(let answer): return answer
      case .authorize(let authorization):
        let event = (try? JSONTree(parsing: authorization.call.event)) ?? .null
        events.append(event)
        step = gateway.resume(
          authorization,
          with: FunctionOutcome(answer: function(event), reason: reason, hasDecisionLine: hasDecisionLine),
          milliseconds: 7, at: now, state: state)
      case .integrate(let call):
        return gateway.finish(call, with: backend.map { .response($0) } ?? .echo(call.echo))
      }
    }
  }

  var calls: Int { events.count }
}

extension GatewayAnswer {
  var text: String { String(decoding: response.body, as: UTF8.self) }
  var json: JSONTree? { try? JSONTree(parsing: response.body) }
}

extension JSONTree {
  /// Returns the member at a path.
  func at(_ path: String...) -> JSONTree? {
    var value: JSONTree? = self
    for name in path { value = value?[name] }
    return value
  }

  /// The names of the members, in order.
  var names: [String] { if case .object(let members) = self { members.map(\.name) } else { [] } }
}
