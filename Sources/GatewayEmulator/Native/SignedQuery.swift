internal import Bytes
internal import Text

/// The query of a signed request: names and values in the canonical encoding, in which each byte has one form.
struct SignedQuery: Equatable, Sendable {
  struct Item: Equatable, Sendable {
    let name: String
    let value: String
  }

  /// The decoded parameters, as far as they are UTF-8, in the order of the query.
  let items: [Item]
  private let encoded: [Item]

  /// The parameter that is not part of the text it signs.
  static let signatureName = "X-Amz-Signature"

  /// - Throws: `incomplete` for percent signs that begin no escape: two different queries would have one canonical
  ///   form.
  init(_ query: String) throws(SignatureRefusal) {
    var items: [Item] = []
    var encoded: [Item] = []
    for item in query.utf8.split(separator: UInt8(ascii: "&")) {
      let parts = item.split(separator: .equalsSign, maxSplits: 1, omittingEmptySubsequences: false)
      let name = try Self.decoded(parts[0])
      let value = try parts.count == 2 ? Self.decoded(parts[1]) : []
      items.append(
        Item(name: String(decoding: name, as: UTF8.self), value: String(decoding: value, as: UTF8.self)))
      encoded.append(Item(name: PercentText.encoded(name), value: PercentText.encoded(value)))
    }
    (self.items, self.encoded) = (items, encoded)
  }

  /// The value of the first parameter with this name.
  subscript(_ name: String) -> String? { items.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }

  /// The canonical query string: sorted by name and value, without the signature itself.
  func canonical(isSignedHere: Bool) -> String {
    encoded.filter { !isSignedHere || $0.name != Self.signatureName }
      .sorted { left, right in
        left.name == right.name
          ? left.value.utf8.lexicographicallyPrecedes(right.value.utf8)
          : left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
      }
      .map { "\($0.name)=\($0.value)" }.joined(separator: "&")
  }

  /// Decodes a name or value. A plus sign means a space, as for the rest of the gateway.
  private static func decoded(_ text: some Collection<UInt8>) throws(SignatureRefusal) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(text)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case .percent:
        guard let high = rest.popFirst()?.hexadecimalValue, let low = rest.popFirst()?.hexadecimalValue else {
          throw .incomplete("Illegal hex character in escape % pattern.")
        }
        bytes.append(high << 4 | low)
      case .plus: bytes.append(.space)
      default: bytes.append(byte)
      }
    }
    return bytes
  }
}
