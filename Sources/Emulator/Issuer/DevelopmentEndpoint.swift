internal import JSON
internal import TestTokens

/// What a deployed API Gateway has not: the development issuer and the controls of this gateway.
///
/// | request | does |
/// |---|---|
/// | `GET /.well-known/openid-configuration`, `GET /.well-known/jwks.json` | discovery document and key set |
/// | `POST /dev/token` | a token for any user: JSON, a form, or nothing at all |
/// | `POST /dev/notification` | what Apple would post about a user's account: JSON, a form, or nothing at all |
/// | `GET /dev/clock`, `POST /dev/clock` with `{"move":"+1h"}` | the clock of gateway, issuer and function |
/// | `POST /dev/cache/flush` | forgets every kept answer |
struct DevelopmentEndpoint: Sendable {
  let service: GatewayService
  let issuer: DevelopmentIssuer

  /// `nil` for a path that is not its business.
  func answer(_ request: GatewayRequest) -> GatewayResponse? {
    guard request.path.hasPrefix("/dev/") || request.path.hasPrefix("/.well-known/") else { return nil }
    // A page of the web could send a form here; the answer it could not read, the deed would be done.
    if let origin = request.values(ofHeader: "Origin").first, !LoopbackHost.isLoopback(origin: origin) {
      return Self.problem(403, "pages of other machines have no business here")
    }
    let base = "http://" + (request.values(ofHeader: "Host").first ?? "127.0.0.1")
    switch (request.method, request.path) {
    case ("GET", "/.well-known/openid-configuration"): return Self.json(200, issuer.discovery(base: base))
    case ("GET", "/.well-known/jwks.json"): return Self.json(200, issuer.keySet)
    case ("POST", "/dev/token"): return token(request, base)
    case ("POST", "/dev/notification"): return notification(request)
    case ("GET", "/dev/clock"): return clock()
    case ("POST", "/dev/clock"): return moveClock(request)
    case ("POST", "/dev/cache/flush"):
      return Self.json(200, .members(["flushed": .integer(Int64(service.flushCache()))]))
    default:
      return Self.problem(404, "\(request.method) \(request.path) is nothing here")
    }
  }

  private func token(_ request: GatewayRequest, _ base: String) -> GatewayResponse {
    do throws(DevelopmentIssuer.Refusal) {
      let order = try Self.order(in: request)
      // The gateway's clock, as the function that judges it.
      let now = service.unixMilliseconds / 1000
      var response = Self.json(200, try issuer.token(order, base: base, now: now))
      response.headers.append(.init("Cache-Control", "no-store"))
      return response
    } catch {
      return Self.problem(400, error.problem)
    }
  }

  private func notification(_ request: GatewayRequest) -> GatewayResponse {
    do throws(DevelopmentIssuer.Refusal) {
      let order = try Self.order(in: request)
      return Self.json(200, try issuer.notification(order, nowMilliseconds: service.unixMilliseconds))
    } catch {
      return Self.problem(400, error.problem)
    }
  }

  /// A JSON object, or a form (WHATWG URL, "application/x-www-form-urlencoded") whose audiences may repeat.
  private static func order(in request: GatewayRequest) throws(DevelopmentIssuer.Refusal) -> JSONTree {
    if request.body.isEmpty { return .object([]) }
    if request.body.first == 0x7B {
      do throws(JSONError) {
        return try JSONTree(parsing: request.body, limits: .configuration)
      } catch {
        throw DevelopmentIssuer.Refusal(problem: "the body is not JSON: \(error.description)")
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
        "time": .string(GatewayTime.text(service.unixMilliseconds)),
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
