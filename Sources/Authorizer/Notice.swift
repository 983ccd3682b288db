import JOSE

/// Something about the function itself that an operator should see.
public struct Notice: Equatable, Sendable {
  /// A stable name.
  public let code: String
  /// The configured name of the issuer; empty where it is about none.
  public let issuerName: String
  /// A code for what exactly happened.
  public let detail: String?
  /// The key that it is about.
  public let key: Key?
  /// How much its line matters.
  let level: LogLevel

  /// A key of a key set, which is public.
  public struct Key: Equatable, Sendable {
    /// Its `kid` in printable ASCII, at most 64 characters of it; `nil` where it has none.
    public let keyID: String?
    /// The member of the key that is wrong or unusual, where it is one.
    public let member: String?
    /// What is wrong or unusual, in words.
    public let reason: String
  }

  /// - Parameter level: of something to look into, although callers are still served.
  init(code: String, issuerName: String, detail: String?, key: Key? = nil, level: LogLevel = .warn) {
    self.code = code
    self.issuerName = issuerName
    self.detail = detail
    self.key = key
    self.level = level
  }
}

extension Notice {
  /// What is said of something that happened to this issuer's keys.
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
      // The key is used: nobody needs to do anything.
      self.init(
        code: "keySpelling", issuerName: issuerName, detail: spelling.deviation.rawValue,
        key: Key(
          keyID: keyID.map { KeySet.printable($0) }, member: spelling.member, reason: spelling.description),
        level: .info)
    case .servedStale: self.init(code: "keysServedPastTheirLife", issuerName: issuerName, detail: nil)
    }
  }
}
