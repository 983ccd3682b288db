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
  /// When the set was fetched, in Unix seconds: a member `fetchedAt` that seed files carry beside `keys`. Readers ignore
  /// members they do not know (RFC 7517 section 5), so such a file is a key set for everybody else too.
  public let fetchedAt: Int64?

  /// A key of the set that is not used.
  public struct UnusableKey: Equatable, Sendable {
    /// Its identifier, where it has a readable one.
    public let keyID: [UInt8]?
    /// Why it is not used.
    public let flaw: KeyFlaw
  }

  /// No issuer publishes more than a dozen.
  public static let maximumKeys = 64

  /// Reads a key set document.
  ///
  /// - Throws: `KeySetError`; a set without a single usable key is an error, a set with some is not.
  public init(parsing document: [UInt8], policy: KeyPolicy = KeyPolicy()) throws(KeySetError) {
    let root: JSONValue
    do {
      root = try JSONDocument(parsing: document, limits: .keySet).root
    } catch {
      throw .notJSON(error)
    }
    guard let list = root["keys"], list.kind == .array else { throw .notAKeySet }
    let members = Array(list.elements)
    guard members.count <= Self.maximumKeys else {
      throw .tooManyKeys(members.count, limit: Self.maximumKeys)
    }
    // Counted before any key is dropped: a bad key's kid still makes the other one ambiguous.
    let keyIDs = members.map { try? JSONWebKey.keyID($0) }
    var keys: [VerificationKey] = []
    var unusable: [UnusableKey] = []
    for (member, keyID) in zip(members, keyIDs) {
      do throws(KeyFlaw) {
        if let keyID, keyIDs.count(where: { $0 == keyID }) > 1 { throw .duplicateKeyID }
        keys.append(try JSONWebKey.key(member, policy: policy))
      } catch {
        unusable.append(UnusableKey(keyID: keyID, flaw: error))
      }
    }
    guard !keys.isEmpty else { throw .noUsableKey(unusable) }
    let time = root["fetchedAt"]?.number?.integer
    fetchedAt = time.flatMap { 0...ClaimReader.latestDate ~= $0 ? $0 : nil }
    self.keys = keys
    self.unusable = unusable
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
      guard match == nil else { return nil }
      match = key
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
        : "no usable key among \(unusable.count): " + unusable.map { $0.flaw.code }.joined(separator: ", ")
    }
  }
}

extension KeySetError: CustomStringConvertible {}
