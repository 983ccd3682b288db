import JSON

/// A response for API Gateway, in a form that both payload formats accept.
struct ProxyResponse {
  let status: Int64
  /// JSON, or nothing.
  let body: [UInt8]
  /// A header that only some responses have: `Allow` for 405, or the language of a description.
  private var header: (name: String, value: String)?

  /// A 200 response.
  init(body: [UInt8]) {
    status = 200
    self.body = body
  }

  /// A response without a body.
  init(status: Int64) {
    self.status = status
    body = []
  }

  /// A refusal: `{"error":{"code":…,"message":…}}`, or for senders the members of their protocol.
  init(_ refusal: Refusal, to route: Route? = nil) {
    var writer = JSONWriter()
    writer.beginObject()
    if case .signal(let kind, _)? = route, let error = SignalError(refusal) {
      status = 400
      for (name, value) in error.members(for: kind) {
        writer.name(name)
        writer.string(value)
      }
      writer.endObject()
      body = writer.bytes
      // RFC 8935 section 2.3
      if kind == .event { header = ("Content-Language", "en") }
      return
    }
    let error = refusal.publicError
    status = error.status
    writer.name("error")
    writer.beginObject()
    writer.name("code")
    writer.string(error.code)
    writer.name("message")
    writer.string(error.message)
    writer.endObject()
    writer.endObject()
    body = writer.bytes
    if case .methodNotAllowed(let methods) = refusal { header = ("Allow", methods) }
  }

  /// The response as the function returns it.
  ///
  /// - Parameter isHead: whether the body is left out (RFC 9110 section 9.3.2).
  func bytes(isHead: Bool) -> [UInt8] {
    var writer = JSONWriter(capacity: body.count + 256)
    writer.beginObject()
    writer.name("statusCode")
    writer.integer(status)
    writer.name("headers")
    writer.beginObject()
    let type = body.isEmpty ? [] : [("Content-Type", "application/json")]
    for (name, value) in type + [("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")] {
      writer.name(name)
      writer.string(value)
    }
    if let header {
      writer.name(header.name)
      writer.string(header.value)
    }
    writer.endObject()
    writer.name("body")
    writer.string(utf8: isHead ? [] : body)
    writer.name("isBase64Encoded")
    writer.boolean(false)
    writer.endObject()
    return writer.takeBytes()
  }
}
