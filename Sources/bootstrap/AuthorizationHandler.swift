import Authorizer
import LambdaRuntime

/// Joins the loop, which knows no tokens, to the authorizer, which knows no sockets.
struct AuthorizationHandler: InvocationHandler {
  private var authorizer: Authorizer<FetchProcessTransport>
  private let environment: FunctionEnvironment

  init(_ settings: Settings, _ environment: FunctionEnvironment) {
    let transport = FetchProcessTransport(settings.fetch, environment)
    authorizer = Authorizer(settings: settings, transport: transport, at: environment.unixMilliseconds / 1000)
    self.environment = environment
  }

  mutating func answer(to event: [UInt8], context: InvocationContext) -> InvocationAnswer {
    let started = environment.monotonicMicroseconds
    let now = environment.unixMilliseconds
    let budget = FetchBudget(deadlineMilliseconds: context.deadlineMilliseconds, nowMilliseconds: now)
    let decision = authorizer.decide(on: event, at: now / 1000, budget: budget)
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

  mutating func afterResponse(deadlineMilliseconds: Int64?) {
    let now = environment.unixMilliseconds
    let budget = FetchBudget(deadlineMilliseconds: deadlineMilliseconds, nowMilliseconds: now)
    authorizer.refreshKeys(at: now / 1000, budget: budget)
    for notice in authorizer.takeNotices() {
      environment.writeOutput(DecisionLog.line(notice, unixMilliseconds: now))
    }
  }
}
