import FunctionHost
import Identity
import LambdaRuntime
import UserStore

/// Connects the runtime loop to the identity function.
struct Handler<Store: UserStore>: InvocationHandler {
  var function: IdentityFunction<Store>

  mutating func answer(to event: [UInt8], context: InvocationContext) -> InvocationAnswer {
    let answer = function.answer(
      to: event, requestID: context.requestID, traceHeader: context.traceID,
      deadlineMilliseconds: context.deadlineMilliseconds)
    return switch answer {
    case .response(let response): .response(response)
    case .failure(let code, let message): .failure(ErrorDocument(type: .function(code), message: message))
    }
  }

  mutating func afterResponse(deadlineMilliseconds: Int64?) {
    function.afterResponse(deadlineMilliseconds: deadlineMilliseconds)
  }

  /// Serves on the calling thread, with one worker.
  static func serve(single handler: inout Handler, _ endpoint: RuntimeEndpoint) -> RuntimeExitStatus {
    let log = handler.logger
    var loop = RuntimeLoop(
      api: RuntimeAPI(endpoint: endpoint), slot: WorkerSlot(0, ownsEnvironment: true))
    return loop.run(handler: &handler, log: log)
  }

  /// Writes the loop's notices to the log.
  var logger: (RuntimeNotice) -> Void {
    let log = function.log
    return { log.write($0.message, $0.level == .error ? .error : .warn, requestID: $0.requestID) }
  }
}
