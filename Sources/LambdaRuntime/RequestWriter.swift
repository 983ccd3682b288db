/// Writes the heads of requests. What is the same in each of them is put together once.
struct RequestWriter {
  /// The whole of `GET /runtime/invocation/next`.
  let next: [UInt8]

  private let postStart: [UInt8]
  private let commonFields: [UInt8]

  /// The version of the API that this module speaks, as it stands in the path.
  static let version = "/2018-06-01"

  init(endpoint: RuntimeEndpoint, userAgent: StaticString) {
    let base = endpoint.pathPrefix + Self.version + "/runtime/"
    let fields = " HTTP/1.1\r\nHost: \(endpoint.authority)\r\nUser-Agent: \(userAgent)\r\n"
    next = Array("GET \(base)invocation/next\(fields)\r\n".utf8)
    postStart = Array("POST \(base)".utf8)
    commonFields = Array("\(fields)Content-Type: application/json\r\n".utf8)
  }

  /// `POST /runtime/invocation/{id}/response`, with the invocation id where there is one.
  func response(to invocation: borrowing PendingInvocation, byteCount: Int) -> [UInt8] {
    var head = start()
    appendTarget(of: invocation, "/response", to: &head)
    finish(&head, byteCount: byteCount)
    return head
  }

  /// `POST /runtime/invocation/{id}/error`, with the type and, where there is one, the invocation id.
  func failure(of invocation: borrowing PendingInvocation, type: ErrorType, byteCount: Int) -> [UInt8] {
    var head = start()
    appendTarget(of: invocation, "/error", to: &head)
    appendField("Lambda-Runtime-Function-Error-Type: ", type.text, to: &head)
    finish(&head, byteCount: byteCount)
    return head
  }

  /// `POST /runtime/init/error`.
  func initializationFailure(type: ErrorType, byteCount: Int) -> [UInt8] {
    var head = start()
    head += "init/error".utf8
    head += commonFields
    appendField("Lambda-Runtime-Function-Error-Type: ", type.text, to: &head)
    finish(&head, byteCount: byteCount)
    return head
  }
}

extension RequestWriter {
  private func start() -> [UInt8] {
    var head: [UInt8] = []
    // Room for the fields and two ids of the usual length, so that the array grows once.
    head.reserveCapacity(postStart.count + commonFields.count + 320)
    head += postStart
    return head
  }

  private func appendTarget(
    of invocation: borrowing PendingInvocation, _ call: String, to head: inout [UInt8]
  ) {
    head += "invocation/".utf8
    head += invocation.context.requestID.utf8
    head += call.utf8
    head += commonFields
    if let id = invocation.invocationID { appendField("Lambda-Runtime-Invocation-Id: ", id, to: &head) }
  }

  private func appendField(_ name: String, _ value: String, to head: inout [UInt8]) {
    head += name.utf8
    head += value.utf8
    head += "\r\n".utf8
  }

  private func finish(_ head: inout [UInt8], byteCount: Int) {
    appendField("Content-Length: ", String(byteCount), to: &head)
    head += "\r\n".utf8
  }
}
