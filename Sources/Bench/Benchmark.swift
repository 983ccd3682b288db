/// Measures functions side by side: in turns, in one run, on the same core.
///
/// It blocks the thread that runs it.
package struct Benchmark {
  private let plan: Plan
  private let cores: BenchCores
  private let onProgress: (String) -> Void

  /// The amount of measurements.
  package struct Plan: Equatable, Sendable {
    /// The number of processes that are started for one event each.
    package let coldStarts: Int
    /// The number of measured events of one process, after an unmeasured round of all events.
    package let warmInvocations: Int
    /// Whether the functions run on another core than the Runtime API.
    package let usesSeparateCores: Bool

    /// Creates a plan; both numbers are at least 1.
    package init(coldStarts: Int, warmInvocations: Int, usesSeparateCores: Bool = false) {
      self.coldStarts = max(coldStarts, 1)
      self.warmInvocations = max(warmInvocations, 1)
      self.usesSeparateCores = usesSeparateCores
    }
  }

  package struct Failure: Error, Sendable {
    /// The function's name.
    package let contestant: String
    package let fault: BenchFault
    /// The end of its output.
    package let output: [UInt8]
  }

  /// The warm invocations of one function in a turn: few enough that variations of the machine's speed affect all
  /// functions alike.
  private static let invocationsPerTurn = 50

  /// Creates a benchmark.
  ///
  /// - Parameter onProgress: called with each line of progress.
  package init(_ plan: Plan, onProgress: @escaping (String) -> Void) {
    self.plan = plan
    cores = BenchCores(areSeparate: plan.usesSeparateCores)
    self.onProgress = onProgress
  }

  /// The cores in use, as human-readable text: `Runtime API and functions on core 1`.
  package var placement: String { cores.description }

  /// Returns the figures of each contestant, in their order.
  ///
  /// - Parameters:
  ///   - events: at least one event.
  ///   - random: shuffles the contestants in each turn, since each finds in the processor's caches what the one before
  ///     has left.
  /// - Throws: the first failure. A function that answers wrongly gets no figures.
  package func run(
    _ events: [BenchEvent], _ contestants: [BenchContestant], _ random: inout some RandomNumberGenerator
  ) throws(Failure) -> [BenchFigures] {
    cores.enter()
    defer { cores.leave() }
    var colds = contestants.map { ColdRun($0, events) }
    for start in 0..<plan.coldStarts {
      if start % 100 == 0 { onProgress("cold start \(start) of \(plan.coldStarts)") }
      for index in colds.indices.shuffled(using: &random) { try colds[index].start(number: start, on: cores) }
    }
    var warms: [WarmRun] = []
    defer { for warm in warms { warm.end() } }
    for contestant in contestants { warms.append(try WarmRun(contestant, events, on: cores)) }
    // One unmeasured round of all events, so that no measured event is the first of its kind.
    for warm in warms { try warm.invoke(events.count, isMeasured: false) }
    var left = plan.warmInvocations
    while left > 0 {
      if (plan.warmInvocations - left) % 5000 == 0 {
        onProgress("warm invocation \(plan.warmInvocations - left) of \(plan.warmInvocations)")
      }
      let turn = min(left, Self.invocationsPerTurn)
      for warm in warms.shuffled(using: &random) { try warm.invoke(turn, isMeasured: true) }
      left -= turn
    }
    return zip(colds, warms).compactMap { cold, warm in warm.figures(with: cold) }
  }
}

/// The cold starts of one function, one event per process.
private struct ColdRun {
  let contestant: BenchContestant
  private var judge: BenchJudge
  private(set) var initialization: [UInt64] = []
  private(set) var firstAnswer: [UInt64] = []

  init(_ contestant: BenchContestant, _ events: [BenchEvent]) {
    self.contestant = contestant
    judge = BenchJudge(events, isFloor: contestant.isFloor)
  }

  mutating func start(number: Int, on cores: BenchCores) throws(Benchmark.Failure) {
    let function = try BenchFunction.started(contestant, on: cores)
    defer { function.end() }
    do throws(BenchFault) {
      let index = number % judge.events.count
      let initialized = try function.awaitInitialization()
      let answer = try function.answer(to: judge.events[index])
      // With an open invocation, the process would not end before its grace period has.
      try function.awaitNext()
      try judge.check(answer.body, to: index)
      initialization.append(initialized)
      firstAnswer.append(answer.sinceStart)
    } catch {
      throw function.failure(error, of: contestant)
    }
  }
}

/// One process of a function that answers many events.
private final class WarmRun {
  private let contestant: BenchContestant
  private let function: BenchFunction
  private var judge: BenchJudge
  private var index = 0
  private var samples: [UInt64] = []
  private var processorNanoseconds: UInt64? = 0

  init(_ contestant: BenchContestant, _ events: [BenchEvent], on cores: BenchCores) throws(Benchmark.Failure)
  {
    self.contestant = contestant
    judge = BenchJudge(events, isFloor: contestant.isFloor)
    function = try BenchFunction.started(contestant, on: cores)
    do throws(BenchFault) {
      _ = try function.awaitInitialization()
    } catch {
      let failure = function.failure(error, of: contestant)
      function.end()
      throw failure
    }
  }

  func invoke(_ count: Int, isMeasured: Bool) throws(Benchmark.Failure) {
    let before = function.processorNanoseconds
    do throws(BenchFault) {
      for _ in 0..<count {
        let answer = try function.answer(to: judge.events[index])
        if isMeasured { samples.append(answer.warm) }
        try function.awaitNext()
        try judge.check(answer.body, to: index)
        index = (index + 1) % judge.events.count
      }
    } catch {
      throw function.failure(error, of: contestant)
    }
    guard isMeasured else { return }
    if let total = processorNanoseconds, let before, let after = function.processorNanoseconds {
      processorNanoseconds = total + (after - before)
    } else {
      processorNanoseconds = nil
    }
  }

  func figures(with cold: ColdRun) -> BenchFigures? {
    guard let initialization = BenchSamples(nanoseconds: cold.initialization),
      let firstAnswer = BenchSamples(nanoseconds: cold.firstAnswer),
      let warm = BenchSamples(nanoseconds: samples)
    else { return nil }
    return BenchFigures(
      initialization: initialization, firstAnswer: firstAnswer, warm: warm,
      processorNanoseconds: processorNanoseconds.map { $0 / UInt64(samples.count) },
      peakMemoryKiB: function.peakMemoryKiB)
  }

  func end() { function.end() }
}

extension BenchFunction {
  fileprivate static func started(
    _ contestant: BenchContestant, on cores: BenchCores
  ) throws(Benchmark.Failure) -> BenchFunction {
    try Result { () throws(BenchFault) in try BenchFunction(contestant.command, on: cores) }
      .mapError { Benchmark.Failure(contestant: contestant.name, fault: $0, output: []) }.get()
  }

  fileprivate func failure(_ fault: BenchFault, of contestant: BenchContestant) -> Benchmark.Failure {
    readOutput()
    return Benchmark.Failure(contestant: contestant.name, fault: fault, output: lastWords)
  }
}
