import Bytes

/// Writes the heads of requests. Constant parts are prepared once.
struct RequestWriter {
  /// The complete request `GET /runtime/invocation/next`.
  let next: [UInt8]
  /// The beginning of a POST request, up to `init/error` or `invocation/`.
  let postStart: [UInt8]
  /// The part of a POST request between its target and its own fields.
  let commonFields: [UInt8]

  /// The path prefix of the API version that this module uses.
  static let version: StaticString = "/2018-06-01"

  init(endpoint: RuntimeEndpoint, userAgent: StaticString) {
    var base = Array(endpoint.pathPrefix.utf8)
    base.append(Self.version)
    base.append("/runtime/")
    var fields: [UInt8] = []
    fields.append(" HTTP/1.1\r\nHost: ")
    fields += endpoint.authority.utf8
    fields.append("\r\nUser-Agent: ")
    fields.append(userAgent)
    fields.append("\r\n")
    next = Array("GET ".utf8) + base + Array("invocation/next".utf8) + fields + Array("\r\n".utf8)
    postStart = Array("POST ".utf8) + base
    commonFields = fields + Array("Content-Type: application/json\r\n".utf8)
  }

  /// `POST /runtime/invocation/{id}/response`, with the invocation ID if there is one.
  func response(to invocation: borrowing PendingInvocation, byteCount: Int) -> [UInt8] {
    var head = start()
    appendTarget(of: invocation, "/response", to: &head)
    return finish(&head, byteCount: byteCount)
  }

  /// `POST /runtime/invocation/{id}/error`, with the type and, if there is one, the invocation ID.
  func failure(of invocation: borrowing PendingInvocation, type: ErrorType, byteCount: Int) -> [UInt8] {
    var head = start()
    appendTarget(of: invocation, "/error", to: &head)
    appendType(type, to: &head)
    return finish(&head, byteCount: byteCount)
  }

  /// `POST /runtime/init/error`.
  func initializationFailure(type: ErrorType, byteCount: Int) -> [UInt8] {
    var head = start()
    head.append("init/error")
    head.append(commonFields)
    appendType(type, to: &head)
    return finish(&head, byteCount: byteCount)
  }
}

extension RequestWriter {
  private func start() -> ByteBuffer {
    // Room for the fields and two IDs of the usual length.
    var head = ByteBuffer(capacity: postStart.count + commonFields.count + 320)
    head.append(postStart)
    return head
  }

  private func appendTarget(
    of invocation: borrowing PendingInvocation, _ call: StaticString, to head: inout ByteBuffer
  ) {
    head.append("invocation/")
    head.append(invocation.context.requestIDBytes.span)
    head.append(call)
    head.append(commonFields)
    if let id = invocation.invocationID {
      appendField("Lambda-Runtime-Invocation-Id: ", id.span, to: &head)
    }
  }

  private func appendType(_ type: ErrorType, to head: inout ByteBuffer) {
    type.text.withBytes { appendField("Lambda-Runtime-Function-Error-Type: ", $0, to: &head) }
  }

  /// Appends a field line; `name` includes the colon and the space.
  private func appendField(_ name: StaticString, _ value: Span<UInt8>, to head: inout ByteBuffer) {
    head.append(name)
    head.append(value)
    head.append("\r\n")
  }

  private func finish(_ head: inout ByteBuffer, byteCount: Int) -> [UInt8] {
    head.append("Content-Length: ")
    head.append(decimal: Int64(byteCount))
    head.append("\r\n\r\n")
    return head.takeBytes()
  }
}
