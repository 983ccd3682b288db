import Bytes

/// The ARN of the requested method, as far as a policy needs it.
///
/// `arn:{partition}:execute-api:{region}:{account}:{api}/{stage}/{verb}/{path}`, or `…/{stage}/$connect` for
/// WebSocket APIs. The path may contain colons and any other URL character, so only the first five colons separate
/// fields.
public struct MethodARN: Equatable, Sendable {
  /// `arn:…:{api}/{stage}/`, ready for a wildcard.
  public let stagePrefix: [UInt8]
  /// The part after the stage: `GET/pets`, `GET/` or `$connect`; any bytes, at least one.
  public let route: [UInt8]

  /// Our own limit, which no request can reach: REST APIs answer 414 above 1,600 bytes, HTTP APIs accept 10,240 bytes
  /// of request line and headers (API Gateway quotas), and percent-encoding triples the length.
  public static let maximumBytes = 32 << 10

  /// Parses an ARN; `nil` if it is not an ARN of API Gateway or a field could change the meaning of a policy.
  public init?(parsing bytes: [UInt8]) {
    guard bytes.count <= Self.maximumBytes else { return nil }
    var fields: [ArraySlice<UInt8>] = []
    var start = 0
    for index in bytes.indices where bytes[index] == .colon && fields.count < 5 {
      fields.append(bytes[start..<index])
      start = index + 1
    }
    guard fields.count == 5, fields[0].elementsEqual("arn".utf8), fields[2].elementsEqual("execute-api".utf8),
      fields[1].starts(with: "aws".utf8),
      [fields[1], fields[3], fields[4]].allSatisfy(Self.isName),
      let apiEnd = bytes[start...].firstIndex(of: .slash), Self.isName(bytes[start..<apiEnd]),
      let stageEnd = bytes[(apiEnd + 1)...].firstIndex(of: .slash),
      Self.isStage(bytes[(apiEnd + 1)..<stageEnd]),
      stageEnd + 1 < bytes.count
    else { return nil }
    stagePrefix = Array(bytes[...stageEnd])
    route = Array(bytes[(stageEnd + 1)...])
  }

  /// Whether this is the `$connect` route of a WebSocket API; its ARN has no method.
  public var isConnectRoute: Bool { route.elementsEqual("$connect".utf8) }

  /// Letters, digits, `-`, `_` and `.`, which have no special meaning in a policy.
  private static func isName(_ field: ArraySlice<UInt8>) -> Bool {
    !field.isEmpty
      && field.allSatisfy {
        switch $0 {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
      }
  }

  /// A stage name, the literal `$default` of HTTP APIs, or the `*` in AWS's own sample events.
  private static func isStage(_ field: ArraySlice<UInt8>) -> Bool {
    isName(field) || field.elementsEqual("$default".utf8) || field.elementsEqual("*".utf8)
  }
}
