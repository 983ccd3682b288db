public import FunctionHost
import IssuerKeys
import JOSE
package import JSON

extension Settings {
  /// Reads the configuration of this environment: `AUTHORIZER_CONFIG`, or the short form for one issuer.
  ///
  /// - Throws: `ConfigurationError` with all problems.
  public init(reading source: some ConfigurationSource) throws(ConfigurationError) {
    let problems = ProblemList()
    let development = source.isDevelopment
    if let problem = ClockOffset.problem(source) { problems.add(ClockOffset.variable, problem) }
    let settings: Settings?
    if let short = ShortForm(source) {
      settings = short.settings(source, problems, development: development)
    } else {
      let document = source.document(
        variable: "AUTHORIZER_CONFIG", file: "authorizer.json",
        hint: "set it to a path or to inline JSON, or set AUTHORIZER_ISSUER", problems)
      settings = document.flatMap { document in
        SettingsReader(source: source, problems: problems, development: development).settings(document)
      }
    }
    guard problems.problems.isEmpty, let settings else {
      throw ConfigurationError(problems: problems.problems)
    }
    self = settings
  }
}

/// The JSON form.
package struct SettingsReader<Source: ConfigurationSource> {
  let source: Source
  let problems: ProblemList
  let development: Bool

  package init(source: Source, problems: ProblemList, development: Bool) {
    self.source = source
    self.problems = problems
    self.development = development
  }

  func settings(_ document: JSONValue) -> Settings? {
    guard var reader = ObjectReader(document, path: "", problems) else { return nil }
    _ = reader.value("$schema")
    let issuers = issuers(&reader)
    let cache = reader.word("gatewayCache", GatewayCache.self) ?? .token
    let sources = tokenSources(&reader, cache)
    let allowsQueryTokens = reader.boolean("allowQueryTokens") ?? false
    // An entry that could not be read has a name too, so the list of names is then incomplete.
    let isWhole = issuers.count == reader.value("issuers").map { Array($0.elements).count }
    let names = isWhole ? issuers.map { $0.profile.name } : nil
    let rules = RulesReader(problems: problems, issuerNames: names).rules(&reader)
    // Rules with problems count as rules, so that all problems are reported at once.
    let answers = reader.answerStyles(hasRules: reader.value("rules") != nil, cache)
    let isRouteARNConcrete = reader.boolean("routeArnIsConcrete")
    if let rules, rules.needsConcretePath, answers.isSimpleOnHTTP2, isRouteARNConcrete != true {
      let flaw = isRouteARNConcrete == nil ? "missing" : "must be true"
      reader.add(
        Settings.routeARNIsConcrete,
        flaw
          + ": these rules need the path of a request; without it no HTTP API with simple answers works"
      )
    }
    let verdicts = reader.integer("verdictCache", in: 0...Int64(VerdictCache.maximumEntries)) ?? 0
    let revocation = reader.revocationSettings(
      of: isWhole ? issuers.map { ($0.profile.name, $0.isApple) } : nil)
    let fetch = reader.fetchSettings(source)
    let log = LogSettings(&reader)
    reader.finish()
    guard problems.problems.isEmpty else { return nil }
    return Settings(
      issuers: issuers, tokenSources: sources, allowsQueryTokens: allowsQueryTokens, gatewayCache: cache,
      rules: rules, answers: answers, isRouteARNConcrete: isRouteARNConcrete ?? false,
      warnings: (rules?.warnings(issuers: issuers.count, isRouteARNConcrete: isRouteARNConcrete) ?? [])
        + answers.warnings + issuers.proofWarnings,
      verdictCacheEntries: Int(verdicts), revocation: revocation, fetch: fetch, log: log,
      isDevelopment: development)
  }

  private func issuers(_ reader: inout ObjectReader) -> [Settings.IssuerSettings] {
    guard let list = reader.value("issuers"), list.kind == .array, !list.elements.isEmpty else {
      reader.add("issuers", "a non-empty list is expected")
      return []
    }
    var issuers: [Settings.IssuerSettings] = []
    var taken = TakenIssuers()
    for (index, value) in list.elements.enumerated() {
      let path = "issuers[\(index)]"
      guard let draft = IssuerDraft(value, path: path, problems) else { continue }
      let preset = preset(draft)
      if let issuer = issuer(draft, preset) { issuers.append(issuer) }
      taken.add(draft, preset, path: path, problems)
    }
    return issuers
  }

  private func tokenSources(_ reader: inout ObjectReader, _ cache: GatewayCache) -> [TokenSource] {
    guard let texts = reader.texts("tokenSources") else { return [.header("authorization")] }
    var sources: [TokenSource] = []
    for (index, text) in texts.enumerated() {
      guard let source = TokenSource(parsing: text) else {
        reader.add("tokenSources[\(index)]", "header:<name>, cookie:<name> or query:<name> is expected")
        continue
      }
      if sources.contains(source) { reader.add("tokenSources[\(index)]", "duplicate") }
      sources.append(source)
    }
    // API Gateway requires every identity source of a caching authorizer, so two sources would require two tokens.
    if cache != .off, texts.count > 1, !problems.concerns("gatewayCache") {
      reader.add(
        "tokenSources",
        "a caching gateway needs exactly one source; remove the others or set \"gatewayCache\": \"off\"")
    }
    return sources
  }

  func preset(_ draft: IssuerDraft) -> IssuerPreset? { draft.resolvedPreset(problems) }

  /// Returns one issuer, from either form.
  func issuer(_ draft: IssuerDraft, _ preset: IssuerPreset?) -> Settings.IssuerSettings? {
    let profile = draft.profile(preset, problems, development: development)
    let keys = keys(draft, preset)
    guard let profile, let keys else { return nil }
    return draft.settings(profile, keys)
  }

  /// Returns the keys that verify an issuer's signatures; a preset knows the URL of its keys.
  func keys(_ draft: IssuerDraft, _ preset: IssuerPreset?) -> IssuerKeyMaterial? {
    let path = draft.path(of: "keys")
    guard !problems.concerns(path) else { return nil }
    let isReadable = !problems.concerns(draft.path(of: "algorithms"))
    let entry = KeysDraft.Entry(
      algorithms: isReadable ? draft.algorithms(preset) : nil,
      isFixedByPreset: draft.isFixed(by: preset, problems), presetAddress: preset?.keysURL)
    guard draft.keys != nil || entry.isFixedByPreset else {
      addMissingKeys(draft, entry.algorithms)
      return nil
    }
    return (draft.keys ?? KeysDraft(path: path)).material(source, entry, problems, development: development)
  }

  func addMissingKeys(_ draft: IssuerDraft, _ algorithms: [Algorithm]?) {
    let what =
      if draft.isShortForm {
        "the address of a key set or the path of a key set file"
      } else if algorithms?.contains(where: { $0.isSymmetric }) ?? false {
        "HMAC algorithms need a \"secret\""
      } else {
        "the \"url\" of this issuer's key set"
      }
    draft.addMissing("keys", what, problems)
  }
}

/// The names and issuers of the entries so far. A token must match one entry, and a log line one name.
private struct TakenIssuers {
  private var issuers: [String] = []
  private var names: [String] = []

  mutating func add(
    _ draft: IssuerDraft, _ preset: IssuerPreset?, path: String, _ problems: ProblemList
  ) {
    for issuer in draft.issuers(preset) {
      if Self.contains(issuers, issuer) { problems.add(path, "another entry has the issuer \(issuer)") }
      issuers.append(issuer)
    }
    guard let name = draft.name(preset) else { return }
    if Self.contains(names, name) { problems.add(path, "another entry has the name \(name)") }
    names.append(name)
  }

  private static func contains(_ texts: [String], _ text: String) -> Bool {
    texts.contains { $0.utf8.elementsEqual(text.utf8) }
  }
}

extension JSONElements {
  fileprivate var isEmpty: Bool {
    var copy = self
    return copy.next() == nil
  }
}
