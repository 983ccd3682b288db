import FunctionHost
import JOSE
import JSON

extension ObjectReader {
  /// Reads `"proofOfPossession"` of an issuer: how to treat tokens that are bound to a key or a certificate.
  mutating func proofOfPossession() -> ProofOfPossession? {
    guard let value = value("proofOfPossession") else { return nil }
    if let text = value.text, let word = ProofOfPossession(rawValue: text) { return word }
    add(
      "proofOfPossession",
      value.kind == .object
        ? "proofs are not checked, so an object has no meaning here; write \"refuse\" or \"ignore\""
        : "\"refuse\" or \"ignore\" is expected")
    return nil
  }
}

extension [Settings.IssuerSettings] {
  /// One warning for each issuer whose bound tokens are accepted without a proof.
  var proofWarnings: [ConfigurationProblem] {
    var warnings: [ConfigurationProblem] = []
    for (index, issuer) in enumerated() where issuer.profile.proofOfPossession == .ignore {
      warnings.append(
        ConfigurationProblem(
          path: "issuers[\(index)].proofOfPossession",
          message: "\"ignore\": a stolen token that is bound to its client's key or certificate is accepted",
          isLoggedAtStart: true, warning: .proofIgnored))
    }
    return warnings
  }
}

extension TokenRejection {
  /// The detail for the log line beside the reason; contains no text of the token.
  var logDetail: String? {
    guard case .boundToken(let bindings) = self else { return nil }
    let members = bindings.map { "cnf." + $0.rawValue }.joined(separator: " and ")
    return
      "bound by \(members); to accept it without a proof, set \"proofOfPossession\": \"ignore\" for this issuer"
  }
}
