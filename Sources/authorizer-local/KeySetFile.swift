internal import JOSE
internal import JSON

/// A key set file as people meet it: what can be used, and what cannot and why.
enum KeySetFile {
  /// The keys of a file.
  ///
  /// - Throws: `CommandFailure` with the reason for every key where none can be used.
  static func read(_ path: String) throws(CommandFailure) -> KeySet {
    let bytes = try FileSystem.bytes(at: path)
    do throws(KeySetError) {
      return try KeySet(parsing: bytes)
    } catch {
      note(error)
      let flaw =
        if case .notJSON(let json) = error { "not JSON: " + json.description(in: bytes) } else {
          error.description
        }
      throw CommandFailure(
        .usage, "\(path): \(flaw)",
        hint: #"a key set is {"keys":[…]}, as an issuer publishes it (RFC 7517 section 5)"#)
    }
  }

  /// Says on standard error which keys are not used.
  static func note(_ unusable: [KeySet.UnusableKey], of path: String) {
    for key in unusable {
      Terminal.note(Printable.text("note: \(path): key \(name(key.keyID)) is not used: \(words(key.flaw))"))
    }
  }

  private static func note(_ error: KeySetError) {
    guard case .noUsableKey(let unusable) = error else { return }
    for key in unusable { Terminal.note(Printable.text("key \(name(key.keyID)): \(words(key.flaw))")) }
  }

  static func name(_ keyID: [UInt8]?) -> String {
    keyID.map { String(decoding: $0, as: UTF8.self) } ?? "without kid"
  }

  /// The code of a flaw, and a sentence.
  static func words(_ flaw: KeyFlaw) -> String { flaw.code + ", " + sentence(flaw) }

  private static func sentence(_ flaw: KeyFlaw) -> String {
    switch flaw {
    case .notAnObject: "it is no JSON object"
    case .malformedMember(let member): "\(member) is missing or not what its definition asks for"
    case .notForSignatures: "use or key_ops says that it is for something else"
    case .privateKeyPublished: "its private half stands in the set: whoever has read it can sign"
    case .symmetric: "a secret has no place in a key set"
    case .unsupportedType: "kty must be RSA, EC or OKP"
    case .unsupportedCurve: "crv must be P-256, P-384, P-521 or Ed25519"
    case .algorithmMismatch: "alg does not fit its type and curve"
    case .rsaBits(let bits): "an RSA modulus has 2048 to 8192 bits, this one \(bits)"
    case .rsaExponent: "an RSA exponent is odd and 65537 at least"
    case .roca: "its modulus carries the fingerprint of the ROCA generator, CVE-2017-15361"
    case .notOnCurve: "its point does not lie on the curve"
    case .smallOrder: "a point of small order proves nothing"
    case .duplicateKeyID: "another key of the set has the same kid"
    case .refusedByLibcrypto: "libcrypto refuses it"
    }
  }

  /// One line a key, usable ones first.
  static func table(_ keys: [VerificationKey], _ unusable: [KeySet.UnusableKey]) -> [[String]] {
    keys.map { key in
      [
        name(key.keyID), key.type, String(key.bits),
        key.algorithms.map(\.rawValue).joined(separator: ", "), "usable",
      ]
    } + unusable.map { [name($0.keyID), "-", "-", "-", words($0.flaw)] }
  }

  static func json(_ keys: [VerificationKey], _ unusable: [KeySet.UnusableKey]) -> [UInt8] {
    func keyID(_ bytes: [UInt8]?) -> JSONTree.Member {
      .init(name: "kid", value: bytes.map { .string(String(decoding: $0, as: UTF8.self)) } ?? .null)
    }
    let usable = keys.map { key in
      JSONTree.object([
        keyID(key.keyID), .init(name: "usable", value: .boolean(true)),
        .init(name: "type", value: .string(key.type)), .init(name: "bits", value: .number(String(key.bits))),
        .init(name: "algorithms", value: .array(key.algorithms.map { .string($0.rawValue) })),
      ])
    }
    let others = unusable.map { key in
      JSONTree.object([
        keyID(key.keyID), .init(name: "usable", value: .boolean(false)),
        .init(name: "flaw", value: .string(key.flaw.code)),
        .init(name: "because", value: .string(sentence(key.flaw))),
      ])
    }
    return JSONTree.object([.init(name: "keys", value: .array(usable + others))]).bytes(indentedBy: 2)
  }
}
