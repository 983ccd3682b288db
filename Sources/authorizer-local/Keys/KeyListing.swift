internal import AuthorizerContract
internal import JOSE
internal import JSON

/// The keys of a key set in the issuer's order, with the reason for each key that is not used.
struct KeyListing {
  /// The lines of a table with a heading; empty if the document is not a key set.
  let lines: [String]

  /// Lists the keys of a document, even if the document as a whole is not usable.
  init(of document: [UInt8], policy: KeyPolicy) {
    guard let root = try? JSONDocument(parsing: KeySet.text(of: document), limits: .keySet).root,
      let list = root["keys"], list.kind == .array,
      let members = try? KeySet.members(of: document, policy: policy)
    else {
      lines = []
      return
    }
    var table = TextTable(columns: ["kid", "type", "bits", "algorithms", "verdict"], rightAligned: [2])
    for (element, member) in zip(list.elements, members) { table.add(Self.row(element, member)) }
    lines = table.lines
  }

  private static func row(_ element: JSONValue, _ member: KeySetMember) -> [String] {
    let keyID = element["kid"]?.utf8.map { KeySet.printable($0) } ?? "-"
    let type = [element["kty"]?.utf8, element["crv"]?.utf8].compactMap { $0.map { KeySet.printable($0) } }
    let beginning = [keyID, type.isEmpty ? "-" : type.joined(separator: " ")]
    switch member.verdict {
    case .usable(let key):
      return beginning + [
        String(key.bits), key.algorithms.map(\.rawValue).joined(separator: ","),
        (["usable"] + key.deviations.map(\.description)).joined(separator: ", "),
      ]
    case .merged: return beginning + ["-", "-", "merged with the same key above"]
    case .unusable(let flaw):
      return beginning + ["-", "-", "not used: \(flaw.code): \(flaw.description)"]
    }
  }
}
