import Authorizer
import LambdaRuntime

/// Joins the loop, which knows no tokens, to the authorizer, which knows no sockets.
struct AuthorizationHandler: InvocationHandler {
  private var authorizer: Authorizer
  private let environment: FunctionEnvironment

  init(_ settings: Settings, _ environment: FunctionEnvironment) {
    authorizer = Authorizer(settings: settings)
    self.environment = environment
  }

  mutating func answer(to event: [UInt8], context: InvocationContext) -> InvocationAnswer {
    let started = environment.monotonicMicroseconds
    let now = environment.unixMilliseconds
    let decision = authorizer.decide(on: event, at: now / 1000)
    let duration = environment.monotonicMicroseconds - started
    environment.writeOutput(
      DecisionLog.line(decision, requestID: context.requestID, unixMilliseconds: now, microseconds: duration))
    return switch decision.answer {
    case .policy(let policy): .response(policy)
    case .unauthorized:
      .failure(ErrorDocument(type: .function("unauthorized"), message: Answer.unauthorizedMessage))
    case .failure(let failure):
      .failure(ErrorDocument(type: .function(failure.reason.rawValue), message: failure.errorMessage))
    }
  }

  mutating func afterResponse(deadlineMilliseconds: Int64?) {}
}
