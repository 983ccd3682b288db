import Bytes
package import JSON

/// The ID of a request in API Gateway: `requestContext.requestId` of the event, `$context.requestId` of its access log.
///
/// A caller of a REST API can choose it (API Gateway, "Variables for access logging"). Text of another form is not an ID,
/// so no log line contains it.
package struct APIRequestID: Sendable {
  package let utf8: [UInt8]

  /// The maximum length in bytes: that of a UUID, which REST APIs use. HTTP and WebSocket APIs use 16 characters.
  package static let byteLimit = 36

  /// Reads the ID of an authorizer's or a backend's event. Events of TOKEN authorizers have none.
  ///
  /// Returns `nil` for anything but 1 to 36 letters, digits, `-`, `_` and `=`.
  package init?(in event: JSONValue) {
    self.init(inContext: event["requestContext"])
  }

  /// Reads the ID of a `requestContext`.
  package init?(inContext context: JSONValue?) {
    guard let text = context?["requestId"]?.unescapedUTF8, 1...Self.byteLimit ~= text.count,
      text.allSatisfy(Self.isAllowed)
    else { return nil }
    utf8 = Array(copying: text.span)
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x3D, 0x5F: true
    default: false
    }
  }
}
