/// Something that answers events as a Lambda function does.
public protocol FunctionInvoking: Sendable {
  /// Sends an event and waits for its end.
  func outcome(of event: [UInt8]) async -> FunctionOutcome

  /// Moves the function's clock; events that come from now on are answered by it.
  ///
  /// - Parameter seconds: how far it is ahead of the machine's.
  /// - Returns: whether the function's clock can be moved.
  func setClockOffset(seconds: Int64) -> Bool
}

extension FunctionInvoking {
  /// A function whose clock is its own affair.
  public func setClockOffset(seconds _: Int64) -> Bool { false }
}

/// How one call of a function ended.
public struct FunctionOutcome: Sendable {
  /// The end.
  public let answer: InvocationAnswer
  /// The function's own word for its decision, or for its refusal of a request.
  public let reason: String?

  /// An end.
  public init(answer: InvocationAnswer, reason: String? = nil) {
    self.answer = answer
    self.reason = reason
  }
}

extension FunctionPool: FunctionInvoking {
  /// Our own function reads the variable, in development alone.
  private static let clockVariable = "AUTHORIZER_CLOCK_OFFSET_SECONDS"

  /// Only a function in development can be moved; with real keys it would refuse to start.
  public func setClockOffset(seconds: Int64) -> Bool {
    guard settings.variables["AUTHORIZER_DEVELOPMENT"] == "1" else { return false }
    setVariable(Self.clockVariable, seconds == 0 ? nil : String(seconds))
    return true
  }

  /// A refusal of Lambda itself is a failed call for whoever stands in front of the function.
  public func outcome(of event: [UInt8]) async -> FunctionOutcome {
    do throws(InvocationRefusal) {
      let result = try await invoke(event)
      return FunctionOutcome(answer: result.answer, reason: result.reason)
    } catch {
      let (type, message) =
        switch error {
        case .eventTooLarge(let bytes): ("RequestTooLarge", "the event has \(bytes) bytes")
        case .closed: ("ServiceException", "the harness is going away")
        case .tooManyRequests: ("TooManyRequestsException", "every environment is busy")
        }
      return FunctionOutcome(
        answer: .error(
          FunctionErrorReport(
            headerType: "Runtime.\(type)", document: RuntimeReply.errorBody(message: message, type: type))))
    }
  }
}
