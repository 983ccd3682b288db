/// When an invocation takes place, and how long its fetches may take.
package struct InvocationTime: Sendable {
  /// Unix seconds, for the checks of tokens and keys; any value.
  package let unixSeconds: Int64
  /// Milliseconds that one fetch may take.
  package let fetchMilliseconds: Int64
  /// When all fetches must end, in Unix milliseconds of the machine's clock, if known.
  package let endMilliseconds: Int64?

  /// API Gateway gives an authorizer of an HTTP API 10 s, so one fetch and the answer must take less.
  package static let maximumFetchMilliseconds: Int64 = 8000
  /// The time that must remain after a fetch to decide and to answer.
  package static let reserveMilliseconds: Int64 = 500

  /// Fetches may take the time left until the invocation's deadline. Emulators pass no deadline or one long past, which
  /// is ignored, and the start of the function has none.
  ///
  /// - Parameter machineMilliseconds: Unix milliseconds of the machine's clock, which Lambda's deadline refers to.
  package init(unixSeconds: Int64, deadlineMilliseconds: Int64? = nil, machineMilliseconds: Int64 = 0) {
    self.unixSeconds = unixSeconds
    guard let deadline = deadlineMilliseconds, deadline > machineMilliseconds - Self.longPast else {
      fetchMilliseconds = Self.maximumFetchMilliseconds
      endMilliseconds = nil
      return
    }
    fetchMilliseconds = min(
      Self.maximumFetchMilliseconds, max(0, deadline - machineMilliseconds - Self.reserveMilliseconds))
    endMilliseconds = deadline - Self.reserveMilliseconds
  }

  /// A deadline more than a minute ago is a constant of an emulator.
  private static let longPast: Int64 = 60_000

  /// A shorter time is not worth a connection.
  package var allowsFetch: Bool { fetchMilliseconds >= 100 }
}
