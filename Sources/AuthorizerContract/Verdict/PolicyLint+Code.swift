internal import IAMPolicy

extension PolicyLint {
  /// The kinds of findings; the names are stable.
  package enum Code: String, CaseIterable, Sendable {
    case narrowPolicy, wideWildcard, otherAPI, resourceTooLong, answerTooLarge
    case principalMissing, principalEmpty, conditionNull, literalVariable, setOperatorOnOneValue
    case contextType, contextName, booleanAsText

    /// How to fix it.
    package var cure: String {
      switch self {
      case .narrowPolicy:
        "allow everything that the token may access (stage/*), set the TTL to 0, or cache by route"
      case .wideWildcard:
        "use the region, account and API of the request's ARN; use * for stage, method and path only"
      case .otherAPI: "build the ARN from methodArn or routeArn of the event"
      case .resourceTooLong: "allow a shorter prefix followed by *"
      case .answerTooLarge: "remove claims from the context"
      case .principalMissing: "add principalId, a string that identifies the caller"
      case .principalEmpty: "return the caller's ID, or Unauthorized if there is none"
      case .conditionNull: "remove Condition; API Gateway returns 500"
      case .literalVariable: "add \"Version\": \"2012-10-17\""
      case .setOperatorOnOneValue: "remove ForAllValues: or ForAnyValue:"
      case .contextType: "write it as a string, such as JSON text, or remove it; API Gateway returns 500"
      case .contextName: "rename it"
      case .booleanAsText: "write true or false without quotation marks"
      }
    }
  }
}
