import JSON

/// The results of checks, in the order in which they ran.
struct StepList {
  private(set) var steps: [TokenExplanation.Step] = []

  mutating func skip(_ check: TokenCheck) {
    steps.append(TokenExplanation.Step(check: check, result: .notReached))
  }

  /// Runs a check; `nil` if it fails.
  @discardableResult
  mutating func record<Value>(
    _ check: TokenCheck, _ body: () throws(TokenRejection) -> Value
  ) -> Value? {
    do throws(TokenRejection) {
      let value = try body()
      steps.append(TokenExplanation.Step(check: check, result: .passed))
      return value
    } catch {
      steps.append(TokenExplanation.Step(check: check, result: .failed(error)))
      return nil
    }
  }

  /// Runs a check on a value; records it as not reached if the value is `nil`.
  @discardableResult
  mutating func record<Need, Value>(
    _ check: TokenCheck, _ need: Need?, _ body: (Need) throws(TokenRejection) -> Value
  ) -> Value? {
    guard let need else {
      skip(check)
      return nil
    }
    return record(check) { () throws(TokenRejection) in try body(need) }
  }
}

/// The checks of a token's form (`UnverifiedToken`), and the parts that could be read even if some checks failed.
struct FormSteps {
  private(set) var steps = StepList()
  private(set) var header: JSONValue?
  private(set) var claims: JSONValue?
  private(set) var algorithm: Algorithm?
  /// `nil` if `kid` could not be read, `.some(nil)` if the header has none.
  private(set) var keyID: [UInt8]??
  /// `nil` if `typ` could not be read, `.some(nil)` if the header has none.
  private(set) var type: [UInt8]??
  /// The header, if all members that the verifier uses could be read.
  private(set) var tokenHeader: TokenHeader?
  /// The parsed token, if its form is valid.
  private(set) var jws: CompactJWS?

  init(_ text: [UInt8]) {
    steps.record(.size) { () throws(TokenRejection) in try CompactJWS.checkSize(text) }
    let dots = steps.record(.segments) { () throws(TokenRejection) in try CompactJWS.dots(in: text) }
    header = steps.record(.header, dots) { dots throws(TokenRejection) in
      try CompactJWS.object(CompactJWS.bytes(of: .header, text, 0..<dots.0), .header)
    }
    readMembers()
    steps.record(.signatureEncoding, dots) { dots throws(TokenRejection) in
      _ = try CompactJWS.signature(text, after: dots.1)
    }
    claims = steps.record(.payload, dots) { dots throws(TokenRejection) in
      try CompactJWS.object(CompactJWS.bytes(of: .payload, text, dots.0 + 1..<dots.1), .payload)
    }
    jws = try? CompactJWS(parsing: text)
  }

  private mutating func readMembers() {
    steps.record(.headerMembers, header) { header throws(TokenRejection) in
      try TokenHeader.refuseUnsupported(header)
    }
    algorithm = steps.record(.algorithmName, header) { header throws(TokenRejection) in
      try TokenHeader.algorithm(header)
    }
    keyID = steps.record(.keyID, header) { header throws(TokenRejection) in
      try TokenHeader.keyID(header)
    }
    type = steps.record(.typeName, header) { header throws(TokenRejection) in
      try TokenHeader.type(header)
    }
    if let algorithm, let keyID, let type {
      tokenHeader = TokenHeader(algorithm: algorithm, keyID: keyID, type: type)
    }
  }
}
