import Authorizer
import Identity
import LambdaRuntime
import UserStore

/// Joins the loop, which knows no users, to the identity function, which knows no sockets.
struct Handler<Store: UserStore>: InvocationHandler {
  var function: IdentityFunction<Store>

  mutating func answer(to event: [UInt8], context: InvocationContext) -> InvocationAnswer {
    let deadline = context.deadlineMilliseconds
    return switch function.answer(to: event, requestID: context.requestID, deadlineMilliseconds: deadline) {
    case .response(let response): .response(response)
    case .failure(let code, let message): .failure(ErrorDocument(type: .function(code), message: message))
    }
  }

  mutating func afterResponse(deadlineMilliseconds: Int64?) {
    function.afterResponse(deadlineMilliseconds: deadlineMilliseconds)
  }

  /// Serves on the one thread that there is.
  static func serve(alone handler: inout Handler, _ endpoint: RuntimeEndpoint) -> RuntimeExitStatus {
    let log = handler.logger
    var loop = RuntimeLoop(
      api: RuntimeAPI(endpoint: endpoint), lane: InvocationLane(0, ownsEnvironment: true))
    return loop.run(handler: &handler, log: log)
  }

  /// What takes the loop's notices.
  var logger: (RuntimeNotice) -> Void {
    let log = function.log
    return { log.write($0.message, $0.level == .error ? .error : .warn, requestID: $0.requestID) }
  }
}
