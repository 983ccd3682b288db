import Bytes
import JSON

/// The checks of a token's form in their order, and the parts that they have read (RFC 7515 section 7.1).
///
/// A part has no value if a recorder goes on after its check has failed.
struct TokenForm {
  /// The header, an object of strict JSON.
  let header: Checked<JSONValue>
  let members: HeaderMembers
  private let text: [UInt8]
  private let size: Checked<Void>
  private let dots: Checked<(first: Int, second: Int)>
  private let features: Checked<Void>
  private let signature: Checked<[UInt8]>

  /// Makes all checks that do not depend on the payload.
  init<Recorder: CheckRecorder>(_ text: [UInt8], _ recorder: inout Recorder) throws(Recorder.End) {
    self.text = text
    size = try recorder.run(.size, try Self.checkSize(text))
    dots = try recorder.run(.segments, try Self.dots(in: text))
    header = try recorder.run(.header, on: dots) { dots throws(TokenRejection) in
      try Self.object(try Self.bytes(of: .header, text, 0..<dots.first), .header)
    }
    features = try recorder.run(.headerMembers, on: header, TokenHeader.refuseUnsupported)
    let algorithm = try recorder.run(.algorithmName, on: header, TokenHeader.algorithm)
    let keyID = try recorder.run(.keyID, on: header, TokenHeader.keyID)
    let type = try recorder.run(.typeName, on: header, TokenHeader.type)
    members = HeaderMembers(algorithm: algorithm, keyID: keyID, type: type)
    signature = try recorder.run(.signatureEncoding, on: dots) { dots throws(TokenRejection) in
      try Self.signature(text, after: dots.second)
    }
  }

  /// Makes the checks of a payload with claims, which come after all others.
  func claims<Recorder: CheckRecorder>(
    _ recorder: inout Recorder
  ) throws(Recorder.End) -> Checked<(bytes: [UInt8], claims: JSONValue)> {
    try recorder.run(.payload, on: dots) { _ throws(TokenRejection) in
      let bytes = try payload()
      return (bytes, try Self.object(bytes, .payload))
    }
  }

  /// The bytes of a payload, which may be anything.
  func payload() throws(TokenRejection) -> [UInt8] {
    let dots = try dots.get()
    return try Self.bytes(of: .payload, text, dots.first + 1..<dots.second)
  }

  /// The parsed text, if no check has failed.
  consuming func jws(payload: [UInt8]) throws(TokenRejection) -> CompactJWS {
    try size.get()
    try features.get()
    return CompactJWS(
      header: try members.header(), unverifiedPayload: payload, text: text,
      signingInput: 0..<(try dots.get().second), signature: try signature.get())
  }

  // MARK: Each check

  private static func checkSize(_ text: [UInt8]) throws(TokenRejection) {
    guard text.count <= CompactJWS.maximumBytes else {
      throw .malformedToken(.tooLarge(bytes: text.count, limit: CompactJWS.maximumBytes))
    }
  }

  /// The offsets of the two dots. Counts all dots without storing more than two offsets.
  private static func dots(in text: [UInt8]) throws(TokenRejection) -> (first: Int, second: Int) {
    var (first, second, count, start) = (0, 0, 0, 0)
    while true {
      let end = Base64URL.end(in: text, from: start)
      guard end < text.count else { break }
      guard text[end] == .dot else { throw .malformedToken(.illegalByte(offset: end)) }
      count += 1
      if count == 1 { first = end } else if count == 2 { second = end }
      start = end + 1
    }
    // Five segments are a JWE (RFC 7516 section 7.1).
    if count == 4 { throw .encryptedToken }
    guard count == 2 else { throw .malformedToken(.segments(count + 1)) }
    return (first, second)
  }

  /// The signature. An unsecured JWS has none, but its `alg` has been rejected before this call.
  private static func signature(_ text: [UInt8], after dot: Int) throws(TokenRejection) -> [UInt8] {
    guard dot + 1 < text.count else { throw .malformedToken(.empty(.signature)) }
    return try bytes(of: .signature, text, dot + 1..<text.count)
  }

  private static func bytes(
    of segment: TokenFlaw.Segment, _ text: [UInt8], _ range: Range<Int>
  ) throws(TokenRejection) -> [UInt8] {
    guard let bytes = Base64URL.decode(text, in: range) else { throw .malformedToken(.base64url(segment)) }
    return bytes
  }

  /// Parses a segment as an object of strict JSON.
  private static func object(
    _ bytes: [UInt8], _ segment: TokenFlaw.Segment
  ) throws(TokenRejection) -> JSONValue {
    guard !bytes.isEmpty else { throw .malformedToken(.empty(segment)) }
    let root: JSONValue
    do {
      root = try JSONDocument(parsing: bytes, limits: .token).root
    } catch {
      throw .malformedToken(.json(segment, code: error.code, offset: error.offset))
    }
    guard root.kind == .object else { throw .malformedToken(.notAnObject(segment)) }
    return root
  }
}
