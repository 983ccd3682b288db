/// The work that searches may still do.
package struct SearchWork {
  /// Clauses that one analysis may examine: about a minute on one core (our own limit, measured with the largest
  /// configurations: docs/compare.md).
  package static let maximumSteps = 1_000_000_000

  private var steps = 0
  private let limit: Int

  /// - Parameter limit: the clauses that may be examined.
  package init(limit: Int = maximumSteps) { self.limit = limit }

  mutating func spend(_ count: Int) throws(SearchLimit) {
    steps += count
    if steps > limit { throw SearchLimit() }
  }
}

/// A search would take more steps than the limit.
package struct SearchLimit: Error {}
