internal import Bytes
internal import GatewayModel
internal import Text

/// JWT authorizers of REST APIs (API Gateway API Reference, "CreateAuthorizer" and "JwtConfigurationInput"). What these
/// pages do not name is refused, so that no rule about tokens is passed over.
extension AuthorizerReader {
  /// How a kind of template spells the members of the API Reference.
  enum MemberNames {
    case cloudFormation, openAPI

    /// - Parameter name: the name in CloudFormation, in ASCII.
    func callAsFunction(_ name: String) -> String {
      self == .cloudFormation ? name : name.prefix(1).lowercased() + name.dropFirst(bytes: 1)
    }
  }

  /// Reads the properties of an authorizer besides its type.
  ///
  /// - Parameter schemeHeader: the header of the OpenAPI scheme, if it names one.
  func restJWT(
    _ properties: inout PropertyReader, _ names: MemberNames, schemeHeader: String? = nil
  ) -> RouteAccess {
    for name in [
      "AuthorizerUri", "AuthorizerCredentials", "ProviderARNs", "AuthorizerResultTtlInSeconds",
      "IdentityValidationExpression",
    ].map(names.callAsFunction) where properties.has(name) {
      _ = properties.take(name)
      refuse(name, "is not supported for JWT authorizers", cure: "remove it")
    }
    let member = names("IdentitySource")
    let source = properties.requiredText(member, cure: Self.sourceCure)
    let configuration = properties.reader(names("JwtConfiguration"))
    properties.finish()
    guard var configuration else {
      refuse(names("JwtConfiguration"), "is missing", cure: "write Issuers and DefaultAlgorithms below it")
      return closed
    }
    let algorithms = algorithms(&configuration, names("DefaultAlgorithms"))
    let issuers = issuers(&configuration, names)
    configuration.finish()
    guard let source, let header = source.rest(after: "method.request.header."), Self.isHeader(header) else {
      if source != nil {
        refuse(member, "must be one header of the request", cure: Self.sourceCure)
      }
      return closed
    }
    if let schemeHeader, schemeHeader.lowercased() != header.lowercased() {
      refuse(member, "is another header than the name of the scheme: \(schemeHeader)", cure: "write it twice")
    }
    guard report.findings.isEmpty else { return closed }
    let trust = JWTTrust(algorithms: algorithms, issuers: issuers)
    return .token(
      TokenAuthorizer(name: name, kind: .restJWT(trust), source: .header(String(header))), scopes: [])
  }

  private static let sourceCure = "write method.request.header.Authorization"

  /// Whether a text is the name of a header (RFC 9110 section 5.1), and not several sources.
  private static func isHeader(_ text: Substring) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { $0.isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
  }

  private func algorithms(_ configuration: inout PropertyReader, _ member: String) -> [JWTTrust.Algorithm] {
    let known = JWTTrust.Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
    return texts(&configuration, member, cure: "write a list of \(known)").compactMap { text in
      if let algorithm = JWTTrust.Algorithm.allCases.first(where: { $0.rawValue.hasSameBytes(as: text) }) {
        return algorithm
      }
      configuration.refuse(
        member: member, "is not an algorithm of JWT authorizers: \(text)", cure: "use \(known)")
      return nil
    }
  }

  /// Reads a list of texts that has an element, none of them empty.
  private func texts(_ reader: inout PropertyReader, _ member: String, cure: String) -> [String] {
    guard !reader.lacks(member) else {
      _ = reader.take(member)
      reader.refuse(member: member, "is missing", cure: cure)
      return []
    }
    let texts = reader.texts(member, orOne: false) ?? []
    if texts.contains(where: \.isEmpty) {
      reader.refuse(member: member, "has an empty value", cure: cure)
    }
    return texts
  }

  /// Reads a list of maps that has an element.
  private func readers(_ reader: inout PropertyReader, _ member: String, cure: String) -> [PropertyReader] {
    let path = reader.path(of: member)
    guard let value = reader.take(member) else {
      reader.refuse(member: member, "is missing", cure: cure)
      return []
    }
    guard let list = value.list, !list.isEmpty else {
      report.refuse(
        value, path, value.list == nil ? "must be a list, found \(value.kindName)" : "is empty", cure: cure)
      return []
    }
    return list.enumerated().compactMap { PropertyReader($1, at: "\(path)[\($0)]", report) }
  }

  // MARK: Issuers

  private func issuers(_ configuration: inout PropertyReader, _ names: MemberNames) -> [JWTTrust.Issuer] {
    var issuers: [JWTTrust.Issuer] = []
    for var reader in readers(&configuration, names("Issuers"), cure: "write an issuer with its audiences") {
      let member = names("Issuer")
      let name = reader.requiredText(member, cure: Self.issuerCure)
      let audiences = texts(&reader, names("Audiences"), cure: "write the values of aud that you accept")
      let claims = claims(&reader, names)
      reader.finish()
      guard let name else { continue }
      if !Self.isIssuer(name) {
        reader.refuse(
          member: member, "is no https URL with a host and without user, query and fragment: \(name)",
          cure: Self.issuerCure)
      }
      if issuers.contains(where: { $0.name.hasSameBytes(as: name) }) {
        reader.refuse(member: member, "is there twice: \(name)", cure: "write each issuer once")
      }
      issuers.append(JWTTrust.Issuer(name, audiences: audiences, claims: claims))
    }
    return issuers
  }

  private static let issuerCure = "write https://… exactly as iss has it, with or without a slash at the end"

  /// Whether a text is an issuer that API Gateway takes: "an absolute https URL that includes a host and has no user
  /// information, query, or fragment".
  private static func isIssuer(_ text: String) -> Bool {
    guard let rest = text.rest(after: "https://"), let first = rest.utf8.first, first.isLetterOrDigit,
      !rest.utf8.contains(where: { !(0x21...0x7E).contains($0) || #"?#\"<>^`{|}"#.utf8.contains($0) })
    else { return false }
    return !rest.utf8.prefix { $0 != .slash }.contains(UInt8(ascii: "@"))
  }

  // MARK: Claims

  /// The claims that a rule cannot name ("JwtAdditionalClaim").
  private static let reserved = ["iss", "aud", "exp", "nbf", "iat", "scope", "scp"]

  private func claims(_ issuer: inout PropertyReader, _ names: MemberNames) -> [JWTTrust.Claim] {
    guard issuer.has(names("AdditionalClaims")) else { return [] }
    var claims: [JWTTrust.Claim] = []
    for var reader in readers(&issuer, names("AdditionalClaims"), cure: "write a claim, or remove it") {
      let member = names("ClaimName")
      let name = reader.requiredText(member, cure: "write the name of a claim")
      let format = names("Format")
      if reader.requiredText(format, cure: "write SINGLE_STRING").map({ $0 != "SINGLE_STRING" }) == true {
        reader.refuse(member: format, "is not known", cure: "write SINGLE_STRING")
      }
      let value = expectedValue(&reader, names("ExpectedValues"))
      let required = names("Required")
      if reader.has(required), reader.lacks(required) {
        reader.refuse(member: required, "is empty", cure: "write true or false")
      }
      let isRequired = reader.boolean(required) ?? false
      reader.finish()
      guard let name else { continue }
      if name.isEmpty || Self.reserved.containsText(name)
        || claims.contains(where: { $0.name.hasSameBytes(as: name) })
      {
        reader.refuse(
          member: member, "is empty, there twice, or a claim that is checked anyway: \(name)",
          cure: "name another claim than \(Self.reserved.joined(separator: ", "))")
      }
      claims.append(JWTTrust.Claim(name, value: value, isRequired: isRequired))
    }
    return claims
  }

  /// "The accepted value for the claim": one. AWS does not say what several would mean.
  private func expectedValue(_ claim: inout PropertyReader, _ member: String) -> String? {
    guard claim.has(member) else { return nil }
    let values = texts(&claim, member, cure: "write one value in a list")
    if values.count > 1 {
      claim.refuse(member: member, "has more than one value", cure: "write one value in a list")
    }
    return values.first
  }
}
