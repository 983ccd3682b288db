public import JSON

/// What a key set's keys are held to beyond the fixed rules.
public struct KeyPolicy: Equatable, Sendable {
  /// The smallest public exponent of an RSA key.
  public let minimumRSAExponent: UInt64

  /// 65537, or 3 for issuers with old keys (configuration `minimumRSAExponent`).
  ///
  /// Less than 3 becomes 3: with e = 1 every text is its own signature (RFC 8017 section 3.1 asks for 3 at least).
  public init(minimumRSAExponent: UInt64 = 65537) { self.minimumRSAExponent = max(minimumRSAExponent, 3) }
}

/// The public keys of one issuer (RFC 7517 section 5).
///
/// Replaced as a whole when the issuer publishes new ones, so that a withdrawn key is gone at once.
public struct KeySet: Sendable {
  /// The keys that passed the gate.
  public let keys: [VerificationKey]
  /// The others, each with its reason.
  public let unusable: [UnusableKey]
  /// How many members repeat a key of the set.
  public let mergedMembers: Int
  /// When the set was fetched, in Unix seconds: a member `fetchedAt` that seed files carry beside `keys`. Readers ignore
  /// members they do not know (RFC 7517 section 5), so such a file is a key set for everybody else too.
  public let fetchedAt: Int64?

  /// A key of the set that is not used.
  public struct UnusableKey: Equatable, Sendable {
    /// Its identifier, where it has a readable one.
    public let keyID: [UInt8]?
    /// Why it is not used.
    public let flaw: KeyFlaw

    /// Which key it is, and why it is not used.
    public var description: String { "\(KeySet.name(keyID)): \(flaw.description)" }
  }

  /// How messages call a key: its identifier in printable ASCII, at most 64 characters of it.
  public static func name(_ keyID: [UInt8]?) -> String {
    keyID.map { "key \"\(printable($0))\"" } ?? "the key without kid"
  }

  /// An identifier as logs and terminals may show it: printable ASCII, at most 64 characters.
  public static func printable(_ keyID: [UInt8]) -> String {
    let characters = keyID.prefix(longestName).map { 0x20...0x7E ~= $0 ? $0 : UInt8(ascii: "?") }
    return String(decoding: characters, as: UTF8.self) + (keyID.count > longestName ? "..." : "")
  }

  /// Longer than any issuer's identifier, the digests among them.
  private static let longestName = 64

  /// No issuer publishes more than a dozen.
  public static let maximumKeys = 64

  /// Reads a key set document.
  ///
  /// - Throws: `KeySetError`; a set without a single usable key is an error, a set with some is not.
  public init(parsing document: [UInt8], policy: KeyPolicy = KeyPolicy()) throws(KeySetError) {
    let root = try Self.root(of: document)
    let members = try Self.members(of: root, policy)
    keys = members.compactMap { if case .usable(let key) = $0.verdict { key } else { nil } }
    unusable = members.compactMap {
      if case .unusable(let flaw) = $0.verdict { UnusableKey(keyID: $0.keyID, flaw: flaw) } else { nil }
    }
    mergedMembers = members.count - keys.count - unusable.count
    guard !keys.isEmpty else { throw .noUsableKey(unusable) }
    let time = root["fetchedAt"]?.number?.integer
    fetchedAt = time.flatMap { 0...ClaimReader.latestDate ~= $0 ? $0 : nil }
  }

  /// The members of a document in the issuer's order, and what becomes of each.
  ///
  /// - Throws: `KeySetError`, where there is no list of them.
  public static func members(
    of document: [UInt8], policy: KeyPolicy = KeyPolicy()
  ) throws(KeySetError) -> [KeySetMember] {
    try members(of: try root(of: document), policy)
  }

  /// The text of a document without the byte order mark that some servers put before it. RFC 8259 section 8.1 lets a
  /// reader ignore one.
  public static func text(of document: [UInt8]) -> [UInt8] {
    document.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(document.dropFirst(3)) : document
  }

  private static func root(of document: [UInt8]) throws(KeySetError) -> JSONValue {
    do throws(JSONError) {
      return try JSONDocument(parsing: text(of: document), limits: .keySet).root
    } catch {
      throw .notJSON(error)
    }
  }

  private static func members(
    of root: JSONValue, _ policy: KeyPolicy
  ) throws(KeySetError) -> [KeySetMember] {
    guard let list = root["keys"], list.kind == .array else { throw .notAKeySet }
    let members = Array(list.elements)
    guard members.count <= maximumKeys else { throw .tooManyKeys(members.count, limit: maximumKeys) }
    return KeySetMember.judging(members, policy: policy)
  }

  /// Whether a key of the development issuer, usable or not, is among them: their identifiers begin with `development-`.
  public var holdsDevelopmentKeys: Bool {
    (keys.map { $0.keyID } + unusable.map { $0.keyID }).contains {
      $0?.starts(with: "development-".utf8) == true
    }
  }

  /// Whether there is a key for one of these algorithms.
  public func fit(_ algorithms: [Algorithm]) -> Bool {
    keys.contains { key in algorithms.contains { key.algorithms.contains($0) } }
  }

  /// The one key for a token: by `kid`, or, where the token names none, the only key that fits.
  ///
  /// - Returns: `nil` where no key or more than one fits; there is no default key.
  public func key(for header: TokenHeader) -> VerificationKey? {
    var match: VerificationKey?
    for key in keys where key.algorithms.contains(header.algorithm) {
      if let keyID = header.keyID, key.keyID != keyID { continue }
      if let match, match.material != key.material { return nil }
      match = match ?? key
    }
    return match
  }
}

/// Why a document is no key set.
public enum KeySetError: Error, Equatable, Sendable {
  /// Not strict JSON, or over its limits.
  case notJSON(JSONError)
  /// No object with an array `keys`.
  case notAKeySet
  /// More keys than anybody publishes.
  case tooManyKeys(Int, limit: Int)
  /// Not one key that can be used; the reasons stand beside the keys.
  case noUsableKey([KeySet.UnusableKey])
  /// Keys of the development issuer where they are not accepted.
  case developmentKeys
  /// Keys, but none for an algorithm of the issuer: every token would be refused.
  case noFittingKey

  /// A stable name for logs and tests.
  public var code: String {
    switch self {
    case .notJSON: "notJSON"
    case .notAKeySet: "notAKeySet"
    case .tooManyKeys: "tooManyKeys"
    case .noUsableKey: "noUsableKey"
    case .developmentKeys: "developmentKeys"
    case .noFittingKey: "noFittingKey"
    }
  }

  /// One sentence for a person.
  public var description: String {
    switch self {
    case .developmentKeys: "holds development keys, which only AUTHORIZER_DEVELOPMENT=1 accepts"
    case .noFittingKey: "no key is for an algorithm of the issuer"
    case .notJSON(let error): "not JSON: \(error.description)"
    case .notAKeySet: "not a key set: an object with an array \"keys\" is expected"
    case .tooManyKeys(let count, let limit): "\(count) keys are more than the \(limit) allowed"
    case .noUsableKey(let unusable):
      unusable.isEmpty
        ? "the set holds no key"
        : "no usable key among \(unusable.count): "
          + unusable.prefix(Self.listedKeys).map { $0.description }.joined(separator: "; ")
          + (unusable.count > Self.listedKeys ? "; …" : "")
    }
  }

  /// Enough for every issuer's set, and one line all the same.
  private static let listedKeys = 8
}

extension KeySetError: CustomStringConvertible {}
