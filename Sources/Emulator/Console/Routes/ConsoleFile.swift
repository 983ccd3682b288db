/// A file of the console's page.
public struct ConsoleFile: Sendable {
  /// The value of `Content-Type`.
  public let contentType: String
  /// The value of `Content-Security-Policy`.
  public let securityPolicy: String
  /// The bytes of the body.
  public let bytes: [UInt8]

  /// Creates a file.
  public init(contentType: String, securityPolicy: String, bytes: [UInt8]) {
    self.contentType = contentType
    self.securityPolicy = securityPolicy
    self.bytes = bytes
  }
}
