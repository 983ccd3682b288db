import Authorizer
import FunctionHost
import LambdaRuntime

/// Connects the runtime loop, which has no tokens, to the authorizer, which has no sockets.
struct Handler: InvocationHandler {
  var function: AuthorizerFunction

  mutating func answer(to event: [UInt8], context: InvocationContext) -> InvocationAnswer {
    let answer = function.answer(
      to: event, requestID: context.requestIDBytes, traceHeader: context.traceIDBytes,
      deadlineMilliseconds: context.deadlineMilliseconds)
    return switch answer {
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

extension Handler {
  /// Serves with this number of workers, of which this is the first, until an error or SIGTERM.
  consuming func serve(_ workers: WorkerCount, _ endpoint: RuntimeEndpoint) -> RuntimeExitStatus {
    guard workers.number > 1 else {
      let log = Self.logger(of: self)
      let api = RuntimeAPI(endpoint: endpoint)
      var loop = RuntimeLoop(api: api, slot: WorkerSlot(0, ownsEnvironment: true))
      return loop.run(handler: &self, log: log)
    }
    var handlers = [self]
    while handlers.count < workers.number, let other = handlers[0].function.forAnotherWorker() {
      handlers.append(Handler(function: other))
    }
    return Workers.run(handlers, endpoint: endpoint, log: Self.logger)
  }

  private static func logger(of handler: Handler) -> (RuntimeNotice) -> Void {
    let log = handler.function.log
    return { log.write($0.message, $0.level == .error ? .error : .warn, requestID: $0.requestID) }
  }
}
