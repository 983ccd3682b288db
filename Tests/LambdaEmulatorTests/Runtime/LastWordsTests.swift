@testable import LambdaEmulator
import Testing

/// Tests of posts that a process sent before it died and that are read later, without a socket or a process.
@Suite struct LastWordsTests {
  typealias Machine = RuntimeStateMachine
  typealias Action = RuntimeStateMachine.Action

  static let report = FunctionErrorReport(headerType: "Runtime.Crash", document: Array("{}".utf8))

  static func moment(_ microseconds: UInt64) -> Moment { RuntimeStateMachineTests.moment(microseconds) }

  /// Returns a machine whose invocation `a` began at 10 µs and whose process died at 50 µs.
  static func dying() -> Machine {
    var machine = RuntimeStateMachineTests.running()
    #expect(
      machine.processEnded(.signal(11), at: moment(50)) == [
        .cancelTimer(.invocation("a")),
        .startTimer(.drain(50_000), milliseconds: RuntimeAPILimits.drainMilliseconds),
      ])
    return machine
  }

  @Test func postReadAfterTheDeathIsTheAnswerAndTheSignalIsReported() {
    var machine = Self.dying()
    #expect(machine.isDraining)
    #expect(!machine.isIdle)
    let actions = machine.post(RuntimeStateMachineTests.post("a", .error(Self.report)), at: Self.moment(60))
    #expect(RuntimeStateMachineTests.statuses(actions) == [202])
    #expect(InitializationTests.answer(actions) == .error(Self.report))
    #expect(actions.contains(.cancelTimer(.drain(50_000))))
    let end = InitializationTests.end(actions)
    #expect(end?.status == .error(type: "Runtime.ExitError"))
    #expect(end?.exit == .signal(11))
    #expect(end?.nanoseconds == 40_000)
    #expect(
      end.flatMap { PlatformLine.failure($0, .error(Self.report)) }
        == "RequestId: a Error: Runtime exited with error: signal: segmentation fault")
    #expect(!machine.isDraining)
    #expect(machine.isIdle)
    #expect(machine.drained().isEmpty)
  }

  @Test func responseReadAfterTheDeathIsTheAnswer() {
    var machine = Self.dying()
    let actions = machine.post(RuntimeStateMachineTests.post("a"), at: Self.moment(60))
    #expect(InitializationTests.answer(actions) == .response([1]))
    #expect(InitializationTests.end(actions)?.exit == .signal(11))
  }

  @Test(arguments: [false, true]) func withoutAPostTheExitIsTheAnswer(_ byTime: Bool) {
    var machine = Self.dying()
    let actions =
      byTime ? machine.timeOut(.drain(50_000), at: Self.moment(2_000_050)) : machine.drained()
    #expect(
      actions.contains(.answered(requestID: "a", .died(.signal(11)), nanoseconds: 40_000)))
    #expect(InitializationTests.end(actions)?.nanoseconds == 40_000)
    #expect(machine.state == .stopped)
  }

  /// A refused post does not end the wait, and neither does the timer of another process.
  @Test func refusesOtherPostsAndContinuesToWait() {
    var machine = Self.dying()
    #expect(
      RuntimeStateMachineTests.statuses(
        machine.post(RuntimeStateMachineTests.post("b"), at: Self.moment(60))) == [400])
    #expect(
      RuntimeStateMachineTests.statuses(
        machine.post(RuntimeStateMachineTests.post("a", attempt: "old"), at: Self.moment(61))) == [410])
    #expect(RuntimeStateMachineTests.statuses(machine.next(exchange: 3, at: Self.moment(62))) == [500])
    #expect(machine.timeOut(.drain(1), at: Self.moment(63)).isEmpty)
    #expect(machine.timeOut(.invocation("a"), at: Self.moment(4_000_000)).isEmpty)
    #expect(machine.isDraining)
  }

  @Test func queuedEventsWaitForTheLastPosts() {
    var machine = Self.dying()
    #expect(machine.enqueue(RuntimeStateMachineTests.invocation("b"), at: Self.moment(55)).isEmpty)
    #expect(!machine.awaitsProcess)
    _ = machine.drained()
    #expect(machine.awaitsProcess)
  }

  @Test func acceptsAnInitializationErrorAfterTheDeath() {
    var machine = InitializationTests.waiting()
    _ = machine.processStarted(at: Self.moment(0))
    _ = machine.processEnded(.status(1), at: Self.moment(50))
    let actions = machine.initializationError(Self.report, exchange: 1, at: Self.moment(60))
    #expect(RuntimeStateMachineTests.statuses(actions) == [202])
    #expect(InitializationTests.initialization(actions)?.failure == .reported(Self.report))
    #expect(machine.state == .stopped)
    #expect(machine.awaitsProcess)
  }

  @Test(arguments: [true, false]) func doesNotWaitWithoutAnOpenInvocation(_ hasAnswered: Bool) {
    var machine = RuntimeStateMachineTests.running()
    _ = machine.post(RuntimeStateMachineTests.post("a"), at: Self.moment(20))
    if !hasAnswered { _ = machine.next(exchange: 2, at: Self.moment(21)) }
    let actions = machine.processEnded(.signal(6), at: Self.moment(30))
    #expect(!machine.isDraining)
    #expect(InitializationTests.end(actions)?.exit == (hasAnswered ? .signal(6) : nil))
  }
}
