internal import Authorizer
internal import Emulator
internal import JOSE
internal import JSON

/// What a deployed configuration is good for.
struct DoctorConfiguration {
  private(set) var findings: [DeploymentFinding] = []
  var facts: [(name: String, value: String)] = []
  /// What matters to the template; `nil` where the function would not start.
  private(set) var deployed: DeployedConfiguration?
  /// The same of the function that signs users in.
  var identity: DeployedIdentity?
  let configuration: PackagedConfiguration
  private let excused: Set<String>
  /// Files that are named and lie elsewhere, as those of a layer do ("Lambda layers", `/opt`).
  private let outside: Set<String>

  /// - Parameters:
  ///   - hasTemplate: whether all variables of the function are known.
  ///   - earlier: what has been found about its files.
  ///   - excused: files whose absence has been told of.
  init(
    _ configuration: PackagedConfiguration, hasTemplate: Bool,
    after earlier: [DeploymentFinding] = [], excused: Set<String> = []
  ) {
    findings = earlier
    self.configuration = configuration
    outside = Set(
      configuration.namedFiles.filter { PackagedConfiguration.relative($0).hasPrefix("/") })
    self.excused = excused.union(outside)
    if let value = configuration.variables["AUTHORIZER_DEVELOPMENT"], !value.isEmpty {
      add(
        .developmentVariable, "AUTHORIZER_DEVELOPMENT",
        "the deployed function accepts development keys with it",
        cure: "take the variable out of the template")
    }
    if configuration.isShadowed {
      add(
        .configurationShadowed, configuration.function.fileName,
        "it is deployed, and \(configuration.function.variable) of the template counts in its place",
        cure: "take one of the two out: what stands in a file that is not read holds nowhere")
    }
    if let name = Self.variables(of: configuration.function).first(where: configuration.isUnknown) {
      add(
        .configurationElsewhere, name, "a dynamic reference, which AWS alone resolves: not readable here",
        cure: "authorizer-local config check reads what it stands for")
      return
    }
    guard configuration.isThere else {
      let function = configuration.function
      let what =
        "no " + ([function.fileName] + function.configuringVariables.dropLast()).joined(separator: ", ")
        + " or " + (function.configuringVariables.last ?? "")
      let cure =
        "make package \(function.variable)_FILE=…, or give the template's parameters by --parameter"
      if hasTemplate {
        add(.configurationMissing, "configuration", "\(what): the function does not start", cure: cure)
      } else {
        add(
          .configurationElsewhere, "configuration", "\(what) in the package; variables have to give it",
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

  /// The variables without which nothing is known of a configuration.
  private static func variables(of function: ShippedFunction) -> [String] {
    function.configuringVariables
      + (function == .authorizer ? ["AUTHORIZER_AUDIENCE", "AUTHORIZER_KEYS"] : [])
  }

  mutating func add(
    _ code: DeploymentFinding.Code, _ place: String, _ problem: String, cure: String
  ) {
    findings.append(DeploymentFinding(code, place, problem, cure: cure))
  }

  /// Whether it would start in development only is worth a finding of its own.
  private mutating func refuse(_ error: ConfigurationError) {
    let isDevelopment = configuration.problems(development: true).isEmpty
    for name in outside.sorted() {
      add(
        .configurationElsewhere, name, "it lies outside of the package: not readable here",
        cure: "see that it is there on AWS")
    }
    for problem in error.problems where !isExcused(problem) {
      add(
        isDevelopment ? .developmentConfiguration : .configurationInvalid, problem.path, problem.message,
        cure: isDevelopment
          ? "name the real issuer and its keys: authorizer-local keys fetch"
          : "correct it; authorizer-local config check reads it the same way")
    }
  }

  private func isExcused(_ problem: ConfigurationProblem) -> Bool {
    if excused.contains(where: { problem.message.hasPrefix("\($0): no such file") }) { return true }
    // A problem with the file of a secret does not name it: then all that are missing have to be excused.
    let missing = configuration.namedFiles.filter {
      configuration.package.file(PackagedConfiguration.relative($0)) == nil
    }
    return problem.message == "no such file" && !missing.isEmpty && excused.isSuperset(of: missing)
  }

  private mutating func examine(_ settings: Settings) {
    let document = configuration.document
    for warning in settings.warnings {
      let isProof = warning.path.hasSuffix(".proofOfPossession")
      add(
        .configurationWarning, warning.path, warning.message,
        cure: isProof
          ? "\"refuse\", once clients ask for unbound tokens (docs/upgrade.md)"
          : "docs/rules.md says when it is safe, and what else to write")
    }
    if case .file(let path)? = settings.revocation?.store {
      add(
        .configurationWarning, "revocation.file",
        "\(path): nobody writes it on a deployed function's disk, so no token of those issuers gets an answer",
        cure: "\"dynamoDB\" with the identity function's table (docs/revocation.md)")
    }
    for name in configuration.standIns.keys.sorted()
    where (configuration.variables[name] ?? "").isEmpty || configuration.isUnknown(name) {
      add(
        .secretAssumed, name, "its value is not known here, and taken for a sound secret",
        cure: "set the variable")
    }
    var fetches = false
    for issuer in settings.issuers {
      let name = issuer.profile.name
      let deployed = ExplanationWords.count(issuer.keys.deployed)
      facts.append(("issuer \(name)", "\(issuer.profile.issuers.joined(separator: " or ")), \(deployed)"))
      guard case .published(let source) = issuer.keys else { continue }
      guard source.address != nil else {
        add(.pinnedKeys, name, "its keys are pinned: a rotation needs a new deployment", cure: "none")
        continue
      }
      fetches = true
      if issuer.keys.deployed == nil {
        add(
          .noSeed, name, "no seed: each cold start fetches its keys before the first answer",
          cure: "authorizer-local keys fetch makes a seed")
      }
    }
    for issuer in document?.list("issuers") ?? [] { examineSeed(issuer["keys"]) }
    deployed = DeployedConfiguration(
      tokenSources: settings.tokenSources.map {
        switch $0 {
        case .header(let name): .header(name)
        case .cookie(let name): .cookie(name)
        case .query(let name): .query(name)
        }
      },
      cache: document?.word("gatewayCache").flatMap { DeployedConfiguration.Cache(rawValue: $0) } ?? .token,
      isSimple: (document?.word("httpApiAnswer") ?? document?["httpApiAnswer"]?.word("http2")) == "simple",
      hasRules: document?["rules"] != nil,
      allowsByDefault: document?["rules"] != nil && document?.word("default") == "allow",
      allowsQueryTokens: settings.allowsQueryTokens,
      fetchMilliseconds: fetches ? settings.fetch.totalMilliseconds : nil)
  }
}

extension JSONTree {
  /// A member that is text.
  func word(_ name: String) -> String? {
    if case .string(let text)? = self[name] { text } else { nil }
  }

  /// A member that is a whole number.
  func integer(_ name: String) -> Int64? {
    if case .number(let text)? = self[name] { Int64(text) } else { nil }
  }
}
