import Authorizer
import Identity
import LambdaRuntime
import UserStore

/// What is known before there is a handler.
struct Start {
  let environment: FunctionEnvironment
  let endpoint: RuntimeEndpoint

  init(_ environment: FunctionEnvironment, _ endpoint: RuntimeEndpoint) {
    self.environment = environment
    self.endpoint = endpoint
  }

  /// Serves with as many workers as Lambda asks for, each with a store of its own.
  func serve<Store: UserStore>(
    _ settings: IdentitySettings, _ makeStore: () throws(StoreError) -> Store
  ) -> RuntimeExitStatus {
    let workers: WorkerCount
    do {
      workers = try WorkerCount(parsing: environment.variable(WorkerCount.variable))
    } catch {
      return refuse("invalidConfiguration", error.description)
    }
    var handlers: [Handler<Store>] = []
    do throws(StoreError) {
      handlers.append(Handler(function: IdentityFunction(settings, store: try makeStore(), environment)))
      while handlers.count < workers.number {
        guard let other = handlers[0].function.forAnotherWorker(store: try makeStore()) else { break }
        handlers.append(Handler(function: other))
      }
    } catch {
      return refuse(error.code, error.code + ": " + error.detail)
    }
    guard handlers.count > 1 else { return Handler.serve(alone: &handlers[0], endpoint) }
    return Workers.run(handlers, endpoint: endpoint, log: { $0.logger })
  }

  /// Says why it cannot start, to the log and to Lambda.
  func refuse(_ code: String, _ description: String) -> RuntimeExitStatus {
    environment.writeError(Array((description + "\n").utf8))
    var api = RuntimeAPI(endpoint: endpoint)
    _ = try? api.reportInitializationFailure(ErrorDocument(type: .function(code), message: description))
    return .configuration
  }
}

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
