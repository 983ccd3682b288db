internal import Bytes
internal import JSON

/// The status in the output of a mock's request template.
enum MockStatus {
  /// Returns `statusCode`, a whole number. API Gateway also accepts what JSON does not: names without quotation marks,
  /// and a comma after the last member (localstack's recordings end with one).
  static func status(in body: [UInt8]) -> Int? {
    guard let tree = (try? JSONTree(parsing: body)) ?? (try? JSONTree(parsing: strict(body))),
      case .number(let number)? = tree["statusCode"]
    else { return nil }
    return Int(number)
  }

  /// Returns the text with quotation marks around names, and without commas before a closing bracket.
  private static func strict(_ body: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var index = 0
    while index < body.count {
      let byte = body[index]
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        var end = index + 1
        while end < body.count, body[end] != byte { end += body[end] == UInt8(ascii: "\\") ? 2 : 1 }
        result.append(UInt8(ascii: "\""))
        result += body[min(index + 1, body.count)..<min(end, body.count)]
        result.append(UInt8(ascii: "\""))
        index = end + 1
      case UInt8(ascii: ","):
        let next = body[(index + 1)...].first { !isSpace($0) }
        if next != UInt8(ascii: "}"), next != UInt8(ascii: "]") { result.append(byte) }
        index += 1
      case _ where byte.isLetter || byte == .underscore:
        let name = body[index...].prefix { $0.isLetterOrDigit || $0 == .underscore }
        let isName = body[name.endIndex...].first { !isSpace($0) } == UInt8(ascii: ":")
        result += isName ? [UInt8(ascii: "\"")] + name + [UInt8(ascii: "\"")] : Array(name)
        index = name.endIndex
      default:
        result.append(byte)
        index += 1
      }
    }
    return result
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
