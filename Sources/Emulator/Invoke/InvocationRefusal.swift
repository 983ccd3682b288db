/// Why Lambda would not even give an event to the function.
public enum InvocationRefusal: Error, Equatable, Sendable {
  /// The event has this many bytes, more than `RuntimeAPILimits.eventBytes`: 413.
  case eventTooLarge(bytes: Int)
  /// All environments are busy and the line is full: 429.
  case tooManyRequests
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
