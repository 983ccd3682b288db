package import LambdaEmulator

/// A function that answers events as Lambda does.
package protocol FunctionInvoking: Sendable {
  /// Sends an event and waits for the outcome.
  func outcome(of event: [UInt8]) async -> FunctionOutcome

  /// Sends an event with the tenant of the call, and whether its response may be a stream.
  func outcome(of event: [UInt8], in context: InvocationContext) async -> FunctionOutcome

  /// Moves the function's clock for all following events.
  ///
  /// - Parameter seconds: the offset to the machine's clock.
  /// - Returns: whether the function's clock can be moved.
  func setClockOffset(seconds: Int64) -> Bool
}

extension FunctionInvoking {
  /// The default: the function's clock cannot be moved.
  package func setClockOffset(seconds _: Int64) -> Bool { false }

  /// The default: the function knows no tenants and no streams.
  package func outcome(of event: [UInt8], in _: InvocationContext) async -> FunctionOutcome {
    await outcome(of: event)
  }
}

extension FunctionPool: FunctionInvoking {
  /// Our function reads the variable in development only.
  private static let clockVariable = "AUTHORIZER_CLOCK_OFFSET_SECONDS"

  /// Moves the clock of a function in development; with real keys the function would refuse to start.
  package func setClockOffset(seconds: Int64) -> Bool {
    guard settings.variables["AUTHORIZER_DEVELOPMENT"] == "1" else { return false }
    setVariable(Self.clockVariable, seconds == 0 ? nil : String(seconds))
    return true
  }

  package func outcome(of event: [UInt8]) async -> FunctionOutcome {
    await outcome(of: event, in: InvocationContext())
  }

  /// Sends an event; a refusal by Lambda itself is reported as a failed call.
  package func outcome(of event: [UInt8], in context: InvocationContext) async -> FunctionOutcome {
    do throws(InvocationRefusal) {
      let result = try await invoke(event, context: context)
      return FunctionOutcome(
        answer: result.answer, reason: result.reason, hasDecisionLine: result.decision != nil)
    } catch {
      let (type, message) =
        switch error {
        case .eventTooLarge(let bytes): ("RequestTooLarge", "the event has \(bytes) bytes")
        case .closed: ("ServiceException", "the harness is shutting down")
        case .tooManyRequests: ("TooManyRequestsException", "all environments are busy")
        case .tenantMissing: ("InvalidParameterValueException", Tenant.missingMessage)
        case .tenantUnknown: ("InvalidParameterValueException", "the function has no TenancyConfig")
        }
      return FunctionOutcome(
        answer: .error(
          FunctionErrorReport(
            headerType: "Runtime.\(type)", document: RuntimeReply.errorBody(message: message, type: type))))
    }
  }
}
