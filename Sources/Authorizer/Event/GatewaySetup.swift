import Bytes
import JSON

/// What an event of an HTTP API shows about the configuration of its API. Events of other APIs do not show it.
struct GatewaySetup {
  private let kind: EventKind
  private let event: JSONValue
  private let route: [UInt8]

  init(of request: AuthorizationRequest) {
    kind = request.kind
    event = request.event
    route = request.arn.route
  }

  /// Whether the event comes from an HTTP API.
  var isHTTP: Bool { kind.isHTTP }

  /// Whether the request's ARN contains the path or the route's template, such as `/pets/{id}`.
  enum RouteInARN {
    /// A path, or a route without variables, for which both are equal.
    case path
    /// The template, although the request has a path: the API is configured this way.
    case template
    /// The template, or a path equal to it: a caller may write braces into a path, also percent-encoded.
    case either
  }

  /// Whether the ARN contains the template of the route.
  var routeInARN: RouteInARN {
    guard kind.isHTTP, let template = routeTemplate else { return .path }
    if template.elementsEqual("$default".utf8) || template.elementsEqual("/$default".utf8) {
      return route.elementsEqual("$default".utf8) ? .template : .path
    }
    if route.starts(with: Self.anyMethod) {
      guard let method = method else { return .either }
      return method.elementsEqual("ANY".utf8) ? .either : .template
    }
    guard template.contains(Self.brace), let slash = route.firstIndex(of: .slash),
      route[slash...].elementsEqual(template)
    else { return .path }
    guard let path = event[kind == .http2 ? "rawPath" : "path"]?.utf8 else { return .either }
    return path.contains { $0 == Self.brace || $0 == .percent } ? .either : .template
  }

  /// Whether the API may cache an answer for this token under another cache key than the token: the event names its
  /// identity sources, which are the cache key, and none of their values contains the token.
  func mayCache(apartFrom token: [UInt8]) -> Bool {
    guard hasIdentitySources, let sources = event["identitySource"] else { return false }
    // Payload 2.0 has a list; payload 1.0 joins the values to one text.
    let values = sources.kind == .array ? Array(sources.elements) : [sources]
    let texts = values.compactMap { $0.utf8 }
    return !texts.isEmpty && !texts.contains { Self.holds($0, token) }
  }

  /// Whether the event names identity sources of the API's authorizer, which API Gateway may use as a cache key. A
  /// caller cannot add any.
  var hasIdentitySources: Bool {
    guard kind.isHTTP, let sources = event["identitySource"] else { return false }
    switch sources.kind {
    case .null: return false
    case .string: return !sources.equals(utf8: [])
    case .array: return sources.elements.contains { _ in true }
    default: return true
    }
  }

  private static let brace: UInt8 = 0x7B
  /// The method of a route's key for all methods. A caller may send it as a method, too.
  private static let anyMethod = Array("ANY/".utf8)

  private var method: [UInt8]? {
    kind == .http2 ? event["requestContext"]?["http"]?["method"]?.utf8 : event["httpMethod"]?.utf8
  }

  /// The path of the route as the API defines it: the end of `routeKey`, or `resource` in payload 1.0.
  private var routeTemplate: ArraySlice<UInt8>? {
    guard kind == .http2 else { return event["resource"]?.utf8.map { $0[...] } }
    guard let key = event["routeKey"]?.utf8 else { return nil }
    guard let blank = key.firstIndex(of: .space) else { return key[...] }
    return key[(blank + 1)...]
  }

  /// Whether the percent-decoded text contains this token between two delimiters. Runs in one pass. Valid tokens
  /// consist of letters, digits, `-`, `_` and `.` (RFC 7515 section 7.1).
  private static func holds(_ text: [UInt8], _ token: [UInt8]) -> Bool {
    var matched: Int? = 0
    var index = 0
    while index < text.count {
      var byte = text[index]
      index += 1
      if byte == .percent, index + 1 < text.count, let high = text[index].hexadecimalValue,
        let low = text[index + 1].hexadecimalValue
      {
        byte = high << 4 | low
        index += 2
      }
      if !isTokenByte(byte) {
        if matched == token.count { return true }
        matched = 0
      } else if let count = matched {
        matched = count < token.count && token[count] == byte ? count + 1 : nil
      }
    }
    return matched == token.count
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || byte == .hyphen || byte == .dot || byte == .underscore
  }
}
