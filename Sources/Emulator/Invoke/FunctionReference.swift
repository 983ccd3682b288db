/// How a caller names a function: by name, partial ARN or ARN, each with or without a version or alias.
///
/// The grammar is that of `FunctionName` in the Lambda API reference ("Invoke").
struct FunctionReference: Equatable {
  let name: String
  let qualifier: String?

  /// Why a reference is none.
  enum Fault: Error, Equatable {
    /// The text is no name and no ARN of a function.
    case malformed
    /// The name says one qualifier and the query another.
    case contradiction
  }

  /// - Parameters:
  ///   - text: the path segment, percent-decoded.
  ///   - qualifier: `Qualifier` of the query.
  init(_ text: String, qualifier: String?) throws(Fault) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    // A region never looks like an account, nor either like a name that stands before a qualifier.
    let rest: ArraySlice<String>
    if parts.starts(with: ["arn"]) {
      guard parts.count >= 7, parts[1].hasPrefix("aws"), parts[2] == "lambda", parts[5] == "function" else {
        throw .malformed
      }
      rest = parts[6...]
    } else if let place = parts.firstIndex(of: "function"), place > 0, place < parts.count - 1 {
      guard place <= 2, Self.isAccount(parts[place - 1]) else { throw .malformed }
      rest = parts[(place + 1)...]
    } else {
      rest = parts[...]
    }
    guard let name = rest.first, rest.count <= 2, Self.isName(name) else { throw .malformed }
    let own = rest.count == 2 ? rest.last : nil
    guard own.map(Self.isQualifier) != false, qualifier.map(Self.isQualifier) != false else {
      throw .malformed
    }
    guard own == nil || qualifier == nil || own == qualifier else { throw .contradiction }
    self.name = name
    self.qualifier = own ?? qualifier
  }

  /// AWS Lambda API reference: 64 characters where it stands alone, 140 with an ARN around it.
  private static let nameBytes = 64

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= nameBytes && text.utf8.allSatisfy(isWordByte)
  }

  private static func isQualifier(_ text: String) -> Bool {
    text == "$LATEST" || !text.isEmpty && text.utf8.count <= 128 && text.utf8.allSatisfy(isWordByte)
  }

  private static func isAccount(_ text: String) -> Bool {
    text.utf8.count == 12 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }
}
