internal import GatewayModel
internal import Mapping
internal import Text
internal import JSON

/// The answer of a function behind a route, as API Gateway interprets it.
struct BackendResponse {
  let response: GatewayResponse

  /// The members of a REST API's answer; another one makes it malformed (recorded by LocalStack on AWS). SAM accepts
  /// `base64Encoded` too.
  private static let restMembers: Set<String> = [
    "statusCode", "headers", "multiValueHeaders", "body", "isBase64Encoded", "base64Encoded",
  ]

  /// The members of the metadata of a stream.
  private static let streamMembers: Set<String> = ["statusCode", "headers", "multiValueHeaders", "cookies"]

  /// Reads a stream: metadata as JSON, eight zero bytes, and the body as it is. Returns `nil` for another form, which is a
  /// 500 ("Set up a Lambda proxy integration with payload response streaming in API Gateway").
  init?(stream bytes: [UInt8]) {
    guard let delimiter = Self.delimiter(in: bytes),
      let tree = try? JSONTree(parsing: Array(bytes[..<delimiter.lowerBound])),
      case .object(let members) = tree,
      members.allSatisfy({ Self.streamMembers.contains($0.name) }),
      let status = Self.status(tree["statusCode"], .rest), let headers = Self.headers(tree)
    else { return nil }
    var response = GatewayResponse(status: status, headers: headers)
    // A client gets the length of what was buffered.
    response.headers.removeAll { $0.name.lowercased() == "content-length" }
    response.addCookies(tree)
    if response.header("Content-Type") == nil {
      response.headers.append(.init("Content-Type", "application/json"))
    }
    response.body = Array(bytes[delimiter.upperBound...])
    self.response = response
  }

  /// Returns the place of the eight zero bytes between metadata and body, which no JSON contains.
  private static func delimiter(in bytes: [UInt8]) -> Range<Int>? {
    bytes.prefix(GatewayQuota.streamMetadataBytes).firstRange(of: [UInt8](repeating: 0, count: 8))
  }

  /// Returns `nil` for an invalid answer: 502 on REST, 500 on HTTP APIs ("Lambda proxy integrations in API Gateway").
  init?(_ bytes: [UInt8], _ format: GatewayIntegration.PayloadFormat, to exchange: RequestContext) {
    // Of a stream that is invoked buffered, a REST API returns status and headers without the body (the page above).
    let end = format == .rest ? Self.delimiter(in: bytes)?.lowerBound : nil
    guard let tree = try? JSONTree(parsing: end.map { Array(bytes[..<$0]) } ?? bytes) else { return nil }
    if format == .http2, tree["statusCode"] == nil {
      // Payload 2.0 accepts any JSON as the body of a 200.
      let body: [UInt8]
      if case .string(let text) = tree { body = Array(text.utf8) } else { body = bytes }
      response = GatewayResponse(
        status: 200, headers: [.init("Content-Type", "application/json")], body: body)
      return
    }
    guard case .object(let members) = tree else { return nil }
    if format == .rest, members.contains(where: { !Self.restMembers.contains($0.name) }) { return nil }
    guard let status = Self.status(tree["statusCode"], format), let headers = Self.headers(tree) else {
      return nil
    }
    var response = GatewayResponse(status: status, headers: headers)
    if format == .http2 { response.addCookies(tree) }
    switch tree["body"] {
    case .string(let text)?:
      if Self.isDecoded(tree, format, exchange) {
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
        .init(
          "Content-Type",
          format == .http2 ? exchange.settings.httpContentType.rawValue : "application/json"))
    }
    self.response = response
  }

  /// Whether the body is base64 that the client receives decoded. A REST API decodes it only for a client that accepts a
  /// binary media type of the API ("Working with binary media types for REST APIs"); otherwise the text goes out as it is
  /// (measured on AWS by MiniStack, pull request 767).
  private static func isDecoded(
    _ tree: JSONTree, _ format: GatewayIntegration.PayloadFormat, _ exchange: RequestContext
  ) -> Bool {
    guard (tree["isBase64Encoded"] ?? tree["base64Encoded"]) == .boolean(true) else { return false }
    return format != .rest
      || MediaType.isBinary(
        exchange.request.values(ofHeader: "Accept").first, among: exchange.api.binaryMediaTypes)
  }

  /// An answer of a REST API without a status has 200 (recorded by LocalStack on AWS).
  private static func status(_ value: JSONTree?, _ format: GatewayIntegration.PayloadFormat) -> Int? {
    let number: Int? =
      switch value {
      case nil where format == .rest: 200
      case .number(let text)?: Int(text)
      case .string(let text)?: Int(text)
      default: nil
      }
    return number.flatMap { (200...599).contains($0) ? $0 : nil }
  }

  /// The values of `multiValueHeaders`, and those of `headers` that are not among them, whatever the case of the names
  /// ("Output format of a Lambda function for proxy integration"); `nil` if a value is not a string, number or boolean.
  private static func headers(_ tree: JSONTree) -> [GatewayRequest.Header]? {
    var lines: [GatewayRequest.Header] = []
    if case .object(let members)? = tree["multiValueHeaders"] {
      for member in members {
        guard case .array(let values) = member.value else { return nil }
        for value in values {
          guard let text = text(value) else { return nil }
          lines.append(.init(member.name, text))
        }
      }
    }
    if case .object(let members)? = tree["headers"] {
      func line(_ name: String, _ value: String) -> ByteString { ByteString(name.lowercased() + ":" + value) }
      let several = Set(lines.map { line($0.name, $0.value) })
      for member in members where member.value != .null {
        guard let text = text(member.value) else { return nil }
        if !several.contains(line(member.name, text)) { lines.append(.init(member.name, text)) }
      }
    }
    return lines
  }

  private static func text(_ value: JSONTree) -> String? {
    switch value {
    case .string(let text), .number(let text): text
    case .boolean(let value): value ? "true" : "false"
    default: nil
    }
  }
}

extension GatewayResponse {
  fileprivate mutating func addCookies(_ tree: JSONTree) {
    guard case .array(let cookies)? = tree["cookies"] else { return }
    for case .string(let cookie) in cookies { headers.append(.init("Set-Cookie", cookie)) }
  }
}
