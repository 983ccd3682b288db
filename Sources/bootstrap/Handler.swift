import Authorizer
import LambdaRuntime

/// Joins the loop, which knows no tokens, to the authorizer, which knows no sockets.
struct Handler: InvocationHandler {
  var function: AuthorizerFunction

  mutating func answer(to event: [UInt8], context: InvocationContext) -> InvocationAnswer {
    let deadline = context.deadlineMilliseconds
    return switch function.answer(to: event, requestID: context.requestID, deadlineMilliseconds: deadline) {
    case .response(let response): .response(response)
    case .unauthorized:
      .failure(ErrorDocument(type: .function("unauthorized"), message: Answer.unauthorizedMessage))
    case .failure(let failure):
      .failure(ErrorDocument(type: .function(failure.reason.rawValue), message: failure.errorMessage))
    }
  }

  mutating func afterResponse(deadlineMilliseconds: Int64?) {
    function.afterResponse(deadlineMilliseconds: deadlineMilliseconds)
  }
}
