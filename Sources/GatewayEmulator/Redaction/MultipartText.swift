internal import Text

/// A body of the type `multipart/form-data` (RFC 7578), divided at its delimiters.
struct MultipartText {
  private let delimiter: String
  private let parts: [Part]

  private struct Part {
    let head: String
    let name: String?
    let value: String
  }

  init?(_ text: String) {
    guard text.hasBytePrefix("--"), text.containsBytes(of: "form-data") else { return nil }
    delimiter = String(text.head(before: "\r", "\n"))
    guard delimiter.utf8.count > 2 else { return nil }
    parts = text.splitBytes(atEach: delimiter).map { part in
      let blank = part.firstByteRange(of: "\r\n\r\n") ?? part.firstByteRange(of: "\n\n")
      guard let blank else { return Part(head: String(part), name: nil, value: "") }
      let head = part[..<blank.upperBound]
      let name = head.firstByteRange(of: " name=\"").map { head[$0.upperBound...].head(before: "\"") }
      return Part(head: String(head), name: name.map(String.init), value: String(part[blank.upperBound...]))
    }
  }

  /// The fields with names, without the line breaks at their ends.
  var fields: [(name: String, value: String)] {
    parts.compactMap { part in part.name.map { ($0, Self.withoutEnd(part.value)) } }
  }

  /// Returns the body with the mark in place of the values of some names.
  func replacing(_ mark: String, _ isCredential: (String) -> Bool) -> String {
    parts.map { part in
      guard let name = part.name, isCredential(name) else { return part.head + part.value }
      return part.head + mark + "\r\n"
    }.joined(separator: delimiter)
  }

  private static func withoutEnd(_ value: String) -> String {
    let end = ["\r\n", "\n", "\r"].first { value.hasByteSuffix($0) } ?? ""
    return String(value.dropLast(bytes: end.utf8.count))
  }
}
