internal import JSON

/// The answer of a function behind a route, as API Gateway interprets it.
struct BackendResponse {
  let response: GatewayResponse

  /// Returns `nil` for an invalid answer: 502 on REST, 500 on HTTP APIs ("Lambda proxy integrations in API Gateway").
  init?(_ bytes: [UInt8], _ format: GatewayIntegration.PayloadFormat) {
    guard let tree = try? JSONTree(parsing: bytes) else { return nil }
    if format == .http2, tree["statusCode"] == nil {
      // Payload 2.0 accepts any JSON as the body of a 200.
      let body: [UInt8]
      if case .string(let text) = tree { body = Array(text.utf8) } else { body = bytes }
      response = GatewayResponse(
        status: 200, headers: [.init("Content-Type", "application/json")], body: body)
      return
    }
    guard case .object = tree, let status = Self.status(tree["statusCode"]) else { return nil }
    var response = GatewayResponse(status: status)
    guard let headers = Self.headers(tree) else { return nil }
    response.headers = headers
    if case .array(let cookies)? = tree["cookies"] {
      for case .string(let cookie) in cookies { response.headers.append(.init("Set-Cookie", cookie)) }
    }
    switch tree["body"] {
    case .string(let text)?:
      if tree["isBase64Encoded"] == .boolean(true) {
        guard let body = Base64Text.decoded(text) else { return nil }
        response.body = body
      } else {
        response.body = Array(text.utf8)
      }
    case nil, .null?: break
    default: return nil
    }
    if response.header("Content-Type") == nil {
      response.headers.append(
        .init("Content-Type", format == .http2 ? "text/plain; charset=utf-8" : "application/json"))
    }
    self.response = response
  }

  private static func status(_ value: JSONTree?) -> Int? {
    let number: Int? =
      switch value {
      case .number(let text)?: Int(text)
      case .string(let text)?: Int(text)
      default: nil
      }
    return number.flatMap { (200...599).contains($0) ? $0 : nil }
  }

  /// The values of `headers` and `multiValueHeaders`; `nil` if a value is not a string, number or boolean.
  private static func headers(_ tree: JSONTree) -> [GatewayRequest.Header]? {
    var lines: [GatewayRequest.Header] = []
    if case .object(let members)? = tree["headers"] {
      for member in members {
        switch member.value {
        case .string(let text), .number(let text): lines.append(.init(member.name, text))
        case .boolean(let value): lines.append(.init(member.name, value ? "true" : "false"))
        case .null: continue
        default: return nil
        }
      }
    }
    if case .object(let members)? = tree["multiValueHeaders"] {
      for member in members {
        guard case .array(let values) = member.value else { return nil }
        lines.removeAll { $0.name.lowercased() == member.name.lowercased() }
        for case .string(let value) in values { lines.append(.init(member.name, value)) }
      }
    }
    return lines
  }
}
