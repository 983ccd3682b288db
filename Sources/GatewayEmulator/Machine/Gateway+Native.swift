package import GatewayModel

/// The authorizers of API Gateway itself, which call no function.
extension Gateway {
  /// Decides by a token: a JWT authorizer of an HTTP API, or a Cognito authorizer of a REST API.
  package func decide(
    _ exchange: Exchange, by authorizer: TokenAuthorizer, _ scopes: [String], _ state: State
  ) -> Step {
    guard let keys = trust.keys else {
      return close(
        exchange, authorizer.name, "serve has no keys for the tokens of its issuer",
        cure: "serve without --real-keys, and use tokens of POST /dev/token")
    }
    if let issuer = keys.firstMissing(authorizer.issuers(exchange.api.stage.variables)) {
      return close(
        exchange, authorizer.name, "serve has no keys of \(issuer)",
        cure: "see the lines at the start of serve, or serve without --real-keys")
    }
    let value = authorizer.source.value(
      in: exchange, isRESTStrict: exchange.isREST && settings.restHeaderNames == .exact)
    let verdict = authorizer.verdict(
      on: value, scopes: scopes, stageVariables: exchange.api.stage.variables, keys: keys,
      at: exchange.identity.unixMilliseconds)
    switch verdict {
    case .refused(let reason):
      return refuse(
        .native(reason.answer), exchange,
        .used(authorizer.name, .native, reason.decision, reason: reason.code))
    case .allowed(let grant):
      return integrate(
        exchange, .native(grant, at: exchange.identity.unixMilliseconds / 1000), latencyMilliseconds: 0,
        .used(authorizer.name, .native, "the token is valid"), state: state)
    }
  }

  /// Decides by the signature of the request (`AWS_IAM`). The development user may invoke every route.
  func decideBySignature(_ exchange: Exchange, _ state: State) -> Step {
    let name = "AWS_IAM"
    guard !trust.accessKeys.isEmpty else {
      return close(
        exchange, name, "there is no access key that could sign requests",
        cure: "test the route on AWS")
    }
    let verdict = SignatureVerdict(
      of: exchange.request, region: place.region, accessKeys: trust.accessKeys,
      at: exchange.identity.unixMilliseconds)
    switch verdict {
    case .refused(let reason):
      return refuse(
        .native(reason.answer), exchange, .used(name, .native, reason.decision, reason: reason.code))
    case .allowed(let key):
      let caller = SignedCaller(
        accessKey: key.identifier, partition: place.partition, account: place.account)
      var exchange = exchange
      exchange.caller = caller
      return integrate(
        exchange, .native(.signature(caller), at: exchange.identity.unixMilliseconds / 1000),
        latencyMilliseconds: 0, .used(name, .native, "the signature is valid"), state: state)
    }
  }

  private func close(_ exchange: Exchange, _ name: String, _ problem: String, cure: String) -> Step {
    let finding = TemplateFinding(path: name, problem: problem, cure: cure)
    return refuse(.notEmulated(finding), exchange, .unused("the route is closed: \(problem)"))
  }
}
