/// The decisions that wait for one reader of a stream.
///
/// The gateway never waits for a reader: a reader with too many waiting decisions is disconnected, and can connect again
/// with the ID of its last one.
package final class DecisionFeed: Sendable {
  enum Item: Sendable {
    /// By its ID: a decision that waits for a reader is not kept longer than others.
    case decision(Int)
    /// A comment, which shows that the stream is alive.
    case beat
  }

  /// The items in order. Ends with the stream.
  let items: AsyncStream<Item>
  private let waiting: AsyncStream<Item>.Continuation
  private let onLate: @Sendable () -> Void

  init(_ missed: [Int], onLate: @escaping @Sendable () -> Void) {
    self.onLate = onLate
    (items, waiting) = AsyncStream.makeStream(
      of: Item.self, bufferingPolicy: .bufferingOldest(ConsoleLimits.waitingDecisions))
    for id in missed { waiting.yield(.decision(id)) }
  }

  /// Adds a decision. Returns whether there was room for it.
  func offer(_ id: Int) -> Bool {
    if case .dropped = waiting.yield(.decision(id)) { false } else { true }
  }

  /// Adds a comment, unless the reader has other items to read.
  func beat() { waiting.yield(.beat) }

  func finish() { waiting.finish() }

  /// Ends the stream and its connection, because the reader is too slow.
  func end() {
    waiting.finish()
    onLate()
  }
}
