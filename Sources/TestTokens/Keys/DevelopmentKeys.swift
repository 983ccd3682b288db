package import JSON

/// One key of every kind, for local tokens only.
///
/// Keys are generated on the first use of a folder and stored in its file. Do not commit them; the folder contains a
/// `.gitignore` that excludes it from git.
package struct DevelopmentKeys: Sendable {
  /// All keys, in the order of `DevelopmentKeyName.allCases`.
  private let keys: [SigningKey]
  /// Where the client's key for DPoP is.
  private let proofPlace: ProofPlace

  private enum ProofPlace: Sendable {
    case folder(String)
    case memory(DevelopmentProofKey)
  }

  /// The folder that tools use by default, relative to the working directory.
  package static let defaultFolder = ".development"
  private static let fileName = "keys.json"
  /// The version of the file format; another number means that another release wrote the file.
  private static let formVersion = "1"

  /// Generates new keys and does not store them.
  ///
  /// - Throws: `notMade`.
  package static func generate() throws(DevelopmentKeysError) -> DevelopmentKeys {
    let place = ProofPlace.memory(try .generate())
    do throws(SigningKeyError) {
      return try DevelopmentKeys(place) { name throws(SigningKeyError) in try makeKey(name) }
    } catch {
      throw .notMade(error)
    }
  }

  /// Reads the keys of a folder (0700, its files 0600), or generates them on the first use. Permissions of other users
  /// are removed. A folder of another user is refused, and so are links in it.
  ///
  /// Safe for concurrent starts of processes and threads: one of them generates the keys, and all get the same keys.
  /// - Parameters:
  ///   - path: the folder; its parent must exist.
  ///   - generate: makes the keys on the first use.
  /// - Throws: `inaccessible`, `untrusted`, `damaged` (the file is not changed), or `notMade`.
  package init(
    in path: String,
    generate: () throws(DevelopmentKeysError) -> DevelopmentKeys = DevelopmentKeys.generate
  ) throws(DevelopmentKeysError) {
    let folder = PrivateFolder(path: path)
    self = try folder.value(of: Self.fileName) { bytes, _ throws(DevelopmentKeysError) in
      try Self.read(bytes, in: folder)
    } make: { () throws(DevelopmentKeysError) in
      let generated = try generate()
      let made = DevelopmentKeys(.folder(path)) { generated[$0] }
      return (made, made.storedForm.bytes(indentedBy: 2) + [0x0A])
    }
  }

  /// Replaces a file of a folder that has keys (0600), unless it has this content already.
  ///
  /// - Throws: `inaccessible` or `untrusted`.
  package static func write(
    _ bytes: [UInt8], to name: String, in path: String
  ) throws(DevelopmentKeysError) {
    let folder = PrivateFolder(path: path)
    if try folder.contents(of: name) != bytes { try folder.replace(name, with: bytes) }
  }

  package subscript(_ name: DevelopmentKeyName) -> SigningKey {
    keys[DevelopmentKeyName.allCases.firstIndex(of: name) ?? 0]
  }

  /// The client's key for DPoP: stored beside these keys on its first use, or a new one for keys that are not stored.
  ///
  /// - Throws: as `init(in:)`.
  package func proofKey() throws(DevelopmentKeysError) -> DevelopmentProofKey {
    switch proofPlace {
    case .folder(let path): try DevelopmentProofKey(in: path)
    case .memory(let key): key
    }
  }

  /// The key set for verifiers: `{"keys":[…]}` with the public half of each published key (RFC 7517 section 5).
  package var publicKeySet: JSONTree {
    let published = DevelopmentKeyName.allCases.filter(\.isPublished)
    return .object([.init(name: "keys", value: .array(published.compactMap { self[$0].publicJWK }))])
  }

  private init<Failure: Error>(
    _ place: ProofPlace, _ key: (DevelopmentKeyName) throws(Failure) -> SigningKey
  ) throws(Failure) {
    proofPlace = place
    keys = try DevelopmentKeyName.allCases.map { name throws(Failure) in try key(name) }
  }

  private static func makeKey(_ name: DevelopmentKeyName) throws(SigningKeyError) -> SigningKey {
    guard name.algorithm.keyKind == .secret, let hash = name.algorithm.hash else {
      return try .generate(name.algorithm, id: name.id)
    }
    // The secret is text, so that it can be set in an environment variable.
    let secret = Base64URL.encode(try Libcrypto.randomBytes(count: hash.byteCount))
    return try SigningKey(secret: secret, algorithm: name.algorithm, id: name.id)
  }

  // MARK: The file

  private var storedForm: JSONTree {
    .members([
      "version": .number(Self.formVersion),
      "note": .string("private keys for development, generated locally: do not commit"),
      "keys": .object(
        DevelopmentKeyName.allCases.map { .init(name: $0.rawValue, value: self[$0].privateJWK) }),
    ])
  }

  private static func read(
    _ bytes: [UInt8], in folder: PrivateFolder
  ) throws(DevelopmentKeysError) -> DevelopmentKeys {
    let path = folder.path(of: fileName)
    let tree: JSONTree
    do throws(JSONError) {
      tree = try JSONTree(parsing: bytes, limits: .configuration)
    } catch {
      throw .damaged(path: path, reason: error.description)
    }
    guard tree["version"] == .number(formVersion) else {
      throw .damaged(path: path, reason: "its version is not \(formVersion)")
    }
    return try DevelopmentKeys(.folder(folder.path)) { name throws(DevelopmentKeysError) in
      try storedKey(name, in: tree, path: path)
    }
  }

  private static func storedKey(
    _ name: DevelopmentKeyName, in tree: JSONTree, path: String
  ) throws(DevelopmentKeysError) -> SigningKey {
    guard let jwk = tree["keys"]?[name.rawValue] else {
      throw .damaged(path: path, reason: "the key \(name.rawValue) is missing")
    }
    do throws(SigningKeyError) {
      let key = try SigningKey(privateJWK: jwk)
      guard key.id == name.id, key.algorithm == name.algorithm else {
        throw .malformedJWK(member: key.id == name.id ? "alg" : "kid")
      }
      return key
    } catch {
      throw .damaged(path: path, reason: "the key \(name.rawValue): \(error.description)")
    }
  }
}
