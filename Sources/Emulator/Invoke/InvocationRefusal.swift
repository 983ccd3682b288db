/// Why Lambda would not even give an event to the function.
public enum InvocationRefusal: Error, Equatable, Sendable {
  /// The event has this many bytes, more than `RuntimeAPILimits.eventBytes`: 413.
  case eventTooLarge(bytes: Int)
  /// All environments are busy and the line is full: 429.
  case tooManyRequests
  /// The harness is going away.
  case closed
}

/// What the caller of a function says besides the event.
public struct InvocationContext: Equatable, Sendable {
  /// The alias or version that was called, where one was; it ends the ARN that the function sees.
  public var qualifier: String?
  /// The client context as JSON, already decoded from base64: `Lambda-Runtime-Client-Context`.
  public var clientContext: String?
  /// An X-Ray trace header to hand on; one is made where there is none.
  public var traceID: String?
  /// Waits until the function is done with the invocation rather than until it has answered, so that the result has
  /// its report: what a function does after its answer belongs to it.
  public var waitsForReport: Bool

  /// A plain call.
  public init(
    qualifier: String? = nil, clientContext: String? = nil, traceID: String? = nil,
    waitsForReport: Bool = false
  ) {
    self.qualifier = qualifier
    self.clientContext = clientContext
    self.traceID = traceID
    self.waitsForReport = waitsForReport
  }
}

extension InvocationContext {
  /// The version that runs. Versions and aliases are not kept: a number is taken for its own version, anything else is
  /// an alias of the version that is not published.
  var version: String {
    guard let qualifier, !qualifier.isEmpty, qualifier.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return LambdaVariables.functionVersion
    }
    return qualifier
  }
}
