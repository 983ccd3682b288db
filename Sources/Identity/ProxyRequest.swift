import Bytes
import FunctionHost
package import JSON

/// A caller's request in either payload format of API Gateway: 1.0 of REST and HTTP APIs, 2.0 of HTTP APIs (AWS,
/// "Create AWS Lambda proxy integrations for HTTP APIs in API Gateway").
struct ProxyRequest {
  let format: PayloadFormat
  /// The method as sent: methods are compared as bytes (RFC 9110 section 9.1).
  let method: [UInt8]
  /// The path as in the event; it may begin with the stage, or with the base path of a custom domain.
  let path: [UInt8]
  /// The stage. Paths never contain `$default`.
  let stage: [UInt8]
  /// Every value of `Content-Type`.
  let contentTypes: [[UInt8]]
  /// Every value of `Authorization`.
  let authorizations: [[UInt8]]
  /// The caller from the authorizer's context; `nil` without an authorizer or without a subject.
  let caller: Caller?
  /// The ID of the request in API Gateway.
  let apiRequestID: APIRequestID?
  private let context: JSONValue?
  private let body: [UInt8]?
  private let isBase64: Bool

  /// The caller that the authorizer verified.
  struct Caller: Equatable {
    /// The token's `sub`.
    let subject: [UInt8]
    /// The name of the token's issuer in the authorizer's configuration.
    let issuer: [UInt8]?
  }

  /// Reads an event. Unknown members are ignored, since API Gateway may add some.
  ///
  /// - Throws: `ProxyEventFlaw` if it is not a proxy event: a fault of the deployment, not of the caller.
  init(parsing bytes: [UInt8]) throws(ProxyEventFlaw) {
    let event: JSONValue
    do {
      event = try JSONDocument(parsing: bytes, limits: .event).root
    } catch {
      throw .notJSON(error)
    }
    guard let format = PayloadFormat(event), let context = event["requestContext"] else {
      throw .notAProxyEvent
    }
    self.format = format
    guard let stage = context["stage"]?.utf8, !stage.isEmpty else {
      throw .malformedMember("requestContext.stage")
    }
    self.stage = stage
    let (method, path) =
      format == .v2 ? (context["http"]?["method"], event["rawPath"]) : (event["httpMethod"], event["path"])
    guard let method = method?.utf8, !method.isEmpty else { throw .malformedMember("method") }
    guard let path = path?.utf8, path.first == .slash else { throw .malformedMember("path") }
    self.method = method
    self.path = path
    contentTypes = try Self.values(of: "content-type", event)
    authorizations = try Self.values(of: "authorization", event)
    (body, isBase64) = try Self.body(event)
    apiRequestID = APIRequestID(inContext: context)
    self.context = format == .v2 ? context["authorizer"]?["lambda"] : context["authorizer"]
    caller = Self.caller(self.context)
  }

  /// A text of the authorizer's context; `nil` if it is absent or empty.
  func contextText(_ name: String) -> [UInt8]? {
    guard let text = context?[name]?.utf8, !text.isEmpty else { return nil }
    return text
  }

  /// A date of the authorizer's context in Unix seconds, rounded up; `nil` if it is absent or no number. Events of REST
  /// APIs have it as text.
  func contextDate(_ name: String) -> Int64? {
    let text = contextText(name).flatMap { try? JSONDocument(parsing: $0, limits: .token).root }
    return (text ?? context?[name])?.bounds?.ceiling
  }

  /// The body's bytes, at most `limit`; empty without a body.
  ///
  /// - Throws: `bodyTooLarge`, or `malformedBody(.base64)` if the event declares base64 and the body is not.
  func bytes(limit: Int) throws(Refusal) -> [UInt8] {
    guard let body else { return [] }
    guard isBase64 else {
      guard body.count <= limit else { throw .bodyTooLarge }
      return body
    }
    // Four characters for three bytes; the last four may contain padding (RFC 4648 section 4).
    guard body.count <= (limit + 2) / 3 * 4 else { throw .bodyTooLarge }
    guard let bytes = Base64.decode(body) else { throw .malformedBody(.base64) }
    guard bytes.count <= limit else { throw .bodyTooLarge }
    return bytes
  }

  /// The values of a header, found by its name in any letter case. Payload 1.0 has each value in `multiValueHeaders`
  /// and the last one in `headers`; 2.0 joins them with commas.
  private static func values(of name: String, _ event: JSONValue) throws(ProxyEventFlaw) -> [[UInt8]] {
    var single: [[UInt8]] = []
    if let headers = event["headers"], headers.kind != .null {
      guard headers.kind == .object else { throw .malformedMember("headers") }
      for (header, value) in headers.members where isName(header, name) {
        guard let text = value.utf8 else { throw .malformedMember("headers") }
        single.append(text)
      }
    }
    guard let headers = event["multiValueHeaders"], headers.kind != .null else { return single }
    guard headers.kind == .object else { throw .malformedMember("multiValueHeaders") }
    var all: [[UInt8]] = []
    for (header, values) in headers.members where isName(header, name) {
      guard values.kind == .array else { throw .malformedMember("multiValueHeaders") }
      for value in values.elements {
        guard let text = value.utf8 else { throw .malformedMember("multiValueHeaders") }
        all.append(text)
      }
    }
    return all.count > single.count ? all : single
  }

  private static func isName(_ header: JSONValue, _ name: String) -> Bool {
    header.utf8.map { $0.lowercase.elementsEqual(name.utf8) } ?? false
  }

  private static func body(_ event: JSONValue) throws(ProxyEventFlaw) -> ([UInt8]?, Bool) {
    var isBase64 = false
    if let flag = event["isBase64Encoded"], flag.kind != .null {
      guard let boolean = flag.boolean else { throw .malformedMember("isBase64Encoded") }
      isBase64 = boolean
    }
    guard let body = event["body"], body.kind != .null else { return (nil, isBase64) }
    guard let bytes = body.utf8 else { throw .malformedMember("body") }
    return (bytes, isBase64)
  }

  /// Reads only `sub`, because `principalId` may be configured to hold another claim.
  private static func caller(_ context: JSONValue?) -> Caller? {
    guard let subject = context?["sub"]?.utf8, !subject.isEmpty else { return nil }
    return Caller(subject: subject, issuer: context?["issuer"]?.utf8)
  }
}

package enum PayloadFormat: String, CaseIterable, Sendable {
  case v1 = "1.0"
  case v2 = "2.0"

  /// The payload format of an event; `nil` if it is neither of the two. Authorizer events have a `type`, WebSocket
  /// messages a `connectionId`, those of load balancers an `elb`.
  init?(_ event: JSONValue) {
    guard event.kind == .object, event["type"] == nil, let context = event["requestContext"],
      context.kind == .object, context["connectionId"] == nil, context["eventType"] == nil,
      context["elb"] == nil
    else { return nil }
    let version = event["version"]
    if let version, version.equals("2.0") {
      guard event["rawPath"] != nil, context["http"] != nil else { return nil }
      self = .v2
    } else {
      // Events of REST APIs have no version.
      guard version == nil || version?.equals("1.0") == true, event["httpMethod"] != nil, event["path"] != nil
      else { return nil }
      self = .v1
    }
  }
}

/// Why this function cannot answer an event.
package enum ProxyEventFlaw: Error, Equatable, Sendable {
  /// Not strict JSON, or over its limits.
  case notJSON(JSONError)
  /// JSON, but neither of the two payload formats.
  case notAProxyEvent
  /// A member is absent or of the wrong kind.
  case malformedMember(String)

  /// What is wrong, for the operator. Contains nothing from the event.
  package var description: String {
    switch self {
    case .notJSON(let error): error.description
    case .notAProxyEvent: "not a proxy event of an API Gateway REST or HTTP API"
    case .malformedMember(let name): name + ": absent or of the wrong kind"
    }
  }
}
