/// The decisions that wait for one reader of a stream.
///
/// The gateway never waits for a reader: a reader with too many waiting decisions is disconnected, and can connect again
/// with the ID of its last one.
final class DecisionFeed: Sendable {
  /// What is sent next.
  enum Item: Sendable {
    case decision(RecordedDecision)
    /// A comment, which shows that the stream is alive.
    case beat
  }

  /// The items in order. Ends with the stream.
  let items: AsyncStream<Item>
  private let waiting: AsyncStream<Item>.Continuation
  private let onLate: @Sendable () -> Void

  init(_ missed: [RecordedDecision], onLate: @escaping @Sendable () -> Void) {
    self.onLate = onLate
    (items, waiting) = AsyncStream.makeStream(
      of: Item.self, bufferingPolicy: .bufferingOldest(ConsoleLimits.waitingDecisions))
    for decision in missed { waiting.yield(.decision(decision)) }
  }

  /// Adds a decision. Returns whether there was room for it.
  func offer(_ decision: RecordedDecision) -> Bool {
    if case .dropped = waiting.yield(.decision(decision)) { return false }
    return true
  }

  /// Adds a comment, unless the reader has other items to read.
  func beat() { waiting.yield(.beat) }

  /// Ends the stream after what waits.
  func finish() { waiting.finish() }

  /// Ends the stream and its connection, because the reader is too slow.
  func end() {
    waiting.finish()
    onLate()
  }
}
