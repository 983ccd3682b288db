internal import Text
package import IAMPolicy

/// What decides about every request to an API, before and beside its authorizers.
package struct APIAccess: Equatable, Sendable {
  /// The resource policy of a REST API; `nil` without one.
  package var resourcePolicy: PolicyDocument?
  /// Whether only VPC endpoints reach the API. Which one a request used is unknown here.
  package var isPrivate = false
  /// Where the API key of a request is.
  package var keySource = APIKeySource.header
  /// The API keys of the template.
  package var keys: [APIKey] = []
  /// The usage plans of the stage.
  package var plans: [UsagePlan] = []
  /// Whether the address `execute-api` answers; `false` for `DisableExecuteApiEndpoint`.
  package var hasDefaultEndpoint = true

  /// Creates the access of an API that nothing guards.
  package init() {}

  /// The key with this value, and its plan.
  ///
  /// - Returns: `nil` if no key has the value, or if the key is disabled or in no plan of the stage: API Gateway
  /// refuses   all three alike ("Usage plans and API keys for REST APIs").
  package func use(ofKey value: String) -> (key: APIKey, plan: UsagePlan)? {
    guard
      let key = keys.first(where: {
        $0.isEnabled && $0.value.map { $0.utf8.elementsEqual(value.utf8) } == true
      }),
      let plan = plans.first(where: { $0.keys.contains { $0.hasSameBytes(as: key.name) } })
    else { return nil }
    return (key, plan)
  }
}
