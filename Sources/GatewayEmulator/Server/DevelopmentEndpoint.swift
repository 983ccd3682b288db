internal import Text
internal import GatewayModel
internal import IssuerEmulator
internal import LambdaEmulator
internal import Bytes
internal import JSON
internal import TestTokens

/// The development issuer and the controls of this gateway, which a deployed API Gateway does not have.
///
/// | request | does |
/// |---|---|
/// | `GET /.well-known/openid-configuration`, `GET /.well-known/jwks.json` | discovery document and key set |
/// | `POST /dev/token` | a token for any user: JSON, a form, or an empty body. The answer is the token alone where `Accept` prefers text |
/// | `POST /dev/notification` | an Apple account notification for any user: JSON, a form, or an empty body |
/// | `POST /dev/logout`, `POST /dev/event` | tells the identity function of a logout, as a sender does |
/// | `GET /dev/clock`, `POST /dev/clock` with `{"move":"+1h"}` | the clock of gateway, issuer and function |
/// | `POST /dev/cache/flush` | empties the authorizer cache |
/// | `GET /dev/credentials` | the access key for routes with `AWS_IAM` |
struct DevelopmentEndpoint: Sendable {
  let service: GatewayService
  let issuer: DevelopmentIssuer
  /// What requests for ``DevelopmentSecret/endpointPaths`` must send.
  let secret: DevelopmentSecret
  var scheme = "http"
  /// The authorization server for clients that log a user in.
  var oauth = OAuthEndpoint()

  /// Whether a path is one of the endpoint, also one that does not exist.
  static func has(_ path: String) -> Bool {
    path.hasBytePrefix("/dev/") || path.hasBytePrefix("/.well-known/")
  }

  /// Sends a token of the development issuer to a receiver, and returns what that answers; returns `nil` for other
  /// requests.
  func signal(_ request: GatewayRequest) async -> GatewayResponse? {
    guard request.method == "POST", Self.signalPaths.contains(request.path) else { return nil }
    if let refusal = Self.refusal(of: request) { return refusal }
    do throws(DevelopmentIssuer.TokenRequestError) {
      var signal = try issuer.signal(
        try Self.order(in: request), isEvent: request.path == Self.signalPaths[1],
        now: service.unixMilliseconds / 1000)
      let key = (signal.method, signal.path)
      guard let api = service.gateway.apis.first(where: { $0.routes.contains { $0.matches(key) } }) else {
        return Self.problem(404, "no API of the template has the route POST \(signal.path)")
      }
      if api.stage.isInPath { signal.path = "/" + api.stage.name + signal.path }
      return await service.answer(signal, to: api).response
    } catch {
      return Self.problem(400, error.problem)
    }
  }

  private static let signalPaths = ["/dev/logout", "/dev/event"]

  /// A web page could send a form here. It could not read the response, but the request would take effect.
  private static func refusal(of request: GatewayRequest) -> GatewayResponse? {
    guard !request.values(ofHeader: "Origin").allSatisfy(LoopbackHost.isLoopback(origin:)) else { return nil }
    return problem(403, "requests from pages of other machines are refused")
  }

  /// Answers a request; returns `nil` for other paths.
  func answer(_ request: GatewayRequest) -> GatewayResponse? {
    guard Self.has(request.path) else { return nil }
    if let refusal = Self.refusal(of: request) { return refusal }
    if DevelopmentSecret.endpointPaths.contains(request.path), !secret.isSent(in: request) {
      return Self.problem(403, secret.refusal)
    }
    let base = scheme + "://" + (request.values(ofHeader: "Host").first ?? "127.0.0.1")
    if let response = oauth.answer(
      request, base: base, signer: issuer, at: service.unixMilliseconds / 1000)
    {
      return response
    }
    let response = answer(request, base)
    guard request.path == Self.tokenPath else { return response }
    return LoopbackCrossOrigin.readable(
      response, for: request, methods: ["POST"], headers: ["content-type"])
  }

  private static let tokenPath = "/dev/token"

  /// The list of paths for `GET /`.
  var index: String {
    """
      POST /dev/token                        a token for any user: curl -H 'Accept: text/plain' -d user=alice
      POST /dev/notification                 an Apple account notification for any user
      POST /dev/logout, POST /dev/event      tells the identity function of a logout: curl -d user=alice
      GET, POST /dev/clock                   the clock: curl -H @FILE -d '{"move":"+1h"}'
      POST /dev/cache/flush                  empties the authorizer cache: curl -H @FILE -X POST
      GET /dev/credentials                   the access key for routes with AWS_IAM
      GET /dev/oauth/authorize               the login page of the OAuth 2.1 server; see /.well-known/oauth-authorization-server/dev/oauth
      GET /dev/console                       the console of this gateway, for a browser
      GET /.well-known/openid-configuration  the development issuer, and its JWKS in /.well-known/jwks.json
    FILE is \(secret.path)

    """
  }

  /// The methods of each path, with an example of the first.
  private static let verbs: [String: (verbs: [String], example: String)] = [
    "/.well-known/openid-configuration": (["GET"], "curl "), "/.well-known/jwks.json": (["GET"], "curl "),
    tokenPath: (["POST", "OPTIONS"], "curl -d user=alice "),
    "/dev/notification": (["POST"], "curl -d user=alice "),
    signalPaths[0]: (["POST"], "curl -d user=alice "), signalPaths[1]: (["POST"], "curl -d user=alice "),
    "/dev/clock": (["POST", "GET"], #"curl -H @FILE -d '{"move":"+1h"}' "#),
    "/dev/cache/flush": (["POST"], "curl -H @FILE -X POST "), "/dev/credentials": (["GET"], "curl "),
  ]

  private func answer(_ request: GatewayRequest, _ base: String) -> GatewayResponse {
    switch (request.method, request.path) {
    case ("GET", "/.well-known/openid-configuration"): return Self.json(200, issuer.discovery(base: base))
    case ("GET", "/.well-known/jwks.json"): return Self.json(200, issuer.keySet)
    case ("POST", Self.tokenPath): return token(request, base)
    case ("OPTIONS", Self.tokenPath): return GatewayResponse(status: 204)
    case ("POST", "/dev/notification"): return notification(request)
    case ("GET", "/dev/clock"): return clock()
    case ("POST", "/dev/clock"): return moveClock(request)
    case ("POST", "/dev/cache/flush"):
      return Self.json(200, .members(["flushed": .integer(Int64(service.flushCache()))]))
    case ("GET", "/dev/credentials"): return accessKey()
    default:
      guard let known = Self.verbs[request.path] else {
        return Self.problem(404, "\(request.method) \(request.path) does not exist; GET / lists the paths")
      }
      var response = Self.problem(
        405,
        "\(request.method) is not supported here; send \(known.verbs[0]): \(known.example)\(base)\(request.path)"
      )
      response.headers.append(.init("Allow", known.verbs.joined(separator: ", ")))
      return response
    }
  }

  private func accessKey() -> GatewayResponse {
    guard let credentials = issuer.credentials else {
      return Self.problem(404, "no route of the template has AWS_IAM authorization")
    }
    var response = Self.json(200, credentials.document)
    response.headers.append(.init("Cache-Control", "no-store"))
    return response
  }

  /// The authorizers whose tokens a request can name.
  private var authorizers: [TokenAuthorizer] {
    service.gateway.apis.flatMap(\.routes).compactMap {
      if case .token(let authorizer, _) = $0.access { authorizer } else { nil }
    }
  }

  private func token(_ request: GatewayRequest, _ base: String) -> GatewayResponse {
    do throws(DevelopmentIssuer.TokenRequestError) {
      let order = try Self.order(in: request)
      // The gateway's clock, which the function that verifies the token uses too.
      let now = service.unixMilliseconds / 1000
      let token = try issuer.token(order, base: base, authorizers: authorizers, now: now)
      var response = Self.json(200, token)
      // A shell's `$(…)` removes the line feed.
      if request.prefers("text/plain", to: "application/json"),
        case .string(let text)? = token["access_token"]
      {
        response = GatewayResponder.text(200, text + "\n")
      }
      response.headers.append(.init("Cache-Control", "no-store"))
      return response
    } catch {
      return Self.problem(400, error.problem)
    }
  }

  private func notification(_ request: GatewayRequest) -> GatewayResponse {
    do throws(DevelopmentIssuer.TokenRequestError) {
      let order = try Self.order(in: request)
      return Self.json(200, try issuer.notification(order, nowMilliseconds: service.unixMilliseconds))
    } catch {
      return Self.problem(400, error.problem)
    }
  }

  /// Reads a JSON object, or a form (WHATWG URL, "application/x-www-form-urlencoded") that may repeat `audience`.
  private static func order(in request: GatewayRequest) throws(DevelopmentIssuer.TokenRequestError)
    -> JSONTree
  {
    if request.body.isEmpty { return .object([]) }
    if request.body.first == .openingBrace {
      do throws(JSONError) {
        return try JSONTree(parsing: request.body, limits: .configuration)
      } catch {
        throw DevelopmentIssuer.TokenRequestError(
          problem: "the body is not JSON: \(error.description(in: request.body))")
      }
    }
    let form = GatewayRequest(
      method: "POST", path: "/", query: String(decoding: request.body, as: UTF8.self), headers: [])
    var members: [JSONTree.Member] = []
    for item in form.queryItems where item.name != "audience" {
      members.append(.init(name: item.name, value: .string(item.value)))
    }
    let audiences = form.queryItems.filter { $0.name == "audience" }.map { JSONTree.string($0.value) }
    if let only = audiences.first {
      members.append(.init(name: "audience", value: audiences.count == 1 ? only : .array(audiences)))
    }
    return .object(members)
  }

  private func clock() -> GatewayResponse {
    Self.json(
      200,
      .members([
        "time": .string(Timestamp.text(service.unixMilliseconds)),
        "offsetSeconds": .integer(service.clockOffsetSeconds),
        "keptAnswers": .integer(Int64(service.keptAnswers)),
        "unmovedFunctions": .array(service.unmovedFunctions.map { .string($0) }),
      ]))
  }

  private func moveClock(_ request: GatewayRequest) -> GatewayResponse {
    guard let tree = try? JSONTree(parsing: request.body, limits: .configuration),
      case .string(let text)? = tree["move"],
      let distance = RelativeTime(text), service.moveClock(bySeconds: distance.moment(after: 0))
    else { return Self.problem(400, #"write {"move":"+1h"}: +10m, -1h, +90s, +2d, within a year"#) }
    return clock()
  }

  private static func json(_ status: Int, _ tree: JSONTree) -> GatewayResponse {
    GatewayResponse(
      status: status, headers: [.init("Content-Type", "application/json")],
      body: tree.bytes(indentedBy: 2) + [0x0A])
  }

  private static func problem(_ status: Int, _ text: String) -> GatewayResponse {
    json(status, .members(["error": .string(text)]))
  }
}

extension GatewayRoute {
  /// Whether the route is for this method and this path without a stage.
  fileprivate func matches(_ key: (method: String, path: String)) -> Bool {
    guard case .path(let method, let pattern) = match else { return false }
    return (method ?? key.method).hasSameBytes(as: key.method) && pattern.parameters(in: key.path) != nil
  }
}
