internal import GatewayModel

/// The authorizers of API Gateway itself, which call no function.
extension Gateway {
  /// Decides by a token: a JWT authorizer, or a Cognito authorizer of a REST API.
  func authorize(
    _ exchange: RequestContext, by authorizer: TokenAuthorizer, _ scopes: [String]
  ) -> AuthorizerResult {
    guard let keys = trust.keys else {
      return close(
        exchange, of: authorizer.name, problem: "serve has no keys for the tokens of its issuer",
        cure: "serve without --real-keys, and use tokens of POST /dev/token")
    }
    if let issuer = keys.firstMissing(authorizer.issuers(exchange.api.stage.variables)) {
      return close(
        exchange, of: authorizer.name, problem: "serve has no keys of \(issuer)",
        cure: "see the lines at the start of serve, or serve without --real-keys")
    }
    let values = authorizer.source.values(
      in: exchange, isRESTStrict: exchange.isREST && settings.restHeaderNames == .exact)
    let verdict = authorizer.verdict(
      on: values.joined(separator: ","), scopes: scopes, stageVariables: exchange.api.stage.variables,
      keys: keys,
      at: exchange.identity.unixMilliseconds, absent: settings.restAbsentClaim)
    switch verdict {
    case .refused(let reason):
      return .refused(
        refuse(
          .native(reason.answer(of: authorizer.kind)), exchange,
          .used(authorizer.name, .native, reason.decision, reason: reason.code)))
    case .allowed(let grant):
      return .authorized(
        AuthorizedRequest(
          exchange: exchange, grant: .native(grant, at: exchange.identity.unixMilliseconds / 1000),
          use: .used(authorizer.name, .native, "the token is valid")))
    }
  }

  /// Decides by the signature of the request (`AWS_IAM`). The development user may invoke every route.
  func authorizeBySignature(_ exchange: RequestContext) -> AuthorizerResult {
    let name = "AWS_IAM"
    guard !trust.accessKeys.isEmpty else {
      return close(
        exchange, of: name, problem: "there is no access key that could sign requests",
        cure: "test the route on AWS")
    }
    let verdict = SignatureVerdict(
      of: exchange.request, region: served.location.region, accessKeys: trust.accessKeys,
      at: exchange.identity.unixMilliseconds)
    switch verdict {
    case .refused(let reason):
      return .refused(
        refuse(
          .native(reason.answer), exchange, .used(name, .native, reason.decision, reason: reason.code)))
    case .allowed(let key):
      let caller = SignedCaller(
        accessKey: key.identifier, partition: served.location.partition, account: served.location.account)
      var exchange = exchange
      exchange.caller = caller
      return .authorized(
        AuthorizedRequest(
          exchange: exchange,
          grant: .native(.signature(caller), at: exchange.identity.unixMilliseconds / 1000),
          use: .used(name, .native, "the signature is valid")))
    }
  }

  private func close(
    _ exchange: RequestContext, of name: String, problem: String, cure: String
  ) -> AuthorizerResult {
    let finding = Diagnostic(path: name, problem: problem, cure: cure)
    return .refused(
      refuse(.notEmulated(finding), exchange, .unused("the route is closed: \(problem)")))
  }
}
