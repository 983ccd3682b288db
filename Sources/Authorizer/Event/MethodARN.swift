import Bytes

/// The ARN of the requested method, as far as a policy needs it.
///
/// `arn:{partition}:execute-api:{region}:{account}:{api}/{stage}/{verb}/{path}`, or `…/{stage}/$connect` for
/// WebSocket APIs. The path may contain colons and any other URL character, so only the first five colons separate
/// fields.
package struct MethodARN: Equatable, Sendable {
  /// `arn:…:{api}/{stage}/`, ready for a wildcard.
  package let stagePrefix: [UInt8]
  /// The part after the stage: `GET/pets`, `GET/` or `$connect`; any bytes, at least one.
  package let route: [UInt8]

  /// Our own limit, which no request can reach: REST APIs answer 414 above 1,600 bytes, HTTP APIs accept 10,240 bytes
  /// of request line and headers (API Gateway quotas), and percent-encoding triples the length.
  package static let maximumBytes = 32 << 10

  /// Parses an ARN; `nil` if it is not an ARN of API Gateway or a field could change the meaning of a policy.
  package init?(parsing bytes: [UInt8]) { self.init(parsing: bytes.span) }

  /// Parses an ARN; `nil` if it is not an ARN of API Gateway or a field could change the meaning of a policy.
  init?(parsing text: Span<UInt8>) {
    guard text.count <= Self.maximumBytes else { return nil }
    var start = 0
    guard let scheme = Self.field(text, &start, endsWith: .colon), Self.arn.equals(text.extracting(scheme)),
      let partition = Self.field(text, &start, endsWith: .colon), Self.isName(text.extracting(partition)),
      partition.count >= 3, Self.aws.equals(text.extracting(partition).extracting(first: 3)),
      let service = Self.field(text, &start, endsWith: .colon),
      Self.executeAPI.equals(text.extracting(service)),
      let region = Self.field(text, &start, endsWith: .colon), Self.isName(text.extracting(region)),
      let account = Self.field(text, &start, endsWith: .colon), Self.isName(text.extracting(account)),
      let api = Self.field(text, &start, endsWith: .slash), Self.isName(text.extracting(api)),
      let stage = Self.field(text, &start, endsWith: .slash), Self.isStage(text.extracting(stage)),
      start < text.count
    else { return nil }
    stagePrefix = Array(copying: text.extracting(0..<start))
    route = Array(copying: text.extracting(start..<text.count))
  }

  private static let arn: StaticString = "arn"
  private static let aws: StaticString = "aws"
  private static let executeAPI: StaticString = "execute-api"
  private static let defaultStage: StaticString = "$default"

  /// The field from `start` up to this mark, after which the next field starts; `nil` if there is no mark.
  private static func field(_ text: Span<UInt8>, _ start: inout Int, endsWith mark: UInt8) -> Range<Int>? {
    let end = text.firstIndex(of: mark, from: start)
    guard end < text.count else { return nil }
    defer { start = end + 1 }
    return start..<end
  }

  /// Whether this is the `$connect` route of a WebSocket API; its ARN has no method.
  package var isConnectRoute: Bool { route.elementsEqual("$connect".utf8) }

  /// Letters, digits, `-`, `_` and `.`, which have no special meaning in a policy.
  private static func isName(_ field: Span<UInt8>) -> Bool {
    var index = 0
    while field.count - index >= 8,
      field.word(at: index).marksOfOtherThanLettersDigitsAndHyphens == 0
    { index += 8 }
    while index < field.count {
      let byte = field[index]
      index += 1
      guard byte.isLetterOrDigit || byte == .hyphen || byte == .dot || byte == .underscore else {
        return false
      }
    }
    return !field.isEmpty
  }

  /// A stage name, the literal `$default` of HTTP APIs, or the `*` in AWS's own sample events.
  private static func isStage(_ field: Span<UInt8>) -> Bool {
    isName(field) || defaultStage.equals(field) || field.count == 1 && field[0] == .asterisk
  }
}
