package import FunctionHost
import IssuerKeys
import JOSE
import JSON

extension Settings {
  /// Reads the configuration of this environment: `AUTHORIZER_CONFIG`, or the short form for one issuer.
  ///
  /// - Throws: `ConfigurationError` with all problems.
  package init(reading source: some ConfigurationSource) throws(ConfigurationError) {
    self = try source.settings { problems in
      if let short = ShortForm(source) { return short.settings(source, problems) }
      var reader = source.reader(
        variable: "AUTHORIZER_CONFIG", file: "authorizer.json",
        hint: "set it to a path or to inline JSON, or set AUTHORIZER_ISSUER", problems)
      return reader?.settings(source)
    }
  }
}

extension ObjectReader {
  fileprivate mutating func settings(_ source: some ConfigurationSource) -> Settings? {
    _ = value("$schema")
    var issuers = issuers(source)
    let cache = word("gatewayCache", GatewayCache.self) ?? .token
    let sources = tokenSources(cache)
    checkPossession(of: issuers, cache, sources)
    let allowsQueryTokens = boolean("allowQueryTokens") ?? false
    // An entry that could not be read has a name too, so the list of names is then incomplete.
    let isWhole = issuers.count == value("issuers").map { Array($0.elements).count }
    let named = isWhole ? issuers.map { (name: $0.profile.name, isApple: $0.isApple) } : nil
    let rules = accessRules(of: named)
    let guests = guestRoutes(cache, rules)
    // Rules with problems count as rules, so that all problems are reported at once.
    let answers = answerStyles(hasRules: value("rules") != nil, cache)
    let isRouteARNConcrete = boolean("routeArnIsConcrete")
    let verdicts = integer("verdictCache", in: 0...Int64(VerdictCache.maximumEntries)) ?? 0
    let revocation = revocationSettings(of: isWhole ? issuers : nil)
    issuers.add(revocation?.lookups ?? [])
    let fetch = fetchSettings(source)
    let log = logSettings()
    finish()
    guard problems.problems.isEmpty else { return nil }
    return Settings(
      issuers: issuers,
      places: CredentialPlaces(
        sources: sources, allowsQuery: allowsQueryTokens,
        acceptsDPoP: issuers.contains { $0.profile.proofOfPossession.acceptsDPoP }),
      gatewayCache: cache, rules: rules, guests: guests, answers: answers,
      isRouteARNConcrete: isRouteARNConcrete ?? false,
      warnings: (rules?.warnings(issuers: issuers.count) ?? []) + (guests?.warnings(rules) ?? [])
        + answers.warnings + issuers.proofWarnings(sources) + issuers.scopeWarnings(rules),
      verdictCacheEntries: Int(verdicts), revocation: revocation, fetch: fetch, log: log,
      isDevelopment: source.isDevelopment)
  }

  private mutating func tokenSources(_ cache: GatewayCache) -> [TokenSource] {
    guard let texts = texts("tokenSources") else { return [.header("authorization")] }
    var sources: [TokenSource] = []
    for (index, text) in texts.enumerated() {
      guard let source = TokenSource(parsing: text) else {
        add("tokenSources[\(index)]", "header:<name>, cookie:<name> or query:<name> is expected")
        continue
      }
      if sources.contains(source) { add("tokenSources[\(index)]", "duplicate") }
      sources.append(source)
    }
    // API Gateway requires every identity source of a caching authorizer, so two sources would require two tokens.
    if cache != .off, texts.count > 1, !problems.concerns("gatewayCache") {
      add(
        "tokenSources",
        "a caching gateway needs exactly one source; remove the others or set \"gatewayCache\": \"off\"")
    }
    return sources
  }
}
