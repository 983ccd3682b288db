internal import GatewayModel

/// Checks of APIs whose authorizer allows requests without a token (`anonymous`).
extension TemplateInspection {
  /// Reports what keeps requests without a token from the authorizer: API Gateway answers 401 itself if an identity
  /// source is absent or empty (API Gateway Developer Guide, "Use API Gateway Lambda authorizers").
  mutating func inspectGuests(
    of api: GatewayAPI, _ configurations: [String: DeployedConfiguration]
  ) {
    for authorizer in Self.authorizers(of: api)
    where configurations[authorizer.function]?.hasGuests == true {
      let place = "\(api.name).\(authorizer.name)"
      if case .token = authorizer.form {
        findings.add(
          .guestsNotCarried, place,
          "API Gateway does not invoke a TOKEN authorizer without a token: guests get a 401",
          cure: "write FunctionPayloadType: REQUEST (SAM) or Type: REQUEST, without identity sources")
        continue
      }
      if !authorizer.identitySources.isEmpty {
        let sources = authorizer.identitySources.map(\.description).joined(separator: " and ")
        // AWS documents the check of a REST API for authorizers that cache.
        let isCertain = authorizer.eventKind != .restRequest || authorizer.timeToLiveSeconds > 0
        findings.add(
          .guestsNotCarried, place,
          "it names \(sources) as identity sources: API Gateway \(isCertain ? "answers" : "may answer") requests without"
            + " them 401, and does not invoke the authorizer",
          cure: "remove the identity sources and set the TTL to 0")
      }
      if authorizer.timeToLiveSeconds > 0 {
        findings.add(
          .guestsCached, place,
          "it caches answers for \(authorizer.timeToLiveSeconds) s, but the configuration has guests, who have nothing"
            + " that could be a cache key",
          cure: "set the TTL to 0")
      }
    }
  }
}
