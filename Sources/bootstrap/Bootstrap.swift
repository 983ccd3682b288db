import Authorizer
import CPOSIX
import LambdaRuntime

@main struct Bootstrap {
  static func main() {
    cposix_set_signals()
    exit(run(FunctionEnvironment()).rawValue)
  }

  private static func run(_ environment: FunctionEnvironment) -> RuntimeExitStatus {
    let api: RuntimeAPI
    do {
      api = RuntimeAPI(
        endpoint: try RuntimeEndpoint(parsing: environment.variable("AWS_LAMBDA_RUNTIME_API") ?? ""))
    } catch {
      environment.writeError(Array((error.description + "\n").utf8))
      return .configuration
    }
    do {
      var handler = Handler(function: AuthorizerFunction(try Settings(reading: environment), environment))
      let log = handler.function.log
      var loop = RuntimeLoop(api: api)
      return loop.run(handler: &handler) {
        log.write($0.message, $0.level == .error ? .error : .warn, requestID: $0.requestID)
      }
    } catch {
      environment.writeError(Array((error.description + "\n").utf8))
      var api = api
      let document = ErrorDocument(type: .function("invalidConfiguration"), message: error.description)
      _ = try? api.reportInitializationFailure(document)
      return .configuration
    }
  }
}

/// Joins the loop, which knows no tokens, to the authorizer, which knows no sockets.
private struct Handler: InvocationHandler {
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
