internal import Text
internal import GatewayModel

/// A request as curl would send it, and the API that receives it.
struct EventRequest {
  let kind: EventKind
  let method: String
  /// Host with port, as in the URL.
  let host: String
  /// The path after the stage, as in the URL; begins with `/`.
  let path: String
  /// The query as in the URL, without `?`.
  let query: String
  var headers: [GatewayRequest.Header]
  let cookies: [String]
  let stage: String
  /// Whether the URL's path begins with the stage, which is not so for `$default` and behind a custom domain.
  let isStageInPath: Bool
  let api: String
  let region: String
  let account: String
  /// The route's path with `{name}` and `{name+}`.
  let resource: String
  /// The key of the route if it is not method and path.
  var givenRouteKey: String?
  let pathParameters: [GatewayRequest.Header]
  let sourceIP: String
  let unixMilliseconds: Int64

  /// The partition of the region (AWS, "Amazon Resource Names").
  var partition: String {
    region.hasBytePrefix("cn-") ? "aws-cn" : region.hasBytePrefix("us-gov-") ? "aws-us-gov" : "aws"
  }

  /// `methodArn` or `routeArn`; `$connect` has no verb.
  var arn: String {
    let place = kind == .webSocket ? "$connect" : method + path
    return "arn:\(partition):execute-api:\(region):\(account):\(api)/\(stage)/\(place)"
  }

  /// The path as the client sends it: the one that events show (docs/bound-tokens.md).
  var fullPath: String { isStageInPath ? "/\(stage)\(path)" : path }

  /// The decoded parameters of the query, in order.
  var parameters: [GatewayRequest.Header] {
    GatewayRequest(method: method, path: path, query: query, headers: []).queryItems.map {
      .init($0.name, $0.value)
    }
  }

  func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// Returns the path parameters of a path for a route; `nil` if the route does not match.
  static func parameters(of path: String, in resource: String) -> [GatewayRequest.Header]? {
    let parts = path.splitBytes(at: "/", omittingEmptySubsequences: false).map(String.init)
    let names = resource.splitBytes(at: "/", omittingEmptySubsequences: false).map(String.init)
    var found: [GatewayRequest.Header] = []
    for (index, name) in names.enumerated() {
      guard index < parts.count else { return nil }
      guard name.hasBytePrefix("{"), name.hasByteSuffix("}") else {
        guard name.hasSameBytes(as: parts[index]) else { return nil }
        continue
      }
      let inner = name.dropFirst(bytes: 1).dropLast(bytes: 1)
      if inner.hasByteSuffix("+") {
        guard index == names.count - 1 else { return nil }
        let rest = parts[index...].joined(separator: "/")
        found.append(.init(String(inner.dropLast(bytes: 1)), rest))
        return rest.isEmpty ? nil : found
      }
      guard !parts[index].isEmpty else { return nil }
      found.append(.init(String(inner), parts[index]))
    }
    return names.count == parts.count ? found : nil
  }
}
