/// Measures functions side by side: in turns, in one run, on the same core.
///
/// Belongs to one thread, which it keeps from everything else.
public struct Benchmark {
  private let plan: Plan
  private let cores: BenchCores
  private let onProgress: (String) -> Void

  /// How much is measured.
  public struct Plan: Equatable, Sendable {
    /// Processes that are started for one event each.
    public let coldStarts: Int
    /// Events that one process answers, after as many as there are different ones, which are not counted.
    public let warmInvocations: Int
    /// Whether the functions have another core than the Runtime API.
    public let usesSeparateCores: Bool

    /// A plan; both numbers are at least 1.
    public init(coldStarts: Int, warmInvocations: Int, usesSeparateCores: Bool = false) {
      self.coldStarts = max(coldStarts, 1)
      self.warmInvocations = max(warmInvocations, 1)
      self.usesSeparateCores = usesSeparateCores
    }
  }

  /// A function that failed, and why.
  public struct Failure: Error, Sendable {
    /// The function's name.
    public let contestant: String
    /// Why.
    public let fault: BenchFault
    /// The last of what it wrote.
    public let output: [UInt8]
  }

  /// Warm invocations of one function before the next one has its turn: short enough that all of them share the
  /// machine's better and worse moments.
  private static let invocationsPerTurn = 50

  /// A benchmark.
  ///
  /// - Parameter onProgress: gets one line after another about what is being done.
  public init(_ plan: Plan, onProgress: @escaping (String) -> Void) {
    self.plan = plan
    cores = BenchCores(areSeparate: plan.usesSeparateCores)
    self.onProgress = onProgress
  }

  /// Where everything runs, for people: `Runtime API and functions on core 1`.
  public var placement: String { cores.description }

  /// The figures of each contestant, in their order.
  ///
  /// - Parameter events: at least one.
  /// - Throws: the first failure; there are no figures of a function that answers wrongly.
  public func run(_ events: [BenchEvent], _ contestants: [BenchContestant]) throws(Failure) -> [BenchFigures]
  {
    cores.enter()
    defer { cores.leave() }
    var colds = contestants.map { ColdRun($0, events) }
    for start in 0..<plan.coldStarts {
      if start % 100 == 0 { onProgress("cold start \(start) of \(plan.coldStarts)") }
      for index in colds.indices { try colds[index].start(number: start, on: cores) }
    }
    var warms: [WarmRun] = []
    defer { for warm in warms { warm.end() } }
    for contestant in contestants { warms.append(try WarmRun(contestant, events, on: cores)) }
    // As many as there are different events, so that nothing that is measured happens for the first time.
    for warm in warms { try warm.invoke(events.count, isMeasured: false) }
    var left = plan.warmInvocations
    while left > 0 {
      if (plan.warmInvocations - left) % 5000 == 0 {
        onProgress("warm invocation \(plan.warmInvocations - left) of \(plan.warmInvocations)")
      }
      let turn = min(left, Self.invocationsPerTurn)
      for warm in warms { try warm.invoke(turn, isMeasured: true) }
      left -= turn
    }
    return zip(colds, warms).compactMap { cold, warm in warm.figures(with: cold) }
  }
}

/// Many processes of one function, one event each.
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
      let place = number % judge.events.count
      let initialized = try function.awaitInitialization()
      let answer = try function.answer(to: judge.events[place])
      try judge.check(answer.body, to: place)
      initialization.append(initialized)
      firstAnswer.append(answer.sinceStart)
    } catch {
      throw function.failure(error, of: contestant)
    }
  }
}

/// One process of one function that answers event after event.
private final class WarmRun {
  private let contestant: BenchContestant
  private let function: BenchFunction
  private var judge: BenchJudge
  private var place = 0
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
        let answer = try function.answer(to: judge.events[place])
        if isMeasured { samples.append(answer.warm) }
        try function.awaitNext()
        try judge.check(answer.body, to: place)
        place = (place + 1) % judge.events.count
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
    do throws(BenchFault) {
      return try BenchFunction(contestant.command, on: cores)
    } catch {
      throw Benchmark.Failure(contestant: contestant.name, fault: error, output: [])
    }
  }

  fileprivate func failure(_ fault: BenchFault, of contestant: BenchContestant) -> Benchmark.Failure {
    readOutput()
    return Benchmark.Failure(contestant: contestant.name, fault: fault, output: lastWords)
  }
}
