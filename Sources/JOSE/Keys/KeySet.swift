import Bytes
package import JSON

/// Configurable requirements for the keys of a key set.
package struct KeyPolicy: Equatable, Sendable {
  /// The smallest accepted public exponent of an RSA key.
  package let minimumRSAExponent: UInt64

  /// Creates a policy: 65537, or 3 for issuers with old keys (configuration `minimumRSAExponent`).
  ///
  /// A smaller value becomes 3: with e = 1 every text is its own signature (RFC 8017 section 3.1 requires at least 3).
  package init(minimumRSAExponent: UInt64 = 65537) { self.minimumRSAExponent = max(minimumRSAExponent, 3) }
}

/// The public keys of one issuer (RFC 7517 section 5).
///
/// A new key set replaces the old one completely, so a withdrawn key is removed immediately.
package struct KeySet: Sendable {
  /// The usable keys.
  package let keys: [VerificationKey]
  /// The unusable keys, each with the reason.
  package let unusable: [UnusableKey]
  /// The number of members that repeat a key of the set.
  package let mergedMembers: Int
  /// The time of the fetch in Unix seconds, from the member `fetchedAt` of seed files. Other readers ignore this member
  /// (RFC 7517 section 5), so a seed file is a regular key set.
  package let fetchedAt: Int64?

  /// An unusable key of the set.
  package struct UnusableKey: Equatable, Sendable {
    /// The key's identifier, if it has a readable one.
    package let keyID: [UInt8]?
    /// The reason.
    package let flaw: KeyFlaw

    /// The name of the key and the reason.
    package var description: String { "\(KeySet.name(keyID)): \(flaw.description)" }
  }

  /// The name of a key in messages: at most 64 characters of its identifier in printable ASCII.
  package static func name(_ keyID: [UInt8]?) -> String {
    keyID.map { "key \"\(printable($0))\"" } ?? "the key without kid"
  }

  /// Returns an identifier in a form that is safe for logs and terminals: its first 64 characters in printable ASCII,
  /// with `...` if it is longer.
  package static func printable(_ keyID: [UInt8]) -> String {
    let characters = keyID.prefix(longestName).map { $0.isPrintable ? $0 : UInt8(ascii: "?") }
    return String(decoding: characters, as: UTF8.self) + (keyID.count > longestName ? "..." : "")
  }

  /// Longer than the identifier of any known issuer, including digests.
  private static let longestName = 64

  /// 64. No known issuer publishes more than twelve keys.
  package static let maximumKeys = 64

  /// Reads a key set document.
  ///
  /// - Throws: `KeySetError`. A set without any usable key is an error.
  package init(parsing document: [UInt8], policy: KeyPolicy = KeyPolicy()) throws(KeySetError) {
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

  /// The members of a document in the issuer's order, each with its verdict.
  ///
  /// - Throws: `KeySetError` if the document has no list of keys.
  package static func members(
    of document: [UInt8], policy: KeyPolicy = KeyPolicy()
  ) throws(KeySetError) -> [KeySetMember] {
    try members(of: try root(of: document), policy)
  }

  /// The text of a document without a byte order mark, which some servers send. RFC 8259 section 8.1 allows readers to
  /// ignore it.
  package static func text(of document: [UInt8]) -> [UInt8] {
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

  /// Whether the set contains a key of the development issuer, usable or not. Its identifiers begin with
  /// `development-`.
  package var holdsDevelopmentKeys: Bool {
    (keys.map { $0.keyID } + unusable.map { $0.keyID }).contains {
      $0?.starts(with: "development-".utf8) == true
    }
  }

  /// Whether the set has a key for one of these algorithms.
  package func hasKey(for algorithms: [Algorithm]) -> Bool {
    keys.contains { key in algorithms.contains { key.algorithms.contains($0) } }
  }

  /// The key for a token: the key with the token's `kid`, or the only fitting key if the token has no `kid`.
  ///
  /// - Returns: `nil` if no key or more than one key fits. There is no default key.
  package func key(for header: TokenHeader) -> VerificationKey? {
    var match: VerificationKey?
    for key in keys where key.algorithms.contains(header.algorithm) {
      if let keyID = header.keyID, key.keyID != keyID { continue }
      if let match, match.material != key.material { return nil }
      match = match ?? key
    }
    return match
  }
}

/// The reason why a key set is refused.
package enum KeySetError: Error, Equatable, Sendable {
  /// Not strict JSON, or over its limits.
  case notJSON(JSONError)
  /// Not an object with an array `keys`.
  case notAKeySet
  /// More keys than the limit.
  case tooManyKeys(Int, limit: Int)
  /// The set has no usable key. Each unusable key has its reason.
  case noUsableKey([KeySet.UnusableKey])
  /// The set contains keys of the development issuer, which are not accepted here.
  case developmentKeys
  /// No key fits an algorithm of the issuer, so every token would be refused.
  case noFittingKey

  /// A stable name for logs and tests.
  package var code: String {
    switch self {
    case .notJSON: "notJSON"
    case .notAKeySet: "notAKeySet"
    case .tooManyKeys: "tooManyKeys"
    case .noUsableKey: "noUsableKey"
    case .developmentKeys: "developmentKeys"
    case .noFittingKey: "noFittingKey"
    }
  }

  /// A description of the error in one sentence.
  package var description: String {
    switch self {
    case .developmentKeys: "contains development keys, which only AUTHORIZER_DEVELOPMENT=1 accepts"
    case .noFittingKey: "no key fits an algorithm of the issuer"
    case .notJSON(let error): "not JSON: \(error.description)"
    case .notAKeySet: "not a key set: an object with an array \"keys\" is expected"
    case .tooManyKeys(let count, let limit): "\(count) keys are more than the \(limit) allowed"
    case .noUsableKey(let unusable):
      unusable.isEmpty
        ? "the key set contains no keys"
        : "no usable key among \(unusable.count): "
          + unusable.prefix(Self.listedKeys).map { $0.description }.joined(separator: "; ")
          + (unusable.count > Self.listedKeys ? "; …" : "")
    }
  }

  /// Enough for most key sets, and still one line.
  private static let listedKeys = 8
}

extension KeySetError: CustomStringConvertible {}
