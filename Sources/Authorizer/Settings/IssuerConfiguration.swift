import Bytes
import FunctionHost
import IssuerKeys
import JOSE
import JSON
import KeyFetcher

/// One entry of `issuers` as written, before validation.
struct IssuerConfiguration {
  private let path: String
  /// The path of each part that is not under `path`: the short form uses several variables.
  private let paths: [String: String]
  var preset: String?
  var name: String?
  var issuer: String?
  var audiences: [String]?
  var algorithms: [Algorithm]?
  var types: [String]?
  var leewaySeconds: Int64?
  var maximumLifetimeSeconds: Int64?
  var maximumAgeSeconds: Int64?
  var principal: ClaimPath?
  var keys: KeysConfiguration?
  private var requirement = Requirement()
  private var context: [(name: String, source: ContextTemplate.Source?)] = []
  private var usageIdentifierKey: ClaimPath?
  private var possession = PossessionSettings.refuse

  /// An entry whose parts are in several variables.
  init(path: String, paths: [String: String]) {
    self.path = path
    self.paths = paths
  }

  init?(_ value: JSONValue, path: String, isDevelopment: Bool, _ problems: ProblemList) {
    guard var reader = ObjectReader(value, path: path, problems) else { return nil }
    self.path = path
    paths = [:]
    preset = reader.text("preset")
    name = reader.text("name")
    issuer = reader.text("issuer")
    audiences = reader.texts("audiences")
    algorithms = reader.algorithms("algorithms")
    types = reader.texts("types")
    leewaySeconds = reader.integer("leewaySeconds", in: 0...IssuerProfile.maximumLeewaySeconds)
    maximumLifetimeSeconds = reader.integer("maximumLifetimeSeconds", in: Self.limitRange)
    maximumAgeSeconds = reader.integer("maximumAgeSeconds", in: Self.limitRange)
    principal = reader.claimPath("principal")
    usageIdentifierKey = reader.claimPath("usageIdentifierKey")
    possession = reader.proofOfPossession(isDevelopment: isDevelopment) ?? .refuse
    requirement.scopes = reader.scopes("requiredScopes")
    requirement.claims = reader.claimRequirements(
      "requiredClaims", acceptingBooleanText: preset == "apple" ? Self.appleBooleans : [])
    context = reader.contextMembers()
    keys = reader.reader("keys").map { KeysConfiguration($0) }
    reader.finish()
  }

  /// Claims that Apple documents as "String or Boolean" (Apple, "Authenticating users with Sign in with Apple").
  static let appleBooleans = ["email_verified", "is_private_email"]

  /// Returns the entry as the function uses it; `nil` with problems added otherwise.
  func settings(
    _ preset: IssuerPreset?, _ source: some ConfigurationSource, _ problems: ProblemList
  ) -> Settings.IssuerSettings? {
    let profile = profile(preset, problems, development: source.isDevelopment)
    let keys = material(preset, source, problems)
    guard let profile, let keys else { return nil }
    var requirement = requirement
    if let owner = preset?.repositoryOwnerID { requirement.claims.append(.repositoryOwner(owner)) }
    return Settings.IssuerSettings(
      profile: profile, keys: keys, requirement: requirement, proof: possession.proof,
      content: AnswerContent(
        context: ContextTemplate(isApple: isApple, context), usageIdentifierKey: usageIdentifierKey),
      isApple: isApple, sendsScopes: preset?.sendsScopes ?? true,
      verifiesEmail: preset?.verifiesEmail ?? true,
      isOfWorkflows: profile.issuers.contains { IssuerPreset.isOfWorkflows($0) })
  }

  private var isApple: Bool { preset == "apple" }

  /// One second to one year.
  private static let limitRange: ClosedRange<Int64> = 1...31_536_000

  var isShortForm: Bool { !paths.isEmpty }

  func path(of part: String) -> String { paths[part] ?? (path + "." + part) }

  /// Whether a preset is named, known or unknown.
  private func hasPreset(_ problems: ProblemList) -> Bool {
    preset != nil || problems.concerns(path(of: "preset"))
  }

  /// Whether a preset fixes issuer, algorithms and keys. An unknown preset counts as one, since it may be a typing
  /// error.
  func isFixed(by known: IssuerPreset?, _ problems: ProblemList) -> Bool {
    known.map { !$0.isGeneric } ?? hasPreset(problems)
  }

  func resolvedPreset(_ problems: ProblemList) -> IssuerPreset? {
    guard let preset else { return nil }
    let presetPath = isShortForm ? path : path(of: "preset")
    do throws(IssuerPreset.Flaw) {
      let known = try IssuerPreset(parsing: preset)
      guard isShortForm, known.isGeneric else { return known }
      problems.add(
        presetPath, "\(known.name): needs an issuer, algorithms and keys of its own; use AUTHORIZER_CONFIG")
      return nil
    } catch {
      switch error {
      case .unknown(let name):
        let spellings = IssuerPreset.spellings.filter {
          !isShortForm || (try? IssuerPreset(parsing: $0))?.isGeneric != true
        }
        let names = spellings.map { String($0.prefix { $0 != ":" }) }
        if let nearest = ObjectReader.nearest(to: name, among: names) {
          problems.add(presetPath, "unknown preset, did you mean \"\(spellings[nearest])\"?")
          return nil
        }
        let known = spellings.joined(separator: ", ")
        problems.add(
          presetPath, "unknown preset; one of \(known)\(isShortForm ? " or an https issuer" : "") is expected"
        )
      case .missingArgument(let name, let form):
        problems.add(presetPath, "\(name): needs an argument, \(name):<\(form)>")
      case .wrongArgument(let name, let form): problems.add(presetPath, "\(name): \(form) is expected")
      case .unexpectedArgument(let name): problems.add(presetPath, "\(name) takes no argument")
      }
      return nil
    }
  }

  func name(_ known: IssuerPreset?) -> String? {
    if let name { return name }
    if let known, !known.isGeneric { return String(known.name.prefix { $0 != ":" }) }
    return issuer
  }

  /// Returns the values of `iss`.
  func issuers(_ known: IssuerPreset?) -> [String] {
    if let known, !known.isGeneric { return known.issuers }
    return issuer.map { [$0] } ?? []
  }

  /// Returns the signing algorithms of the issuer.
  func algorithms(_ known: IssuerPreset?) -> [Algorithm] {
    if let known, !known.isGeneric { return known.algorithms }
    return algorithms ?? []
  }

  /// Returns the profile after checking that preset and members fit together; `nil` with problems added otherwise.
  func profile(
    _ known: IssuerPreset?, _ problems: ProblemList, development: Bool
  ) -> IssuerProfile? {
    guard known != nil || !hasPreset(problems) else { return nil }
    if let known, !known.isGeneric {
      for (member, isGiven) in [("issuer", issuer != nil), ("algorithms", algorithms != nil)] where isGiven {
        problems.add(path(of: member), "fixed by the preset")
      }
    } else {
      checkGenericIssuer(problems, development: development)
    }
    let audiences = audiences ?? known?.fixedAudience.map { [$0] }
    if audiences?.isEmpty ?? true {
      addMissing("audiences", "the audiences that the tokens are for", problems)
    }
    if let known, audiences?.contains(where: known.isDefaultAudience) ?? false {
      problems.add(
        path(of: "audiences"),
        "this is the issuer's default audience; name one for this API, which callers then request")
    }
    let issuers = issuers(known)
    let algorithms = algorithms(known)
    guard let name = name(known), let audiences, !audiences.isEmpty, !issuers.isEmpty, !algorithms.isEmpty,
      !problems.concerns(path(of: "algorithms"))
    else { return nil }
    do throws(IssuerProfile.Flaw) {
      return try IssuerProfile(
        name: name, issuers: issuers,
        audience: known?.audienceIsClientID == true ? .clientID(audiences) : .audience(audiences),
        algorithms: algorithms, types: types.map { .required($0) } ?? known?.types ?? .standard,
        leewaySeconds: leewaySeconds ?? IssuerProfile.defaultLeewaySeconds,
        maximumLifetimeSeconds: maximumLifetimeSeconds ?? known?.maximumLifetimeSeconds,
        maximumAgeSeconds: maximumAgeSeconds, claimRules: known?.claimRules ?? [], principal: principal,
        requiresKeyID: known?.requiresKeyID ?? false, proofOfPossession: possession.ofProfile)
    } catch {
      problems.add(path, error.description)
      return nil
    }
  }

  private func checkGenericIssuer(_ problems: ProblemList, development: Bool) {
    if issuer == nil {
      let isPreset = preset != nil
      addMissing("issuer", "\(isPreset ? "" : "a preset or ")the exact value of iss", problems)
    }
    if algorithms == nil { addMissing("algorithms", "the algorithms that this issuer signs with", problems) }
    let symmetric = algorithms?.count { $0.isSymmetric } ?? 0
    if let algorithms, symmetric > 0, symmetric < algorithms.count {
      problems.add(path(of: "algorithms"), IssuerProfile.Flaw.mixedAlgorithms.description)
    }
    guard let issuer else { return }
    // A general preset would accept the workflows of every owner.
    if preset == nil || IssuerPreset.isOfWorkflows(issuer),
      let spelling = IssuerPreset.spelling(forIssuer: issuer)
    {
      problems.add(path(of: "issuer"), "this issuer has a preset; use \(spelling)")
      return
    }
    // An issuer with a secret publishes nothing and may have any name.
    let isSecret = symmetric > 0 || keys?.secret != nil || problems.concerns(path(of: "keys") + ".secret")
    guard !isSecret || issuer.hasWebScheme else { return }
    do throws(KeyAddressError) {
      _ = try KeyAddress(parsing: Self.withPath(issuer), development: development)
    } catch {
      let isWrongScheme =
        switch error {
        case .unsupportedScheme, .httpBeyondLoopback: true
        default: false
        }
      problems.add(path(of: "issuer"), isWrongScheme ? "an https address is expected" : error.line)
    }
  }

  /// Adds a path to a URL without one: a URL that is fetched needs it, one that is only compared does not (RFC 3986
  /// section 3.3).
  private static func withPath(_ issuer: String) -> String {
    let start = issuer.utf8.dropFirst("https://".utf8.count)
    let end = start.firstIndex { [0x2F, 0x3F, 0x23].contains($0) } ?? issuer.endIndex
    let rest = issuer[end...]
    return rest.utf8.first == .slash ? issuer : issuer[..<end] + "/" + rest
  }

  /// Reports a missing part, unless it is present and already reported as wrong.
  func addMissing(_ part: String, _ what: String, _ problems: ProblemList) {
    let path = path(of: part)
    if !problems.concerns(path) { problems.add(path, "missing: " + what) }
  }
}

extension ObjectReader {
  fileprivate mutating func claimPath(_ name: String) -> ClaimPath? {
    guard let text = text(name) else { return nil }
    let path = ClaimPath(text)
    if path == nil { add(name, "a claim's name, or names joined by dots, is expected") }
    return path
  }
}
