internal import GatewayModel
internal import Mapping
internal import Text

/// The parameters of a mapped request: those of the template, then those that its request template overrides.
struct RequestParts {
  private(set) var headers: [GatewayRequest.Header] = []
  private var query: [(name: String, values: [String])] = []
  private var path: [(name: String, value: String)] = []
  /// A header that the mapping must not set.
  let forbiddenHeader: String?
  private let defaults: [GatewayRequest.Header]
  private let isAWS: Bool

  init(
    _ integration: MappedIntegration, _ exchange: RequestContext, _ source: ParameterSource,
    overridden override: MappingOverride
  ) {
    let isAWS = if case .http = integration.target { false } else { true }
    self.isAWS = isAWS
    forbiddenHeader = integration.parameters.lazy.compactMap(\.header).first {
      MappedHeaders.isForbidden($0, onAWS: isAWS)
    }
    defaults = Self.defaults(exchange, isAWS: isAWS)
    for parameter in integration.parameters {
      guard let values = parameter.value?.values(from: source), !values.isEmpty else { continue }
      switch parameter.place {
      case .header(let name): set(header: name, [values.joined(separator: ",")])
      case .query(let name): set(query: name, values)
      case .path(let name): set(path: name, values.joined(separator: ","))
      case .wholePath, .status: break
      }
    }
    for (name, values) in override.headers { set(header: name, values) }
    for (name, values) in override.query { set(query: name, values) }
    for (name, values) in override.path { set(path: name, values.joined(separator: ",")) }
  }

  var allHeaders: [GatewayRequest.Header] {
    let set = headers.filter { !MappedHeaders.isDropped($0.name, onAWS: isAWS) }
    let names = Set(set.map { $0.name.lowercased() })
    return defaults.filter { !names.contains($0.name.lowercased()) } + set
  }

  /// Returns an address with the path and query parameters.
  func address(_ template: String) -> String {
    let address = path.reduce(template) { text, parameter in
      // A parameter of the request's path is encoded already.
      let value = PercentText.encoded(PercentText.decoded(parameter.value), keeping: "/")
      return text.replacingBytes(of: "{\(parameter.name)}", with: value).replacingBytes(
        of: "{\(parameter.name)+}", with: value)
    }
    let items = query.flatMap { item in
      item.values.map {
        "\(PercentText.encoded(item.name, keeping: ""))=\(PercentText.encoded($0, keeping: ""))"
      }
    }
    guard !items.isEmpty else { return address }
    return address + (address.containsBytes(of: "?") ? "&" : "?") + items.joined(separator: "&")
  }

  /// The headers that API Gateway sends by itself.
  private static func defaults(_ exchange: RequestContext, isAWS: Bool) -> [GatewayRequest.Header] {
    var headers = [
      GatewayRequest.Header("Accept", "application/json"),
      .init("User-Agent", "AmazonAPIGateway_\(exchange.api.identifier)"),
      .init("X-Amzn-Trace-Id", exchange.identity.traceID),
    ]
    if !isAWS { headers.append(.init("X-Amzn-Apigateway-Api-Id", exchange.api.identifier)) }
    if let type = exchange.request.values(ofHeader: "Content-Type").first,
      !["GET", "HEAD", "OPTIONS"].contains(exchange.request.method)
    {
      headers.append(.init("Content-Type", type))
    }
    return headers
  }

  private mutating func set(header name: String, _ values: [String]) {
    headers.removeAll { $0.name.lowercased() == name.lowercased() }
    headers += values.map { .init(name, $0) }
  }

  private mutating func set(query name: String, _ values: [String]) {
    query.removeAll { $0.name.hasSameBytes(as: name) }
    query.append((name, values))
  }

  private mutating func set(path name: String, _ value: String) {
    path.removeAll { $0.name.hasSameBytes(as: name) }
    path.append((name, value))
  }
}
