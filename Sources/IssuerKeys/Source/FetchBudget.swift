/// How long the fetches of one invocation may take.
package struct FetchBudget: Sendable {
  /// Milliseconds that one fetch may take.
  package let milliseconds: Int64
  /// When all fetches must end, in Unix milliseconds of the machine's clock, if known.
  package let endMilliseconds: Int64?

  /// API Gateway gives an authorizer of an HTTP API 10 s, so one fetch and the answer must take less.
  package static let maximumMilliseconds: Int64 = 8000
  /// The time that must remain after a fetch to decide and to answer.
  package static let reserveMilliseconds: Int64 = 500

  /// The time left until the invocation's deadline. Emulators pass no deadline or one long past, which is ignored.
  package init(deadlineMilliseconds: Int64?, nowMilliseconds: Int64) {
    guard let deadline = deadlineMilliseconds, deadline > nowMilliseconds - Self.longPast else {
      milliseconds = Self.maximumMilliseconds
      endMilliseconds = nil
      return
    }
    milliseconds = min(
      Self.maximumMilliseconds, max(0, deadline - nowMilliseconds - Self.reserveMilliseconds))
    endMilliseconds = deadline - Self.reserveMilliseconds
  }

  /// A deadline more than a minute ago is a constant of an emulator.
  private static let longPast: Int64 = 60_000

  /// A shorter time is not worth a connection.
  package var allowsFetch: Bool { milliseconds >= 100 }
}
