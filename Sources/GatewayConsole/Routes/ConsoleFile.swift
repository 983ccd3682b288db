package struct ConsoleFile: Sendable {
  package let contentType: String
  package let securityPolicy: String
  package let bytes: [UInt8]

  package init(contentType: String, securityPolicy: String, bytes: [UInt8]) {
    self.contentType = contentType
    self.securityPolicy = securityPolicy
    self.bytes = bytes
  }
}
