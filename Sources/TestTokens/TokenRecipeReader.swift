import JSON
internal import Text

/// Validates recipes and collects all problems.
struct TokenRecipeReader {
  /// Whether a recipe may have claims that its preset's issuer never sends.
  let signsUnsentClaims: Bool
  private(set) var problems: [FileProblem] = []

  static let memberNames = [
    "description", "preset", "claims", "omit", "header", "omitHeader", "key", "algorithm", "secret", "damage",
    "unique", "bind", "rawHeader", "rawPayload", "raw",
  ]
  /// Claims with a NumericDate (RFC 7519 section 4.1, OpenID Connect Core section 2).
  private static let timeClaims: Set<String> = ["exp", "iat", "nbf", "auth_time"]

  /// Claims under the names that `/dev/token` and the command line have for them, and under their own, with an example.
  private static let claimExamples = [
    "expires": #""exp": "-1h""#, "exp": #""exp": "-1h""#, "iat": #""iat": "-1h""#, "nbf": #""nbf": "+1h""#,
    "user": #""sub": "alice""#, "sub": #""sub": "alice""#, "scope": #""scope": "orders:read""#,
    "audience": #""aud": "api""#, "aud": #""aud": "api""#, "issuer": #""iss": "https://id.example.com""#,
    "iss": #""iss": "https://id.example.com""#,
  ]

  /// What to write for a member that is a claim; `nil` for another one.
  private static func claimHint(for name: String) -> String? {
    claimExamples[name].map { "a claim is a member of claims: \"claims\": {\($0)}" }
  }

  mutating func report(_ text: String, at path: JSONPath, hint: String? = nil) {
    problems.append(FileProblem(path: path.text, text: text, hint: hint))
  }

  /// Reads a recipe; `nil` if a problem was reported.
  mutating func recipe(_ json: JSONTree, at path: JSONPath) -> TokenRecipe? {
    guard case .object(let members) = json else {
      report("is not an object", at: path)
      return nil
    }
    let problemsBefore = problems.count
    for member in members where !Self.memberNames.contains(member.name) {
      report(
        "is not a member of a recipe", at: path.member(member.name),
        hint: Self.claimHint(for: member.name)
          ?? NearestName.hint(for: member.name, among: Self.memberNames))
    }
    _ = text("description", of: json, at: path)
    let content: TokenRecipe.Content
    if json["raw"] != nil {
      for member in members where member.name != "raw" && member.name != "description" {
        report("cannot be combined with \"raw\"", at: path.member(member.name))
      }
      content = .literal(text("raw", of: json, at: path) ?? "")
    } else {
      content = .signed(signedRecipe(json, at: path))
    }
    return problems.count == problemsBefore ? TokenRecipe(content) : nil
  }

  private mutating func signedRecipe(_ json: JSONTree, at path: JSONPath) -> SignedTokenRecipe {
    let preset = preset(of: json, at: path)
    let (signer, algorithm) = signer(of: json, preset: preset, at: path)
    if !signsUnsentClaims, let preset, case .object(let claims)? = json["claims"] {
      for claim in claims where preset.neverSends(claim.name) {
        report(
          "no token of this issuer has it in production", at: path.member("claims").member(claim.name),
          hint: "leave it out, or sign it all the same with --unsent-claims")
      }
    }
    let presetClaims = preset?.claims(at: 0, TokenIdentifiers(name: "", salt: 0)).map(\.name) ?? []
    return SignedTokenRecipe(
      preset: preset,
      header: part(
        PartNames(members: "header", omit: "omitHeader", literal: "rawHeader"), of: json,
        given: ["alg", "kid", "typ"], times: [], at: path),
      payload: part(
        PartNames(members: "claims", omit: "omit", literal: "rawPayload"), of: json, given: presetClaims,
        times: Self.timeClaims, at: path),
      signer: signer, algorithm: algorithm, damages: damages(of: json, at: path),
      isUnique: flag("unique", of: json, at: path), isBound: isBound(json, at: path))
  }

  /// Whether the token is bound to the development key for DPoP.
  private mutating func isBound(_ json: JSONTree, at path: JSONPath) -> Bool {
    guard let text = text("bind", of: json, at: path) else { return false }
    guard text == SignedTokenRecipe.proofBinding else {
      report(
        "\(text) is not a binding", at: path.member("bind"),
        hint:
          "write \"\(SignedTokenRecipe.proofBinding)\"; a certificate is a claim: \"cnf\": {\"x5t#S256\": …}")
      return false
    }
    for name in ["rawPayload", "claims"]
    where name == "rawPayload" ? json[name] != nil : json[name]?["cnf"] != nil {
      report("cannot be combined with \"bind\"", at: path.member(name))
    }
    return true
  }

  private mutating func preset(of json: JSONTree, at path: JSONPath) -> TokenPreset? {
    guard let text = text("preset", of: json, at: path) else { return nil }
    if let preset = TokenPreset(text) { return preset }
    let word = String(text.prefix { $0 != ":" })
    let isKnown = TokenPreset.names.contains(word)
    report(
      isKnown ? "has a tenant that is not valid for \(word)" : "is not a preset", at: path.member("preset"),
      hint: isKnown
        ? "remove the colon and everything after it" : NearestName.hint(for: word, among: TokenPreset.names))
    return nil
  }

  // MARK: Header and payload

  /// The names of the three members that define a part of the token.
  private struct PartNames {
    let members: String
    let omit: String
    let literal: String
  }

  private mutating func part(
    _ names: PartNames, of json: JSONTree, given: [String], times: Set<String>, at path: JSONPath
  ) -> SignedTokenRecipe.Part {
    let changes = changes(names.members, of: json, times: times, at: path)
    let omitted = texts(names.omit, of: json, at: path)
    guard let literal = text(names.literal, of: json, at: path) else {
      // A recipe may replace a claim of its preset.
      let present = given + changes.map(\.name).filter { !given.contains($0) }
      for (name, path) in omitted where !present.contains(name) {
        report(
          "\(name) is not present, so it cannot be omitted", at: path,
          hint: NearestName.hint(for: name, among: present))
      }
      return .members(changes, omitting: omitted.map(\.text))
    }
    for name in [names.members, names.omit] where json[name] != nil {
      report("cannot be combined with \"\(names.literal)\"", at: path.member(name))
    }
    return .literal(timedText(literal, at: path.member(names.literal)))
  }

  private mutating func changes(
    _ name: String, of json: JSONTree, times: Set<String>, at path: JSONPath
  ) -> [SignedTokenRecipe.Change] {
    guard let value = json[name] else { return [] }
    guard case .object(let members) = value else {
      report("is not an object", at: path.member(name))
      return []
    }
    return members.map { member in
      guard case .string(let text) = member.value, times.contains(member.name),
        text.first == "+" || text.first == "-" || RelativeTime("+" + text) != nil
      else { return .init(name: member.name, value: .json(member.value)) }
      if let time = RelativeTime(text) { return .init(name: member.name, value: .time(time)) }
      reportTime(text, at: path.member(name).member(member.name))
      return .init(name: member.name, value: .json(.null))
    }
  }

  private mutating func timedText(_ text: String, at path: JSONPath) -> PlaceholderText {
    do throws(PlaceholderText.Malformed) {
      let timed = try PlaceholderText(text, [.time])
      for argument in timed.arguments where RelativeTime(argument) == nil { reportTime(argument, at: path) }
      return timed
    } catch {
      report(error.text, at: path, hint: error.hint)
      return PlaceholderText()
    }
  }

  private mutating func reportTime(_ text: String, at path: JSONPath) {
    report(
      "\(text) is not a relative time", at: path,
      hint: "write a sign, a whole number and one of s, m, h, d, such as +10m")
  }

  // MARK: Key and damage

  private mutating func signer(
    of json: JSONTree, preset: TokenPreset?, at path: JSONPath
  ) -> (SignedTokenRecipe.Signer, SigningAlgorithm) {
    let algorithm = algorithm(of: json, at: path)
    let key = keyName("key", of: json, at: path)
    guard let secret = json["secret"] else {
      let name = key ?? DevelopmentKeyName(for: algorithm ?? preset?.algorithm ?? .rs256)
      checkFit(algorithm, name.algorithm.keyKind, at: path)
      return (.developmentKey(name), algorithm ?? name.algorithm)
    }
    if json["key"] != nil { report("cannot be combined with \"secret\"", at: path.member("key")) }
    checkFit(algorithm, .secret, at: path)
    return (secretSigner(secret, at: path.member("secret")), algorithm ?? .hs256)
  }

  private mutating func secretSigner(_ secret: JSONTree, at path: JSONPath) -> SignedTokenRecipe.Signer {
    if case .string(let text) = secret { return .secret(text) }
    guard case .object(let members) = secret, members.count == 1, secret["publicKey"] != nil else {
      report("is neither a string nor {\"publicKey\": KEY}", at: path)
      return .secret("")
    }
    guard let name = keyName("publicKey", of: secret, at: path) else { return .secret("") }
    if name.algorithm.keyKind == .secret {
      report("is a secret, which has no public key", at: path.member("publicKey"))
    }
    return .publicKeyAsSecret(name)
  }

  private mutating func algorithm(of json: JSONTree, at path: JSONPath) -> SigningAlgorithm? {
    guard let text = text("algorithm", of: json, at: path) else { return nil }
    if let algorithm = SigningAlgorithm(rawValue: text) { return algorithm }
    let isNone = text.lowercased() == "none"
    report(
      "\(text) is not a signature algorithm", at: path.member("algorithm"),
      hint: isNone
        ? "write \"header\": {\"alg\": \"\(text)\"} and \"damage\": \"dropSignature\""
        : NearestName.hint(for: text, among: SigningAlgorithm.allCases.map(\.rawValue)))
    return nil
  }

  private mutating func checkFit(
    _ algorithm: SigningAlgorithm?, _ kind: SigningAlgorithm.KeyKind, at path: JSONPath
  ) {
    guard let algorithm, algorithm.keyKind != kind else { return }
    report(
      "the key cannot be used with \(algorithm.rawValue)", at: path.member("algorithm"),
      hint: "to change only the header's alg, write \"header\": {\"alg\": \"\(algorithm.rawValue)\"}")
  }

  private mutating func keyName(
    _ member: String, of json: JSONTree, at path: JSONPath
  ) -> DevelopmentKeyName? {
    guard let text = text(member, of: json, at: path) else { return nil }
    if let name = DevelopmentKeyName(rawValue: text) { return name }
    report(
      "\(text) is not a development key", at: path.member(member),
      hint: NearestName.hint(for: text, among: DevelopmentKeyName.allCases.map(\.rawValue)))
    return nil
  }

  private mutating func damages(of json: JSONTree, at path: JSONPath) -> [TokenDamage] {
    var damages: [TokenDamage] = []
    for (text, path) in texts("damage", of: json, at: path) {
      if let damage = TokenDamage(rawValue: text) {
        damages.append(damage)
      } else {
        let known = TokenDamage.allCases.map(\.rawValue)
        report("\(text) is not a kind of damage", at: path, hint: NearestName.hint(for: text, among: known))
      }
    }
    return damages
  }

  // MARK: Members by kind

  private mutating func text(_ name: String, of json: JSONTree, at path: JSONPath) -> String? {
    guard let value = json[name] else { return nil }
    if case .string(let text) = value { return text }
    report("is not a string", at: path.member(name))
    return nil
  }

  private mutating func flag(_ name: String, of json: JSONTree, at path: JSONPath) -> Bool {
    guard let value = json[name] else { return false }
    if case .boolean(let flag) = value { return flag }
    report("is not true or false", at: path.member(name))
    return false
  }

  /// A string, or each string of a list, with its path.
  private mutating func texts(
    _ name: String, of json: JSONTree, at path: JSONPath
  ) -> [(text: String, path: JSONPath)] {
    let path = path.member(name)
    switch json[name] {
    case nil: return []
    case .string(let text): return [(text, path)]
    case .array(let elements):
      var texts: [(text: String, path: JSONPath)] = []
      for (index, element) in elements.enumerated() {
        if case .string(let text) = element {
          texts.append((text, path.element(index)))
        } else {
          report("is not a string", at: path.element(index))
        }
      }
      return texts
    default:
      report("is neither a string nor a list of strings", at: path)
      return []
    }
  }
}
