/// A set of measured times and its statistics.
package struct BenchSamples: Equatable, Sendable {
  /// Nanoseconds, ascending.
  private let sorted: [UInt64]

  /// Creates a set from samples in any order; `nil` if there are none.
  package init?(nanoseconds: [UInt64]) {
    guard !nanoseconds.isEmpty else { return nil }
    sorted = nanoseconds.sorted()
  }

  package var count: Int { sorted.count }

  /// Returns the nearest-rank percentile in nanoseconds: the smallest sample that at least this share of all samples
  /// does not exceed. It is always a measured sample, never a mean of two.
  ///
  /// - Parameter percent: 0 is the smallest sample, 100 the largest.
  package func percentile(_ percent: Double) -> UInt64 {
    let rank = (min(max(percent, 0), 100) / 100 * Double(sorted.count)).rounded(.up)
    return sorted[min(max(Int(rank), 1), sorted.count) - 1]
  }

  /// The median, in nanoseconds.
  package var median: UInt64 { percentile(50) }
}

/// The figures of one function under one load.
package struct BenchFigures: Equatable, Sendable {
  /// The time from before the process was created to its first request for an event.
  package let initialization: BenchSamples
  /// The time from before the process was created to the end of its first answer.
  package let firstAnswer: BenchSamples
  /// The time from before an event was written to the end of its answer, in a warm process.
  package let warm: BenchSamples
  /// The CPU time of the function's process for one warm invocation, including its posts and polls, in nanoseconds;
  /// `nil` if the system does not report it.
  package let processorNanoseconds: UInt64?
  /// The peak resident memory of the warm process in KiB; `nil` if the system does not report it.
  package let peakMemoryKiB: Int?
}
