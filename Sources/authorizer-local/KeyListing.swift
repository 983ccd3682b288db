internal import Emulator
internal import JOSE
internal import JSON

/// Every key of a key set in the issuer's order: what it is, and why it is not used where it is not.
struct KeyListing {
  /// Of a table with headings; none where the document is no key set.
  let lines: [String]

  /// Lists what a document holds, whether or not it is usable as a whole.
  init(of document: [UInt8], policy: KeyPolicy) {
    guard let root = try? JSONDocument(parsing: document, limits: .keySet).root, let list = root["keys"],
      list.kind == .array
    else {
      lines = []
      return
    }
    let keyIDs = list.elements.map { $0["kid"]?.utf8 }
    var table = TextTable(columns: ["kid", "type", "bits", "algorithms", "verdict"], rightAligned: [2])
    for element in list.elements {
      let keyID = element["kid"]?.utf8
      let isDuplicate = keyID != nil && keyIDs.count { $0 == keyID } > 1
      table.add(Self.row(element, isDuplicate: isDuplicate, policy))
    }
    lines = table.lines
  }

  /// Text from outside as a terminal may show it: printable ASCII, at most 64 characters.
  static func printable(_ text: String) -> String {
    let characters = text.utf8.prefix(longestText).map { 0x20...0x7E ~= $0 ? $0 : UInt8(ascii: "?") }
    return String(decoding: characters, as: UTF8.self) + (text.utf8.count > longestText ? "..." : "")
  }

  private static let longestText = 64

  private static func row(_ element: JSONValue, isDuplicate: Bool, _ policy: KeyPolicy) -> [String] {
    let keyID = element["kid"]?.text.map(printable) ?? "-"
    let type = [element["kty"]?.text, element["crv"]?.text].compactMap { $0.map(printable) }
    let beginning = [keyID, type.isEmpty ? "-" : type.joined(separator: " ")]
    // A set of this key alone is read by the rules for all of them.
    let alone = JSONTree.object([.init(name: "keys", value: .array([JSONTree(element)]))]).bytes()
    do throws(KeySetError) {
      let keys = try KeySet(parsing: alone, policy: policy).keys
      let algorithms = keys.flatMap { $0.algorithms.map(\.rawValue) }.joined(separator: ",")
      return beginning + [
        keys.first.map { String($0.bits) } ?? "-", algorithms,
        isDuplicate ? "not used: \(KeyFlaw.duplicateKeyID.sentence)" : "usable",
      ]
    } catch {
      var flaw = error.description
      if case .noUsableKey(let unusable) = error, let first = unusable.first { flaw = first.flaw.sentence }
      return beginning + ["-", "-", "not used: \(flaw)"]
    }
  }
}

extension KeyFlaw {
  /// The code, and what it means.
  fileprivate var sentence: String {
    let meaning =
      switch self {
      case .notAnObject: "it is no object"
      case .malformedMember(let name): "\"\(name)\" is absent or malformed"
      case .notForSignatures: "\"use\" or \"key_ops\" says that it is for something else"
      case .privateKeyPublished: "its private half is published too"
      case .symmetric: "a secret has no place in a public document"
      case .unsupportedType: "its type is not RSA, EC or OKP"
      case .unsupportedCurve: "its curve is not P-256, P-384, P-521 or Ed25519"
      case .algorithmMismatch: "\"alg\" is unknown or fits another type"
      case .rsaBits(let bits): "\(bits) bits, where 2048 to 8192 are accepted"
      case .rsaExponent: "its public exponent is even, too small or too large"
      case .roca: "it was made by a broken generator (CVE-2017-15361)"
      case .notOnCurve: "its point is not on the curve"
      case .smallOrder: "its point is of small order"
      case .duplicateKeyID: "another key has the same kid"
      case .refusedByLibcrypto: "libcrypto refuses it"
      }
    return "\(code): \(meaning)"
  }
}
