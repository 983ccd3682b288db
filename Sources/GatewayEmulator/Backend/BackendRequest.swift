internal import Mapping
internal import GatewayModel
internal import Text
internal import Bytes
internal import JSON

/// A request as an HTTP backend receives it.
struct BackendRequest: Equatable, Sendable {
  var method: String
  var address: String
  var headers: [GatewayRequest.Header]
  var body: [UInt8]
  /// The authorizer's context, for the echo only: an HTTP backend sees only what the template maps.
  let authorizer: JSONTree?
}

extension BackendRequest {
  init(_ integration: HTTPIntegration, _ source: ParameterSource, _ exchange: RequestContext) {
    method = integration.method ?? exchange.request.method
    body = exchange.request.body
    headers = exchange.headerLines.filter {
      $0.name.lowercased() != "host" && $0.name.lowercased() != "content-length"
    }
    if exchange.isREST {
      // Recorded by LocalStack on AWS: a REST API tells its ID, and its name where the client tells none.
      headers.append(.init("X-Amzn-Apigateway-Api-Id", exchange.api.identifier))
      if exchange.userAgent.isEmpty {
        headers.append(.init("User-Agent", "AmazonAPIGateway_" + exchange.api.identifier))
      }
    }
    let given = source.variables.authorizerValues
    authorizer = given.isEmpty ? nil : .texts(given)
    var query = exchange.request.query.splitBytes(at: "&").map(String.init)
    var pathValues = Dictionary(exchange.pathParameters.map { ($0.name, $0.value) }) { _, last in last }
    var wholePath: String?
    for change in integration.changes {
      let value = change.value?.text(from: source)
      switch change.place {
      case .header(let name): Self.apply(change.action, name, value, to: &headers)
      case .query(let name):
        if change.action != .append { query.removeAll { Self.isItem($0, of: name) } }
        if change.action != .remove, let value {
          query.append("\(name)=\(PercentText.encoded(value, keeping: ""))")
        }
      case .path(let name):
        // A parameter of the path is encoded as sent, and a greedy one keeps its slashes ("Tutorial: Create a REST API
        // with an HTTP proxy integration").
        if case .path? = change.value, exchange.isREST {
          if let value { pathValues[name] = value }
        } else if let value {
          pathValues[name] = PercentText.encoded(value, keeping: "")
        }
      case .wholePath: wholePath = value
      case .status: break
      }
    }
    var address = integration.address
    for (name, value) in pathValues {
      address = address.replacingBytes(of: "{\(name)}", with: value).replacingBytes(
        of: "{\(name)+}", with: value)
    }
    address = source.filled(address)
    // Without the slash the text would continue the host: `@other.example`.
    if let wholePath {
      address = Self.origin(of: address) + (wholePath.utf8.first == .slash ? "" : "/") + wholePath
    }
    let joint = address.containsBytes(of: "?") ? "&" : "?"
    self.address = query.isEmpty ? address : address + joint + query.joined(separator: "&")
  }

  /// Whether an item of the query has this name, however it is encoded.
  private static func isItem(_ item: String, of name: String) -> Bool {
    let start = Substring(item).utf8.prefix { $0 != .equalsSign }
    return PercentText.decoded(Substring(start), plusIsBlank: true).hasSameBytes(as: name)
  }

  static func apply(
    _ action: HTTPIntegration.Change.Action, _ name: String, _ value: String?,
    to headers: inout [GatewayRequest.Header]
  ) {
    if action != .append { headers.removeAll { $0.name.lowercased() == name.lowercased() } }
    if action != .remove, let value { headers.append(.init(name, value)) }
  }

  /// `https://host:port` of an address.
  static func origin(of address: String) -> String {
    guard let start = address.firstByteRange(of: "://") else { return address }
    let end = address[start.upperBound...].utf8.firstIndex { $0 == .slash || $0 == .questionMark }
    return String(address[..<(end ?? address.endIndex)])
  }
}
