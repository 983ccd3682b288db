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
    var place = 0
    while place < body.count {
      let byte = body[place]
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        var end = place + 1
        while end < body.count, body[end] != byte { end += body[end] == UInt8(ascii: "\\") ? 2 : 1 }
        result.append(UInt8(ascii: "\""))
        result += body[min(place + 1, body.count)..<min(end, body.count)]
        result.append(UInt8(ascii: "\""))
        place = end + 1
      case UInt8(ascii: ","):
        let next = body[(place + 1)...].first { !isSpace($0) }
        if next != UInt8(ascii: "}"), next != UInt8(ascii: "]") { result.append(byte) }
        place += 1
      case 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"):
        let name = body[place...].prefix { isNameByte($0) }
        let isName = body[name.endIndex...].first { !isSpace($0) } == UInt8(ascii: ":")
        result += isName ? [UInt8(ascii: "\"")] + name + [UInt8(ascii: "\"")] : Array(name)
        place = name.endIndex
      default:
        result.append(byte)
        place += 1
      }
    }
    return result
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
    default: false
    }
  }
}
