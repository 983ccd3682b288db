internal import JOSE

/// Verifies the signatures of JWS, and nothing about their content.
struct SignatureVerification {
  private let material: VerificationMaterial
  private let algorithms: [Algorithm]
  private var checker = SignatureChecker()

  /// - Parameter only: the accepted algorithms among those of the material; empty for all of them.
  init(material: VerificationMaterial, only: [Algorithm]) {
    self.material = material
    let fitting: [Algorithm] =
      switch material {
      case .keys(let keys): keys.keys.flatMap(\.algorithms)
      case .secret(let secret): secret.algorithms
      }
    algorithms =
      only.isEmpty
      ? fitting : fitting.filter { algorithm in only.contains { $0.isSameSignature(as: algorithm) } }
  }

  /// Returns why the signature of a line is invalid; `nil` if it is valid.
  mutating func rejection(of line: LineReader.Line) -> TokenRejection.Code? {
    guard case .text(let text) = line else { return .malformedToken }
    do throws(TokenRejection) {
      try check(text)
      return nil
    } catch {
      return error.code
    }
  }

  private mutating func check(_ text: [UInt8]) throws(TokenRejection) {
    let jws = try CompactJWS(parsing: text)
    guard algorithms.contains(where: { $0.isSameSignature(as: jws.header.algorithm) }) else {
      throw .algorithmNotAllowed(found: jws.header.algorithm.rawValue)
    }
    switch material {
    case .keys(let keys):
      guard let key = keys.key(for: jws.header) else { throw .unknownKey }
      guard checker.verifies(jws, with: .key(key)) else { throw .signatureMismatch }
    case .secret(let secret):
      guard checker.verifies(jws, with: .secret(secret)) else { throw .signatureMismatch }
    }
  }
}
