/// A set of measured times, and what is said of them.
public struct BenchSamples: Equatable, Sendable {
  /// Nanoseconds, ascending.
  private let sorted: [UInt64]

  /// Samples in any order; `nil` of none, for nothing can be said of those.
  public init?(nanoseconds: [UInt64]) {
    guard !nanoseconds.isEmpty else { return nil }
    sorted = nanoseconds.sorted()
  }

  /// How many there are.
  public var count: Int { sorted.count }

  /// The smallest sample that at least this share of all samples does not exceed (the nearest-rank percentile), in
  /// nanoseconds. Always a sample that was measured, never a mean of two.
  ///
  /// - Parameter percent: 0 is the smallest sample, 100 the largest.
  public func percentile(_ percent: Double) -> UInt64 {
    let rank = (min(max(percent, 0), 100) / 100 * Double(sorted.count)).rounded(.up)
    return sorted[min(max(Int(rank), 1), sorted.count) - 1]
  }

  /// The median, in nanoseconds.
  public var median: UInt64 { percentile(50) }
}

/// What was measured of one function with one load.
public struct BenchFigures: Equatable, Sendable {
  /// From before the process was made to its first request of an event.
  public let initialization: BenchSamples
  /// From before the process was made to the whole of its first answer.
  public let firstAnswer: BenchSamples
  /// From before an event was written to the whole of its answer, in a process that has answered before.
  public let warm: BenchSamples
  /// Processor time of the function's process for one warm invocation, both sides of its posts and polls included, in
  /// nanoseconds; `nil` where the system does not say.
  public let processorNanoseconds: UInt64?
  /// The most memory that the warm process ever had resident, in KiB; `nil` where the system does not say.
  public let peakMemoryKiB: Int?

  /// Figures of one run.
  public init(
    initialization: BenchSamples, firstAnswer: BenchSamples, warm: BenchSamples,
    processorNanoseconds: UInt64?,
    peakMemoryKiB: Int?
  ) {
    self.initialization = initialization
    self.firstAnswer = firstAnswer
    self.warm = warm
    self.processorNanoseconds = processorNanoseconds
    self.peakMemoryKiB = peakMemoryKiB
  }
}
