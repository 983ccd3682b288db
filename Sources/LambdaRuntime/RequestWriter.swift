import Bytes

/// Writes the heads of requests. Constant parts are prepared once, and the heads of POST requests share one buffer.
struct RequestWriter {
  /// The complete request `GET /runtime/invocation/next`.
  let next: [UInt8]
  /// The beginning of a POST request, up to `init/error` or `invocation/`.
  let postStart: [UInt8]
  /// The part of a POST request between its target and its own fields.
  let commonFields: [UInt8]

  private var head: [UInt8] = []

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
  mutating func response(to invocation: borrowing PendingInvocation, byteCount: Int) -> [UInt8] {
    start()
    appendTarget(of: invocation, "/response")
    return finished(byteCount: byteCount)
  }

  /// `POST /runtime/invocation/{id}/error`, with the type and, if there is one, the invocation ID.
  mutating func failure(of invocation: borrowing PendingInvocation, type: ErrorType, byteCount: Int)
    -> [UInt8]
  {
    start()
    appendTarget(of: invocation, "/error")
    appendField("Lambda-Runtime-Function-Error-Type: ", type.text)
    return finished(byteCount: byteCount)
  }

  /// `POST /runtime/init/error`.
  mutating func initializationFailure(type: ErrorType, byteCount: Int) -> [UInt8] {
    start()
    head.append("init/error")
    head.append(copying: commonFields)
    appendField("Lambda-Runtime-Function-Error-Type: ", type.text)
    return finished(byteCount: byteCount)
  }
}

extension RequestWriter {
  private mutating func start() {
    head.removeAll(keepingCapacity: true)
    // Reserves room for the fields and two IDs of the usual length, so that the array grows only once.
    head.reserveCapacity(postStart.count + commonFields.count + 320)
    head.append(copying: postStart)
  }

  private mutating func appendTarget(of invocation: borrowing PendingInvocation, _ call: StaticString) {
    head.append("invocation/")
    head += invocation.context.requestID.utf8
    head.append(call)
    head.append(copying: commonFields)
    if let id = invocation.invocationID { appendField("Lambda-Runtime-Invocation-Id: ", id) }
  }

  private mutating func appendField(_ name: StaticString, _ value: String) {
    head.append(name)
    head += value.utf8
    head.append("\r\n")
  }

  /// Returns the complete head. The next head reuses its memory when the caller has released it.
  private mutating func finished(byteCount: Int) -> [UInt8] {
    appendField("Content-Length: ", String(byteCount))
    head.append("\r\n")
    return head
  }
}
