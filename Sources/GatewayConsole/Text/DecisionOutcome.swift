internal import GatewayEmulator

enum DecisionOutcome: String {
  case allow
  /// An authorizer or a policy denied it: 403.
  case deny
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
    case nil: self = served.record.authorizer == nil ? .open : .allow
    case .unauthorized?: self = .unauthorized
    case .accessDenied?, .resourcePolicy?: self = .deny
    case .authorizerFailed?: self = .failure
    case .notEmulated?: self = .closed
    case .native?:
      // These answers cannot be changed by the template into ones of another class.
      self = served.record.status == 401 ? .unauthorized : .deny
    default: self = .refused
    }
  }
}
