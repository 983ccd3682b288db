package import GatewayEmulator
internal import Synchronization

/// The last decisions of a gateway, in memory only, and the streams that show new ones.
package final class DecisionHistory: RequestObserving {
  private let keepsEvents: Bool
  private let shared = Mutex(Shared())

  private struct Shared {
    /// In order of their IDs, without gaps.
    var decisions: [RecordedDecision] = []
    var bytes = 0
    var lastID = 0
    var feeds: [ObjectIdentifier: DecisionFeed] = [:]
  }

  /// Creates an empty log.
  ///
  /// - Parameter keepsEvents: whether it keeps requests, events and answers for replays and for the page. Otherwise
  ///   it keeps only the lines of the list, and policies.
  package init(keepsEvents: Bool) { self.keepsEvents = keepsEvents }

  /// Keeps an exchange, within the bounds of the log.
  package func observe(_ exchange: CompletedRequest) { _ = keep(exchange, replayOf: nil) }

  /// Keeps an exchange and returns it as a decision.
  @discardableResult
  package func keep(_ exchange: CompletedRequest, replayOf: Int?) -> RecordedDecision {
    var late: [DecisionFeed] = []
    let decision = shared.withLock { shared in
      shared.lastID += 1
      let decision = RecordedDecision(
        exchange, id: shared.lastID, replayOf: replayOf, keepsEvents: keepsEvents)
      shared.decisions.append(decision)
      shared.bytes += decision.bytes
      while shared.decisions.count > ConsoleLimits.decisions
        || shared.bytes > ConsoleLimits.bytes && shared.decisions.count > 1
      {
        shared.bytes -= shared.decisions.removeFirst().bytes
      }
      // Within the lock, so that each stream gets them in the order of their IDs.
      late = shared.feeds.values.filter { !$0.offer(decision.id) }
      for feed in late { shared.feeds[ObjectIdentifier(feed)] = nil }
      return decision
    }
    for feed in late { feed.end() }
    return decision
  }

  /// The bytes of all kept decisions, by their own estimate.
  package var keptBytes: Int { shared.withLock { $0.bytes } }

  package struct Page {
    /// The ID of the newest decision; 0 without any.
    let newest: Int
    /// The ID of the oldest decision that is kept; `newest` plus 1 without any.
    let oldest: Int
    let decisions: [RecordedDecision]
  }

  /// Returns the first decisions after an ID; without one the last ones.
  package func page(after id: Int?, limit: Int) -> Page {
    shared.withLock { shared in
      let oldest = shared.decisions.first?.id ?? shared.lastID + 1
      let part: ArraySlice<RecordedDecision>
      if let id {
        part = shared.decisions.dropFirst(max(0, min(id, shared.lastID) + 1 - oldest)).prefix(limit)
      } else {
        part = shared.decisions.suffix(limit)
      }
      return Page(newest: shared.lastID, oldest: oldest, decisions: Array(part))
    }
  }

  /// Returns a decision; `nil` if there is none of this ID, or no longer.
  package func decision(_ id: Int) -> RecordedDecision? {
    shared.withLock { shared in
      guard let first = shared.decisions.first?.id, id >= first, id - first < shared.decisions.count else {
        return nil
      }
      return shared.decisions[id - first]
    }
  }

  // MARK: Streams

  /// Opens a stream of new decisions, which begins with those after an ID.
  ///
  /// - Parameters:
  ///   - id: the last ID that the reader has; `nil` for new decisions only.
  ///   - onLate: called if the reader is too slow; it must end the connection.
  /// - Returns: `nil` if there are as many streams as are allowed.
  package func open(after id: Int?, onLate: @escaping @Sendable () -> Void) -> DecisionFeed? {
    shared.withLock { shared in
      guard shared.feeds.count < ConsoleLimits.streams else { return nil }
      var missed: [Int] = []
      if let id {
        missed = shared.decisions.map(\.id).filter { $0 > id }.suffix(ConsoleLimits.waitingDecisions)
      }
      let feed = DecisionFeed(missed, onLate: onLate)
      shared.feeds[ObjectIdentifier(feed)] = feed
      return feed
    }
  }

  /// Closes a stream, so that another one can be opened.
  package func close(_ feed: DecisionFeed) {
    shared.withLock { _ = $0.feeds.removeValue(forKey: ObjectIdentifier(feed)) }
    feed.finish()
  }

  var openFeeds: Int { shared.withLock { $0.feeds.count } }
}
