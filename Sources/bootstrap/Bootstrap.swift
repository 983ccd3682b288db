import Authorizer
import CPOSIX
import LambdaRuntime

@main struct Bootstrap {
  static func main() {
    cposix_set_signals()
    exit(run(FunctionEnvironment()).rawValue)
  }

  private static func run(_ environment: FunctionEnvironment) -> RuntimeExitStatus {
    let endpoint: RuntimeEndpoint
    do {
      endpoint = try RuntimeEndpoint(parsing: environment.variable("AWS_LAMBDA_RUNTIME_API") ?? "")
    } catch {
      environment.writeError(Array((error.description + "\n").utf8))
      return .configuration
    }
    InvocationLane.installHandlers(for: endpoint)
    let workers: WorkerCount
    do {
      workers = try WorkerCount(parsing: environment.variable(WorkerCount.variable))
    } catch {
      return refuse(error.description, environment, endpoint)
    }
    do {
      let function = AuthorizerFunction(try Settings(reading: environment), environment)
      return serve(Handler(function: function), workers, endpoint)
    } catch {
      return refuse(error.description, environment, endpoint)
    }
  }

  private static func serve(
    _ first: Handler, _ workers: WorkerCount, _ endpoint: RuntimeEndpoint
  ) -> RuntimeExitStatus {
    var first = first
    guard workers.number > 1 else {
      let log = logger(of: first)
      var loop = RuntimeLoop(
        api: RuntimeAPI(endpoint: endpoint), lane: InvocationLane(0, ownsEnvironment: true))
      return loop.run(handler: &first, log: log)
    }
    var handlers = [first]
    while handlers.count < workers.number, let function = first.function.forAnotherWorker() {
      handlers.append(Handler(function: function))
    }
    return Workers.run(handlers, endpoint: endpoint, log: logger)
  }

  private static func logger(of handler: Handler) -> (RuntimeNotice) -> Void {
    let log = handler.function.log
    return { log.write($0.message, $0.level == .error ? .error : .warn, requestID: $0.requestID) }
  }

  /// Says why it cannot start, to the log and to Lambda.
  private static func refuse(
    _ description: String, _ environment: FunctionEnvironment, _ endpoint: RuntimeEndpoint
  ) -> RuntimeExitStatus {
    environment.writeError(Array((description + "\n").utf8))
    var api = RuntimeAPI(endpoint: endpoint)
    let document = ErrorDocument(type: .function("invalidConfiguration"), message: description)
    _ = try? api.reportInitializationFailure(document)
    return .configuration
  }
}
