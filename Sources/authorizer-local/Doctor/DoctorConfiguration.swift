internal import Text
internal import GatewayModel
internal import DeploymentChecks
internal import Templates
internal import Authorizer
internal import FunctionHost
internal import IssuerKeys
internal import JOSE
internal import JSON

/// The findings about one deployed configuration.
struct DoctorConfiguration {
  var findings: [DeploymentFinding] = []
  var facts: [(name: String, value: String)] = []
  /// The parts that the template depends on; `nil` if the function would not start.
  private(set) var deployed: DeployedConfiguration?
  /// The same for the identity function.
  var identity: DeployedIdentity?
  let configuration: PackagedConfiguration
  private let excused: Set<String>
  /// Named files outside of the package, such as those of a layer ("Lambda layers", `/opt`).
  private let outside: Set<String>
  /// The Unix time in seconds.
  let now: Int64

  /// - Parameters:
  ///   - hasTemplate: whether all variables of the function are known.
  ///   - earlier: the findings about its files.
  ///   - excused: files whose absence already has a finding.
  init(
    _ configuration: PackagedConfiguration, hasTemplate: Bool,
    after earlier: [DeploymentFinding] = [], excused: Set<String> = [], now: Int64
  ) {
    findings = earlier
    self.now = now
    self.configuration = configuration
    outside = Set(
      configuration.namedFiles.filter { PackagedConfiguration.relative($0).hasBytePrefix("/") })
    self.excused = excused.union(outside)
    if let value = configuration.variables["AUTHORIZER_DEVELOPMENT"], !value.isEmpty {
      findings.add(
        .developmentVariable, "AUTHORIZER_DEVELOPMENT",
        "with this variable the deployed function accepts development keys",
        cure: "remove the variable from the template")
    }
    if configuration.isShadowed {
      findings.add(
        .configurationShadowed, configuration.function.fileName,
        "the file is deployed, but \(configuration.function.variable) of the template overrides it",
        cure: "remove one of the two: a file that is not read has no effect")
    }
    let needed =
      configuration.function.configuringVariables
      + (configuration.function == .authorizer ? ["AUTHORIZER_AUDIENCE", "AUTHORIZER_KEYS"] : [])
    if let name = needed.first(where: configuration.isUnknown) {
      findings.add(
        .configurationElsewhere, name, "a dynamic reference, which only AWS resolves: it cannot be read here",
        cure: "check the resolved value: authorizer-local config check")
      return
    }
    guard configuration.isThere else {
      let function = configuration.function
      let what =
        "no " + ([function.fileName] + function.configuringVariables.dropLast()).joined(separator: ", ")
        + " or " + (function.configuringVariables.last ?? "")
      let cure =
        "pack it with authorizer-local package\(function == .authorizer ? "" : " --name \(function.rawValue)")"
        + " --config FILE, or give the template's parameters with --parameter"
      if hasTemplate {
        findings.add(
          .configurationMissing, "configuration", "\(what): the function does not start", cure: cure)
      } else {
        findings.add(
          .configurationElsewhere, "configuration",
          "\(what) in the package; variables must configure the function",
          cure: cure)
      }
      return
    }
    do throws(ConfigurationError) {
      switch configuration.function {
      case .authorizer: examine(try configuration.settings())
      case .identity: examine(try configuration.identitySettings())
      }
    } catch {
      refuse(error)
    }
  }

  /// Adds the problems. A configuration that starts in development only has its own finding code.
  private mutating func refuse(_ error: ConfigurationError) {
    let isDevelopment = configuration.problems(development: true).isEmpty
    for name in outside.sorted() {
      findings.add(
        .configurationElsewhere, name, "the file is outside of the package: it cannot be read here",
        cure: "make sure that the file exists on AWS")
    }
    for problem in error.problems where !isExcused(problem) {
      findings.add(
        isDevelopment ? .developmentConfiguration : .configurationInvalid, problem.path, problem.message,
        cure: isDevelopment
          ? "configure the real issuer and its keys: authorizer-local keys fetch"
          : "correct it; authorizer-local config check reports the same problems")
    }
  }

  private func isExcused(_ problem: ConfigurationProblem) -> Bool {
    if excused.contains(where: { problem.message.hasBytePrefix("\($0): no such file") }) { return true }
    // A problem with a secret's file does not name the file, so all missing files must be excused.
    let missing = configuration.namedFiles.filter {
      configuration.package.file(PackagedConfiguration.relative($0)) == nil
    }
    return problem.message == "no such file" && !missing.isEmpty && excused.isSuperset(of: missing)
  }

  private mutating func examine(_ warning: ConfigurationProblem) {
    // The finding has the name of the warning.
    let code = warning.warning.flatMap { DeploymentFinding.Code(rawValue: "\($0)") } ?? .configurationWarning
    let cure = warning.warning.flatMap { Self.cures[$0] }
    findings.add(
      code, warning.path, warning.message,
      cure: cure ?? "see docs/rules.md: when this is safe, and what to write instead")
  }

  private static let cures: [ConfigurationProblem.Warning: String] = [
    .defaultAllow: "write \"default\": \"deny\" and grants (docs/rules.md)",
    .ruleWithoutEffect: "list the routes of the wider rule one by one (docs/rules.md)",
    .ownershipOfSeveralIssuers: "require one issuer in this rule (docs/rules.md)",
    .proofIgnored: "set \"refuse\" after the clients request unbound tokens (docs/bound-tokens.md)",
    .guestRouteNotGranted: "grant the route to callers with a token too (docs/guides/guests.md)",
    .guestRouteOverRule:
      "list the guest routes one by one, without those of the rule (docs/guides/guests.md)",
    .guestRouteWithoutEffect:
      "remove the guest route, or write rules that do not restrict it (docs/guides/guests.md)",
    .variableWithColon:
      "write {id} for a path variable; pass --accept variableWithColon if the path really has the colon",
    .scopeNeverSent: "require a claim or an issuer instead of scopes (docs/rules.md)",
    .emailSuffixWithoutAt: "write the suffix with @, such as \"@example.com\" (docs/rules.md)",
    .emailNotVerified: "require email_verified beside it, or a claim that names the tenant (docs/rules.md)",
    .repositoryNotNamed: "require repository or sub in the rules (docs/guides/github.md)",
    .methodsStayOpen:
      "name the resources and prompts too, or pass --accept methodsStayOpen (docs/rules.md)",
    .settingWithoutEffect: "remove the setting, or use policies as answers (docs/answers.md)",
  ]

  private mutating func examine(_ settings: Settings) {
    let document = configuration.document
    for warning in settings.warnings { examine(warning) }
    if case .file(let path)? = settings.revocation?.store {
      findings.add(
        .revocationFileUnwritten, "revocation.file",
        "\(path): nothing writes this file on Lambda, so every token of those issuers ends in an error",
        cure: "use \"dynamoDB\" with the identity function's table (docs/revocation.md)")
    }
    examineSecrets()
    var fetches = false
    for issuer in settings.issuers {
      let name = issuer.profile.name
      let deployed = ExplanationWords.count(issuer.keys.deployed)
      facts.append(("issuer \(name)", "\(issuer.profile.issuers.joined(separator: " or ")), \(deployed)"))
      guard case .published(let source) = issuer.keys else { continue }
      guard source.address != nil else {
        findings.add(
          .pinnedKeys, name, "its keys are pinned: a rotation needs a new deployment", cure: "none")
        continue
      }
      fetches = true
      if issuer.keys.deployed == nil {
        findings.add(
          .noSeed, name, "no seed: each cold start fetches its keys before the first answer",
          cure: "make a seed: authorizer-local keys fetch")
      }
    }
    for issuer in document?.list("issuers") ?? [] { examineSeed(issuer["keys"]) }
    var configured = DeployedConfiguration.standard
    configured.tokenSources = settings.tokenSources.map {
      switch $0 {
      case .header(let name): .header(name)
      case .cookie(let name): .cookie(name)
      case .query(let name): .query(name)
      }
    }
    if let cache = document?.word("gatewayCache").flatMap(DeployedConfiguration.Cache.init) {
      configured.cache = cache
    }
    configured.isSimple =
      (document?.word("httpApiAnswer") ?? document?["httpApiAnswer"]?.word("http2")) == "simple"
    configured.hasRules = document?["rules"] != nil
    configured.allowsByDefault = configured.hasRules && document?.word("default") == "allow"
    configured.allowsQueryTokens = settings.allowsQueryTokens
    configured.fetchMilliseconds = fetches ? settings.fetch.totalMilliseconds : nil
    for profile in settings.issuers.map(\.profile) {
      if case .check(let key, let certificate) = profile.proofOfPossession {
        configured.proofs.formUnion((key ? [.dpop] : []) + (certificate ? [.certificate] : []))
        configured.provenIssuers.formUnion(profile.issuers)
      }
      guard case .audience(let accepted) = profile.audience else { continue }
      for issuer in profile.issuers { configured.audiences[issuer, default: []].formUnion(accepted) }
    }
    configured.hasGuests = !settings.guestRoutes.isEmpty
    configured.routes = settings.writtenRoutes
    configured.toolRoutes = Self.toolRoutes(of: document)
    deployed = configured
  }

  /// The routes of rules that name something of MCP.
  private static func toolRoutes(of document: JSONTree?) -> [WrittenRoute] {
    (document?.list("rules") ?? []).enumerated().flatMap { index, rule in
      ["tools", "resources", "prompts"].allSatisfy { rule[$0] == nil }
        ? []
        : rule.list("routes").enumerated().compactMap { place, route in
          guard case .string(let text) = route else { return nil }
          return WrittenRoute(place: "rules[\(index)].routes[\(place)]", text: text)
        }
    }
  }
}
