/// The source of revocations. The authorizer has no files and no sockets: the function passes in a file or a table,
/// tests pass in a script.
package protocol RevocationSource {
  /// Returns the events of items, in their order.
  ///
  /// - Parameters:
  ///   - items: the `pk` of each, at most five, none twice.
  ///   - now: Unix seconds, by which items expire.
  ///   - endMilliseconds: the deadline of the answer, in Unix milliseconds of the machine's clock; `nil` if unknown.
  mutating func answer(about items: [[UInt8]], at now: Int64, endMilliseconds: Int64?) -> RevocationAnswer

  /// Returns a source for another worker that runs in parallel. Call it before the worker's thread starts.
  func forAnotherWorker() -> Self
}

package enum RevocationAnswer: Equatable, Sendable {
  /// For each item the time of its latest event in Unix milliseconds; `nil` where nothing is revoked.
  case events([Int64?])
  /// Not all are known, with the cause for the operator, which contains nothing about the items; and what is known.
  case unavailable(String, known: [KnownEvent] = [])

  /// The event of one item.
  package struct KnownEvent: Equatable, Sendable {
    /// The position of the item.
    let index: Int
    /// `nil` if nothing is revoked.
    let eventMilliseconds: Int64?
  }
}

/// Used if the settings name a store but no source was given.
struct NoRevocationSource: RevocationSource {
  mutating func answer(about items: [[UInt8]], at now: Int64, endMilliseconds: Int64?) -> RevocationAnswer {
    .unavailable("no store was given")
  }

  func forAnotherWorker() -> NoRevocationSource { self }
}
