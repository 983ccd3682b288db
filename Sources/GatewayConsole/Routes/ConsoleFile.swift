/// A file of the console's page.
package struct ConsoleFile: Sendable {
  /// The value of `Content-Type`.
  package let contentType: String
  /// The value of `Content-Security-Policy`.
  package let securityPolicy: String
  /// The bytes of the body.
  package let bytes: [UInt8]

  /// Creates a file.
  package init(contentType: String, securityPolicy: String, bytes: [UInt8]) {
    self.contentType = contentType
    self.securityPolicy = securityPolicy
    self.bytes = bytes
  }
}
