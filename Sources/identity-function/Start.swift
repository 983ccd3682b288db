import FunctionHost
import Identity
import LambdaRuntime
import UserStore

/// The environment and endpoint that are known before a handler exists.
struct Start {
  let environment: FunctionEnvironment
  let endpoint: RuntimeEndpoint

  init(_ environment: FunctionEnvironment, _ endpoint: RuntimeEndpoint) {
    self.environment = environment
    self.endpoint = endpoint
  }

  /// Serves with the number of workers that Lambda requests, each with its own store.
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
    guard handlers.count > 1 else { return Handler.serve(single: &handlers[0], endpoint) }
    return Workers.run(handlers, endpoint: endpoint, log: { $0.logger })
  }

  /// Reports to the log and to Lambda why the function cannot start.
  func refuse(_ code: String, _ description: String) -> RuntimeExitStatus {
    environment.writeError(Array((description + "\n").utf8))
    var api = RuntimeAPI(endpoint: endpoint)
    _ = try? api.reportInitializationFailure(ErrorDocument(type: .function(code), message: description))
    return .configuration
  }
}
