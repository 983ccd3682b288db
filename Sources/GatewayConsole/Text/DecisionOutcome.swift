internal import GatewayEmulator

/// The result of a request, in the words of contract tests where they have one.
enum DecisionOutcome: String {
  case allowed
  /// An authorizer or a policy denied it: 403.
  case forbidden
  /// The caller is unknown: 401.
  case unauthorized
  /// The authorizer failed: 500.
  case failure
  case open
  /// The route is closed here, because something that guards it is not emulated: 501.
  case closed
  /// The gateway refused the request for another reason: no route, a limit, an API key.
  case refused

  init(of served: CompletedRequest) {
    switch served.refusal {
    case nil: self = served.record.authorizer == nil ? .open : .allowed
    case .unauthorized?: self = .unauthorized
    case .accessDenied?, .resourcePolicy?: self = .forbidden
    case .authorizerFailed?: self = .failure
    case .notEmulated?: self = .closed
    case .native?:
      // These answers cannot be changed by the template into ones of another class.
      self = served.record.status == 401 ? .unauthorized : .forbidden
    default: self = .refused
    }
  }
}
