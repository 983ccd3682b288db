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
  private let segments: Checked<Segments>
  private let features: Checked<Void>
  private let signature: Checked<[UInt8]>

  /// Makes all checks that do not depend on the payload.
  init<Recorder: CheckRecorder>(_ text: [UInt8], _ recorder: inout Recorder) throws(Recorder.End) {
    self.text = text
    size = try recorder.run(.size, try Self.checkSize(text))
    segments = try recorder.run(.segments, try Segments(of: text))
    header = try recorder.run(.header, on: segments) { segments throws(TokenRejection) in
      try Self.object(try Self.bytes(segments.header, of: .header), .header)
    }
    features = try recorder.run(.headerMembers, on: header, TokenHeader.refuseUnsupported)
    let algorithm = try recorder.run(.algorithmName, on: header, TokenHeader.algorithm)
    let keyID = try recorder.run(.keyID, on: header, TokenHeader.keyID)
    let type = try recorder.run(.typeName, on: header, TokenHeader.type)
    members = HeaderMembers(algorithm: algorithm, keyID: keyID, type: type)
    signature = try recorder.run(.signatureEncoding, on: segments) { segments throws(TokenRejection) in
      try Self.signature(text, segments)
    }
  }

  /// Makes the checks of a payload with claims, which come after all others.
  func claims<Recorder: CheckRecorder>(
    _ recorder: inout Recorder
  ) throws(Recorder.End) -> Checked<(bytes: [UInt8], claims: JSONValue)> {
    try recorder.run(.payload, on: segments) { _ throws(TokenRejection) in
      let bytes = try payload()
      return (bytes, try Self.object(bytes, .payload))
    }
  }

  /// The bytes of a payload, which may be anything.
  func payload() throws(TokenRejection) -> [UInt8] {
    try Self.bytes(try segments.get().payload, of: .payload)
  }

  /// The parsed text, if no check has failed.
  func jws(payload: [UInt8]) throws(TokenRejection) -> CompactJWS {
    try size.get()
    try features.get()
    return CompactJWS(
      header: try members.header(), unverifiedPayload: payload, text: text,
      signingInput: 0..<(try segments.get().secondDot), signature: try signature.get())
  }

  // MARK: Each check

  private static func checkSize(_ text: [UInt8]) throws(TokenRejection) {
    guard text.count <= CompactJWS.maximumBytes else {
      throw .malformedToken(.tooLarge(bytes: text.count, limit: CompactJWS.maximumBytes))
    }
  }

  /// The signature. An unsecured JWS has none, but its `alg` has been rejected before this call.
  private static func signature(_ text: [UInt8], _ segments: Segments) throws(TokenRejection) -> [UInt8] {
    guard segments.secondDot + 1 < text.count else { throw .malformedToken(.empty(.signature)) }
    return try bytes(segments.signature, of: .signature)
  }

  private static func bytes(
    _ bytes: [UInt8]?, of segment: TokenFlaw.Segment
  ) throws(TokenRejection) -> [UInt8] {
    guard let bytes else { throw .malformedToken(.base64url(segment)) }
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
      throw .malformedToken(.json(segment, error))
    }
    guard root.kind == .object else { throw .malformedToken(.notAnObject(segment)) }
    return root
  }
}

/// The three segments of a text: its only dots, and what is between them.
private struct Segments {
  let secondDot: Int
  /// The decoded segments; `nil` for one that is not canonical base64url.
  let header, payload, signature: [UInt8]?

  /// Decodes the segments, which also finds bytes that no segment may have, such as a third dot. Only a text with a
  /// segment that cannot be decoded is read again to tell why.
  init(of text: [UInt8]) throws(TokenRejection) {
    let bytes = text.span
    let firstDot = bytes.firstIndex(of: .dot, from: 0)
    secondDot = bytes.firstIndex(of: .dot, from: firstDot + 1)
    if secondDot < text.count {
      header = Base64URL.decode(text, in: 0..<firstDot)
      payload = Base64URL.decode(text, in: firstDot + 1..<secondDot)
      signature = Base64URL.decode(text, in: secondDot + 1..<text.count)
    } else {
      (header, payload, signature) = (nil, nil, nil)
    }
    if header == nil || payload == nil || signature == nil, let flaw = Self.flaw(in: text) { throw flaw }
  }

  /// Why a text does not consist of three segments in base64url's alphabet; `nil` if it does.
  private static func flaw(in text: [UInt8]) -> TokenRejection? {
    var dots = 0
    var end = Base64URL.end(in: text, from: 0)
    while end < text.count {
      guard text[end] == .dot else { return .malformedToken(.illegalByte(offset: end)) }
      dots += 1
      end = Base64URL.end(in: text, from: end + 1)
    }
    switch dots {
    case 2: return nil
    // Five segments are a JWE (RFC 7516 section 7.1).
    case 4: return .encryptedToken
    default: return .malformedToken(.segments(dots + 1))
    }
  }
}
