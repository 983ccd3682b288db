import JOSE

/// A notice about the function itself for the operator.
public struct Notice: Equatable, Sendable {
  /// A stable name.
  public let code: String
  /// The configured name of the issuer; empty if the notice is not about an issuer.
  public let issuerName: String
  /// A code for the details.
  public let detail: String?
  /// The key that the notice is about.
  public let key: Key?
  /// The level of the log line.
  let level: LogLevel

  /// A key of a key set, which is public.
  public struct Key: Equatable, Sendable {
    /// The first 64 characters of its `kid` in printable ASCII, with `...` if it is longer; `nil` if it has none.
    public let keyID: String?
    /// The member of the key that is wrong or unusual, if it is a single one.
    public let member: String?
    /// What is wrong or unusual, as a sentence.
    public let reason: String
  }

  /// - Parameter level: `.warn` for a problem that needs attention although requests still succeed.
  init(code: String, issuerName: String, detail: String?, key: Key? = nil, level: LogLevel = .warn) {
    self.code = code
    self.issuerName = issuerName
    self.detail = detail
    self.key = key
    self.level = level
  }
}

extension Notice {
  /// Creates the notice for an event of this issuer's keys.
  package init(_ notice: KeyNotice, issuerName: String) {
    switch notice.event {
    case .fetchFailed(let code): self.init(code: "keyFetchFailed", issuerName: issuerName, detail: code)
    case .keyUnusable(let key):
      self.init(
        code: "keyUnusable", issuerName: issuerName, detail: key.flaw.code,
        key: Key(
          keyID: key.keyID.map { KeySet.printable($0) }, member: key.flaw.member, reason: key.flaw.description
        ))
    case .keySpelling(let keyID, let spelling):
      // The key is used, so no action is needed.
      self.init(
        code: "keySpelling", issuerName: issuerName, detail: spelling.deviation.rawValue,
        key: Key(
          keyID: keyID.map { KeySet.printable($0) }, member: spelling.member, reason: spelling.description),
        level: .info)
    case .servedStale: self.init(code: "keysServedPastTheirLife", issuerName: issuerName, detail: nil)
    }
  }
}
