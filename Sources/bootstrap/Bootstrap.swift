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
    do {
      var handler = Handler(function: AuthorizerFunction(try Settings(reading: environment), environment))
      let log = handler.function.log
      var loop = RuntimeLoop(
        api: RuntimeAPI(endpoint: endpoint), lane: InvocationLane(0, ownsEnvironment: true))
      return loop.run(handler: &handler) {
        log.write($0.message, $0.level == .error ? .error : .warn, requestID: $0.requestID)
      }
    } catch {
      environment.writeError(Array((error.description + "\n").utf8))
      var api = RuntimeAPI(endpoint: endpoint)
      let document = ErrorDocument(type: .function("invalidConfiguration"), message: error.description)
      _ = try? api.reportInitializationFailure(document)
      return .configuration
    }
  }
}
