package import GatewayModel
internal import Text

/// One request to a deployed API.
package struct SmokeRequest: Sendable {
  package let target: SmokeTarget
  package let route: GatewayRoute
  package let method: String
  /// The path behind the stage, without a query.
  let path: String
  package let credential: Credential
  /// How long after the first answer it is sent again, in seconds; 0 for the first time.
  package var after = 0

  /// What the request has to identify its caller.
  package enum Credential: Equatable, Sendable {
    case none
    /// A value that is no token.
    case garbage
    case role(String)
    /// A preflight request of a browser, for a method.
    case preflight(origin: String, method: String)

    package var words: String {
      switch self {
      case .none: "without a token"
      case .garbage: "with garbage"
      case .role(let role): "with \(role)"
      case .preflight: "as preflight"
      }
    }
  }

  /// The value that is no token.
  static let garbage = "authorizer-local.smoke.garbage"

  /// The headers of a WebSocket handshake (RFC 6455 section 4.1), whose key has 16 bytes.
  private static let handshake: [GatewayRequest.Header] = [
    .init("Connection", "Upgrade"), .init("Upgrade", "websocket"), .init("Sec-WebSocket-Version", "13"),
    .init("Sec-WebSocket-Key", Base64Text.encoded(Array("authorizer-local".utf8))),
  ]

  /// The request and its credential, for people: `GET /pets/{id} without a token`.
  package var title: String {
    let path = if case .path(_, let pattern) = route.match { pattern.text } else { route.key }
    return "\(method) \(path) \(credential.words)" + (after == 0 ? "" : " after \(after) s")
  }

  /// How long the answer to the token may be kept, in seconds; `nil` without a function, and at `$connect`.
  var timeToLiveSeconds: Int? {
    if case .role = credential, route.match != .connect { route.authorizer?.timeToLiveSeconds } else { nil }
  }

  /// The API and the authorizer whose answer to the token may be kept; `nil` if none may be.
  var keeper: String? {
    timeToLiveSeconds.flatMap { _ in route.authorizer.map { "\(target.api.name), authorizer \($0.name)" } }
  }

  /// Returns the request as a gateway gets it, and the URL to which it is sent: both have the same headers.
  func exchange(_ tokens: [RoleToken]) -> (request: GatewayRequest, url: String) {
    var headers: [GatewayRequest.Header] = [
      .init("Host", target.address.authority), .init("User-Agent", "authorizer-local smoke"),
      .init("Accept", "*/*"),
    ]
    var query = ""
    var value: (header: String, query: String)?
    switch credential {
    case .none: break
    case .garbage: value = ("Bearer " + Self.garbage, Self.garbage)
    case .role(let role): value = tokens.first { $0.role == role }.map { ($0.headerValue, $0.queryValue) }
    case .preflight(let origin, let method):
      headers += [.init("Origin", origin), .init("Access-Control-Request-Method", method)]
    }
    if let value {
      switch route.identitySources.first {
      case .query(let name)?:
        query = "\(PercentText.encoded(name, keeping: ""))=\(PercentText.encoded(value.query, keeping: ""))"
      case .header(let name)?: headers.append(.init(name, value.header))
      case .stageVariable?, .context?, nil: headers.append(.init("Authorization", value.header))
      }
    }
    if route.match == .connect { headers += Self.handshake }
    let stage = target.api.stage
    var request = GatewayRequest(
      method: method, path: (stage.isInPath ? "/" + stage.name : "") + path,
      sentPath: target.prefix + path, query: query, headers: headers)
    if target.isDomain {
      request.domain = GatewayDomain.Use(name: target.address.host, path: target.prefix + path)
    }
    let url = target.address.origin + target.prefix + path + (query.isEmpty ? "" : "?" + query)
    return (request, url)
  }
}
