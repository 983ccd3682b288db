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
  static let version = "/2018-06-01"

  init(endpoint: RuntimeEndpoint, userAgent: StaticString) {
    let base = endpoint.pathPrefix + Self.version + "/runtime/"
    let fields = " HTTP/1.1\r\nHost: \(endpoint.authority)\r\nUser-Agent: \(userAgent)\r\n"
    next = Array("GET \(base)invocation/next\(fields)\r\n".utf8)
    postStart = Array("POST \(base)".utf8)
    commonFields = Array("\(fields)Content-Type: application/json\r\n".utf8)
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
    head += "init/error".utf8
    head += commonFields
    appendField("Lambda-Runtime-Function-Error-Type: ", type.text)
    return finished(byteCount: byteCount)
  }
}

extension RequestWriter {
  private mutating func start() {
    head.removeAll(keepingCapacity: true)
    // Reserves room for the fields and two IDs of the usual length, so that the array grows only once.
    head.reserveCapacity(postStart.count + commonFields.count + 320)
    head += postStart
  }

  private mutating func appendTarget(of invocation: borrowing PendingInvocation, _ call: String) {
    head += "invocation/".utf8
    head += invocation.context.requestID.utf8
    head += call.utf8
    head += commonFields
    if let id = invocation.invocationID { appendField("Lambda-Runtime-Invocation-Id: ", id) }
  }

  private mutating func appendField(_ name: String, _ value: String) {
    head += name.utf8
    head += value.utf8
    head += "\r\n".utf8
  }

  /// Returns the complete head. The next head reuses its memory when the caller has released it.
  private mutating func finished(byteCount: Int) -> [UInt8] {
    appendField("Content-Length: ", String(byteCount))
    head += "\r\n".utf8
    return head
  }
}
