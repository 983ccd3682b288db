/// A notice about the function itself for the operator.
package struct Notice: Equatable, Sendable {
  /// A stable name.
  package let code: String
  /// The configured name of the issuer; empty if the notice is not about an issuer.
  package let issuerName: String
  /// A code for the details.
  package let detail: String?
  /// The key that the notice is about.
  package let key: Key?
  /// What is wrong or unusual, as a sentence.
  package let reason: String?
  package let level: LogLevel

  /// A key of a key set, which is public.
  package struct Key: Equatable, Sendable {
    /// The first 64 characters of its `kid` in printable ASCII, with `...` if it is longer; `nil` if it has none.
    package let keyID: String?
    /// The member of the key that is wrong or unusual, if it is a single one.
    package let member: String?

    package init(keyID: String?, member: String?) {
      self.keyID = keyID
      self.member = member
    }
  }

  /// - Parameter level: `.warn` for a problem that needs attention although requests still succeed.
  package init(
    code: String, issuerName: String, detail: String?, key: Key? = nil, reason: String? = nil,
    level: LogLevel = .warn
  ) {
    self.code = code
    self.issuerName = issuerName
    self.detail = detail
    self.key = key
    self.reason = reason
    self.level = level
  }
}

extension LogLine {
  /// Writes the line of a notice about an issuer's keys.
  mutating func write(_ notice: Notice, unixMilliseconds: Int64) {
    begin(notice.level, notice.code, requestID: nil, unixMilliseconds: unixMilliseconds)
    if !notice.issuerName.isEmpty { member("issuer", notice.issuerName) }
    if let detail = notice.detail { member("detail", detail) }
    if let key = notice.key {
      if let keyID = key.keyID { member("kid", keyID) }
      if let name = key.member { member("member", name) }
    }
    if let reason = notice.reason { member("because", reason) }
    end()
  }
}
