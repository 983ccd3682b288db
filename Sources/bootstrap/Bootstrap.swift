import Authorizer
import CPOSIX
import LambdaRuntime

@main struct Bootstrap {
  static func main() {
    let environment = FunctionEnvironment()
    exit(run(environment).rawValue)
  }

  static func run(_ environment: FunctionEnvironment) -> RuntimeExitStatus {
    let api: RuntimeAPI
    do {
      api = RuntimeAPI(
        endpoint: try RuntimeEndpoint(parsing: environment.variable("AWS_LAMBDA_RUNTIME_API") ?? ""))
    } catch {
      environment.writeError(Array("AWS_LAMBDA_RUNTIME_API: \(error.description)\n".utf8))
      return .configuration
    }
    do {
      var handler = AuthorizationHandler(try Settings(reading: environment), environment)
      var loop = RuntimeLoop(api: api)
      return loop.run(handler: &handler) { notice in
        environment.writeOutput(
          DecisionLog.notice(
            level: notice.level.rawValue, message: notice.message, requestID: notice.requestID,
            unixMilliseconds: environment.unixMilliseconds))
      }
    } catch {
      environment.writeError(Array((error.description + "\n").utf8))
      let document = ErrorDocument(type: .function("invalidConfiguration"), message: error.description)
      var api = api
      _ = try? api.reportInitializationFailure(document)
      return .configuration
    }
  }
}
