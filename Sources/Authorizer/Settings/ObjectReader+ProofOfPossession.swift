import FunctionHost
import JOSE
import JSON

extension ObjectReader {
  /// Reads `"proofOfPossession"` of an issuer: how to treat tokens that are bound to a key or a certificate. Returns
  /// `nil` if problems were reported.
  ///
  /// - Parameter isDevelopment: whether origins may have the scheme `http`, on this machine.
  mutating func proofOfPossession(isDevelopment: Bool) -> PossessionSettings? {
    guard let value = value("proofOfPossession") else { return .refuse }
    if value.equals("refuse") { return .refuse }
    if value.equals("ignore") { return .ignore }
    guard value.kind == .object, var reader = reader("proofOfPossession") else {
      add("proofOfPossession", "\"refuse\", \"ignore\" or an object is expected")
      return nil
    }
    let required = reader.boolean("required") ?? false
    let certificate = reader.boolean("certificate") ?? false
    let hasDPoP = reader.value("dpop") != nil
    let dpop = reader.reader("dpop").flatMap { reader -> DPoPSettings? in
      var reader = reader
      return reader.dpopSettings(isDevelopment: isDevelopment)
    }
    reader.finish()
    // A member that could not be read may have been the binding.
    if !certificate, !hasDPoP, !problems.concerns(within: reader.path) {
      add(
        "proofOfPossession",
        "no binding is checked; add \"certificate\": true or \"dpop\", or write \"refuse\"")
    }
    return ProofSettings(required: required, certificate: certificate, dpop: dpop).map { .check($0) }
  }

  private mutating func dpopSettings(isDevelopment: Bool) -> DPoPSettings? {
    let algorithms = proofAlgorithms()
    let maximumAge = integer("maximumAgeSeconds", in: ProofPolicy.maximumAgeRange)
    let leeway = integer("leewaySeconds", in: ProofPolicy.leewayRange)
    let origins = origins(isDevelopment: isDevelopment)
    var table: TableReference?
    if var replay = reader("replay") {
      if var dynamoDB = replay.reader("dynamoDB") {
        table = dynamoDB.tableReference(missing: "the name of a table with the key pk")
      } else if replay.value("dynamoDB") == nil {
        replay.add("dynamoDB", "missing: the table that remembers used proofs")
      }
      replay.finish()
    }
    finish()
    let policy = ProofPolicy(
      algorithms: algorithms ?? ProofPolicy.defaultAlgorithms,
      maximumAgeSeconds: maximumAge ?? ProofPolicy.defaultMaximumAgeSeconds,
      leewaySeconds: leeway ?? ProofPolicy.defaultLeewaySeconds)
    return policy.map { DPoPSettings(policy: $0, origins: origins, replay: table) }
  }

  private mutating func proofAlgorithms() -> [Algorithm]? {
    guard let names = texts("algorithms") else { return nil }
    var algorithms: [Algorithm] = []
    for (index, name) in names.enumerated() {
      guard let algorithm = Algorithm(rawValue: name), !algorithm.isSymmetric else {
        let known = Algorithm.allCases.filter { !$0.isSymmetric }.map { $0.rawValue }
        add("algorithms[\(index)]", "one of \(known.joined(separator: ", ")) is expected")
        continue
      }
      if algorithms.contains(algorithm) { add("algorithms[\(index)]", "duplicate") }
      algorithms.append(algorithm)
    }
    return algorithms
  }

  private mutating func origins(isDevelopment: Bool) -> [WebOrigin]? {
    guard let texts = texts("origins") else { return nil }
    var origins: [WebOrigin] = []
    for (index, text) in texts.enumerated() {
      let path = "origins[\(index)]"
      guard let origin = WebOrigin(parsing: Array(text.utf8)) else {
        add(path, "a scheme, a host, a port if it is not the default, and nothing else are expected")
        continue
      }
      if !origin.isSecure, !(isDevelopment && origin.isLoopback) {
        add(path, "https is expected; http is accepted for this machine in development")
      }
      if origins.contains(origin) { add(path, "duplicate") }
      origins.append(origin)
    }
    return origins
  }

  /// Reports what contradicts the checks of bound tokens in the rest of the configuration.
  mutating func checkPossession(
    of issuers: [Settings.IssuerSettings], _ cache: GatewayCache, _ sources: [TokenSource]
  ) {
    guard let issuer = issuers.first(where: { $0.proof != nil }) else { return }
    if cache != .off, !problems.concerns("gatewayCache") {
      add(
        "gatewayCache",
        "must be \"off\": \(issuer.profile.name) has \"proofOfPossession\", and a cached answer would serve callers"
          + " without a proof; set the TTL of the API's authorizer to 0 too")
    }
    if let index = sources.firstIndex(of: .header("dpop")), issuers.contains(where: { $0.proof?.dpop != nil })
    {
      add("tokenSources[\(index)]", "this header contains the proof, not the token")
    }
  }
}

extension [Settings.IssuerSettings] {
  /// The warnings on bound tokens.
  ///
  /// - Parameter sources: where REQUEST events carry the token.
  func proofWarnings(_ sources: [TokenSource]) -> [ConfigurationProblem] {
    let hasHeader = sources.contains { source in
      if case .header = source { true } else { false }
    }
    var warnings: [ConfigurationProblem] = []
    for (index, issuer) in enumerated() {
      let path = "issuers[\(index)].proofOfPossession"
      if issuer.profile.proofOfPossession == .ignore {
        warnings.append(
          ConfigurationProblem(
            path: path,
            message:
              "\"ignore\": a stolen token that is bound to its client's key or certificate is accepted",
            isLoggedAtStart: true, warning: .proofIgnored))
      }
      if issuer.proof?.dpop != nil, !hasHeader {
        warnings.append(
          ConfigurationProblem(
            path: path + ".dpop",
            message:
              "no effect: only a header can have the scheme DPoP, and \"tokenSources\" names no header",
            warning: .settingWithoutEffect))
      }
    }
    return warnings
  }
}

extension TokenRejection {
  /// The detail for the log line beside the reason; contains no text of the token.
  var logDetail: String? {
    guard case .boundToken(let bindings) = self else { return nil }
    let members = bindings.map { "cnf." + $0.rawValue }.joined(separator: " and ")
    let settings = bindings.map { $0 == .key ? "\"dpop\": {}" : "\"certificate\": true" }
    return
      "bound by \(members); to check the proof, set \"proofOfPossession\": { \(settings.joined(separator: ", ")) } for"
      + " this issuer; \"ignore\" accepts the token without a proof"
  }
}
