package import KeyFetcher

/// Fetches key sets. The authorizer has no sockets: the function passes in a fetcher, tests pass in a script.
package protocol KeyTransport {
  /// Fetches key sets at the same time, for at most `milliseconds`, and returns the results in the same order.
  mutating func fetch(_ addresses: [KeyAddress], milliseconds: Int64) -> KeyFetches
}

/// The results of several fetches.
package struct KeyFetches: Sendable {
  /// In the order of the addresses.
  package let results: [KeyFetchResult]
  /// The total time of all fetches.
  package let elapsedMilliseconds: Int64

  package init(results: [KeyFetchResult], elapsedMilliseconds: Int64) {
    self.results = results
    self.elapsedMilliseconds = elapsedMilliseconds
  }
}
