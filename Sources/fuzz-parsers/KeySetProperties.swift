@testable internal import JOSE
internal import JSON

enum KeySetProperties {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    let set: KeySet
    do throws(KeySetError) {
      set = try KeySet(parsing: bytes)
    } catch {
      return try checkRefusal(error)
    }
    guard let tree = try? JSONTree(parsing: KeySet.text(of: bytes), limits: .keySet),
      case .array(let members)? = tree["keys"]
    else {
      throw Finding(property: "a key set is an object with an array of keys")
    }
    try Finding.unless(
      set.keys.count + set.unusable.count + set.mergedMembers == members.count,
      "each key is usable, a duplicate or unusable")
    try Finding.unless(1...KeySet.maximumKeys ~= members.count, "a set has one to 64 keys")
    for key in set.keys { try check(key, in: set, members) }
  }

  private static func checkRefusal(_ error: KeySetError) throws(Finding) {
    guard case .noUsableKey(let unusable) = error else { return }
    try Finding.unless(unusable.count <= KeySet.maximumKeys, "a set has at most 64 keys")
    try Finding.unless(!error.description.isEmpty, "a refusal has a description")
  }

  private static func check(_ key: VerificationKey, in set: KeySet, _ members: [JSONTree]) throws(Finding) {
    let types = Set(key.algorithms.map { $0.rawValue.prefix(2) == "PS" ? "RS" : $0.rawValue.prefix(2) })
    try Finding.unless(
      !types.isEmpty && (types.count == 1 || types == ["Ed"]), "a key is of one type: \(types)")
    try Finding.unless(!key.algorithms.contains { $0.isSymmetric }, "a public key has no HMAC algorithm")
    switch key.algorithms.first {
    case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512:
      try Finding.unless(2048...8192 ~= key.bits, "an RSA modulus has 2048 to 8192 bits: \(key.bits)")
      try Finding.unless(key.modulusBytes == (key.bits + 7) / 8, "signatures have the length of the modulus")
    case .es256: try Finding.unless(key.bits == 256 && key.algorithms.count == 1, "ES256 uses P-256")
    case .es384: try Finding.unless(key.bits == 384 && key.algorithms.count == 1, "ES384 uses P-384")
    case .es512: try Finding.unless(key.bits == 521 && key.algorithms.count == 1, "ES512 uses P-521")
    case .edDSA, .ed25519: try Finding.unless(key.bits == 256, "Ed25519 has 256 bits")
    default: throw Finding(property: "a usable key has an algorithm")
    }
    try checkSource(key, members)
    guard let keyID = key.keyID else { return }
    try Finding.unless(1...TokenHeader.maximumKeyIDBytes ~= keyID.count, "a kid has 1 to 256 bytes")
    let namesakes = set.keys.filter { $0.keyID == keyID && $0 !== key }
    try Finding.unless(
      !namesakes.contains { $0.algorithms.contains { key.algorithms.contains($0) } },
      "no two keys share a kid and an algorithm")
  }

  /// The members of a usable key conform to RFC 7517, contain no private values, and match its algorithms.
  private static func checkSource(_ key: VerificationKey, _ members: [JSONTree]) throws(Finding) {
    guard let keyID = key.keyID else { return }
    let text = String(decoding: keyID, as: UTF8.self)
    let sources = members.filter { member in
      guard case .string(let name)? = member["kid"], name.utf8.elementsEqual(text.utf8) else { return false }
      let isPublic = !["d", "p", "q", "dp", "dq", "qi", "oth", "k"].contains { member[$0] != nil }
      return isPublic && (member["use"].map { $0 == .string("sig") } ?? true)
    }
    try Finding.unless(!sources.isEmpty, "a usable key is public and for signatures")
    for algorithm in key.algorithms {
      let isNamed = sources.contains { source in
        guard let name = source["alg"] else { return true }
        return Algorithm.allCases.contains {
          $0.isSameSignature(as: algorithm) && name == .string($0.rawValue)
        }
      }
      try Finding.unless(isNamed, "a usable key is bound to its alg")
    }
  }
}
