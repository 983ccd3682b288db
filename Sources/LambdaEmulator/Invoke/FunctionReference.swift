internal import Text
import Bytes

/// A caller's reference to a function: a name, partial ARN or ARN, each with or without a version or alias.
///
/// The grammar is that of `FunctionName` in the Lambda API reference ("Invoke").
struct FunctionReference: Equatable {
  let name: String
  let qualifier: String?

  enum Fault: Error, Equatable {
    /// The text is neither a name nor an ARN of a function.
    case malformed
    /// The name and the query have different qualifiers.
    case contradiction
  }

  /// - Parameters:
  ///   - text: the path segment, percent-decoded.
  ///   - qualifier: `Qualifier` of the query string.
  init(_ text: String, qualifier: String?) throws(Fault) {
    let parts = text.splitBytes(at: ":", omittingEmptySubsequences: false).map(String.init)
    // A region cannot be mistaken for an account, nor either of them for a name before a qualifier.
    let rest: ArraySlice<String>
    if parts.starts(with: ["arn"]) {
      guard parts.count >= 7, parts[1].hasBytePrefix("aws"), parts[2] == "lambda", parts[5] == "function"
      else {
        throw .malformed
      }
      rest = parts[6...]
    } else if let index = parts.firstIndex(where: { $0.hasSameBytes(as: "function") }), index > 0,
      index < parts.count - 1
    {
      guard index <= 2, Self.isAccount(parts[index - 1]) else { throw .malformed }
      rest = parts[(index + 1)...]
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

  /// The maximum length of a name alone (AWS Lambda API reference: 64 characters, or 140 for a whole ARN).
  private static let nameBytes = 64

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= nameBytes && text.utf8.allSatisfy(isWordByte)
  }

  private static func isQualifier(_ text: String) -> Bool {
    text == "$LATEST" || !text.isEmpty && text.utf8.count <= 128 && text.utf8.allSatisfy(isWordByte)
  }

  private static func isAccount(_ text: String) -> Bool {
    text.utf8.count == 12 && text.utf8.allSatisfy { $0.isDecimalDigit }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || byte == .hyphen || byte == .underscore
  }
}
