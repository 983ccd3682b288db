/// The reason why Lambda would not send an event to the function.
package enum InvocationRefusal: Error, Equatable, Sendable {
  /// The event has this many bytes, more than `RuntimeAPILimits.eventBytes`: 413.
  case eventTooLarge(bytes: Int)
  /// All environments are busy and the queue is full: 429.
  case tooManyRequests
  case closed
  /// The function has tenant isolation, and the call names no tenant: 400.
  case tenantMissing
  /// The call names a tenant, and the function has no tenant isolation: 400.
  case tenantUnknown
}
