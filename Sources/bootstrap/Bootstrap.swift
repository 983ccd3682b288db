import Authorizer
import CPOSIX
import FunctionHost
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
    WorkerSlot.installHandlers(for: endpoint)
    let workers: WorkerCount
    do {
      workers = try WorkerCount(parsing: environment.variable(WorkerCount.variable))
    } catch {
      return refuse(error.description, environment, endpoint)
    }
    do {
      let function = AuthorizerFunction(try Settings(reading: environment), environment)
      return Handler(function: function).serve(workers, endpoint)
    } catch {
      return refuse(error.description, environment, endpoint)
    }
  }

  /// Reports to the log and to Lambda why the function cannot start.
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
