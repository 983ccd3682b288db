@testable import LambdaEmulator
import Testing

/// Tests of first and second initializations and their timeouts, without a socket or a process.
@Suite struct InitializationTests {
  typealias Machine = RuntimeStateMachine
  typealias Action = RuntimeStateMachine.Action

  static func moment(_ milliseconds: UInt64) -> Moment {
    Moment(monotonicNanoseconds: milliseconds * 1_000_000, unixMilliseconds: Int64(milliseconds))
  }

  static func waiting() -> Machine {
    var machine = Machine()
    _ = machine.enqueue(RuntimeStateMachineTests.invocation("a"), at: moment(0))
    return machine
  }

  static func end(_ actions: [Action]) -> InvocationEnd? {
    actions.lazy.compactMap { if case .ended(let end) = $0 { end } else { nil } }.first
  }

  static func answer(_ actions: [Action]) -> InvocationAnswer? {
    actions.lazy.compactMap { if case .answered(_, let answer, _) = $0 { answer } else { nil } }.first
  }

  static func initialization(_ actions: [Action]) -> InitializationEnd? {
    actions.lazy.compactMap { if case .initialized(let end) = $0 { end } else { nil } }.first
  }

  static let report = FunctionErrorReport(
    headerType: "Function.InvalidConfiguration", document: Array("{}".utf8))

  @Test func firstStartHasTheInitializationLimit() {
    var machine = Self.waiting()
    #expect(machine.awaitsProcess)
    #expect(
      machine.processStarted(at: Self.moment(0)) == [.startTimer(.initialization, milliseconds: 10_000)])
    #expect(!machine.awaitsProcess)
  }

  @Test(arguments: [
    InitializationFailure.timedOut(milliseconds: 10_000), .died(.signal(4)), .reported(report),
    .notStarted("No such file or directory"),
  ]) func failedInitializationIsRetriedInTheInvocation(_ failure: InitializationFailure) {
    var machine = Self.waiting()
    _ = machine.processStarted(at: Self.moment(0))
    let first = Self.fail(&machine, failure, at: Self.moment(10_000))
    #expect(
      Self.initialization(first)
        == InitializationEnd(phase: .initialization, nanoseconds: 10_000_000_000, failure: failure))
    #expect(Self.answer(first) == nil)
    _ = machine.processEnded(.signal(9), at: Self.moment(10_001))
    #expect(machine.awaitsProcess)

    // Only the invocation's timer runs now.
    #expect(
      machine.processStarted(at: Self.moment(10_002)) == [
        .began(RuntimeStateMachineTests.invocation("a")),
        .startTimer(.invocation("a"), milliseconds: 3000),
      ])
    let asked = machine.next(exchange: 1, at: Self.moment(10_100))
    #expect(
      Self.initialization(asked)
        == InitializationEnd(phase: .invocation, nanoseconds: 98_000_000, failure: nil))
    #expect(RuntimeStateMachineTests.statuses(asked) == [200])
    _ = machine.post(RuntimeStateMachineTests.post("a"), at: Self.moment(10_200))
    let end = Self.end(machine.next(exchange: 2, at: Self.moment(10_202)))
    #expect(end?.nanoseconds == 200_000_000)
    #expect(end?.initializationNanoseconds == nil)
  }

  static func fail(
    _ machine: inout Machine, _ failure: InitializationFailure, at now: Moment
  ) -> [Action] {
    switch failure {
    case .timedOut: machine.timeOut(.initialization, at: now)
    case .died(let exit): machine.processEnded(exit, at: now) + machine.drained()
    case .reported(let report): machine.initializationError(report, exchange: 1, at: now)
    case .notStarted(let reason): machine.processNotStarted(reason, at: now)
    }
  }

  @Test(arguments: [
    (InitializationFailure.died(.signal(4)), InvocationReport.Status.error(type: "Runtime.ExitError")),
    (.reported(report), .error(type: "Function.InvalidConfiguration")),
    (.notStarted("no"), .error(type: "Runtime.InvalidEntrypoint")),
  ]) func secondFailureEndsTheInvocationAndTheNextEventRetries(
    _ failure: InitializationFailure, _ status: InvocationReport.Status
  ) {
    var machine = Self.waiting()
    _ = machine.enqueue(RuntimeStateMachineTests.invocation("b"), at: Self.moment(0))
    _ = machine.processStarted(at: Self.moment(0))
    _ = Self.fail(&machine, failure, at: Self.moment(1))
    _ = machine.processEnded(.status(1), at: Self.moment(2))
    _ = machine.processStarted(at: Self.moment(3))
    let second = Self.fail(&machine, failure, at: Self.moment(4))
    #expect(Self.initialization(second)?.phase == .invocation)
    #expect(Self.answer(second) == .initializationFailed(failure))
    #expect(Self.end(second)?.status == status)
    _ = machine.processEnded(.status(1), at: Self.moment(5))
    #expect(
      machine.processStarted(at: Self.moment(6)).first == .began(RuntimeStateMachineTests.invocation("b")))
  }

  @Test func secondInitializationHasTheFunctionsTimeout() {
    var machine = Self.waiting()
    _ = machine.processStarted(at: Self.moment(0))
    _ = machine.timeOut(.initialization, at: Self.moment(10_000))
    _ = machine.processEnded(.signal(9), at: Self.moment(10_000))
    _ = machine.processStarted(at: Self.moment(10_000))
    #expect(machine.timeOut(.initialization, at: Self.moment(12_000)).isEmpty)
    let actions = machine.timeOut(.invocation("a"), at: Self.moment(13_000))
    #expect(Self.answer(actions) == .initializationFailed(.timedOut(milliseconds: 3000)))
    #expect(Self.end(actions)?.status == .timeout)
    #expect(actions.last == .endProcess)
  }

  @Test func reportsAnInitializationOnce() {
    var machine = Self.waiting()
    _ = machine.processStarted(at: Self.moment(0))
    _ = machine.next(exchange: 1, at: Self.moment(20))
    _ = machine.post(RuntimeStateMachineTests.post("a"), at: Self.moment(25))
    let first = Self.end(machine.next(exchange: 2, at: Self.moment(30)))
    #expect(first?.initializationNanoseconds == 20_000_000)
    // The time after the answer counts too.
    #expect(first?.nanoseconds == 10_000_000)
    _ = machine.enqueue(RuntimeStateMachineTests.invocation("b"), at: Self.moment(40))
    _ = machine.post(RuntimeStateMachineTests.post("b"), at: Self.moment(41))
    #expect(Self.end(machine.next(exchange: 3, at: Self.moment(42)))?.initializationNanoseconds == nil)
  }

  @Test func workAfterTheAnswerCountsTowardTheTimeout() {
    var machine = RuntimeStateMachineTests.running()
    _ = machine.post(RuntimeStateMachineTests.post("a"), at: Self.moment(1))
    #expect(!machine.isIdle)
    #expect(machine.enqueue(RuntimeStateMachineTests.invocation("b"), at: Self.moment(2)).isEmpty)
    let actions = machine.timeOut(.invocation("a"), at: Self.moment(3000))
    #expect(Self.answer(actions) == nil)
    #expect(Self.end(actions)?.status == .timeout)
    #expect(actions.last == .endProcess)
    #expect(machine.awaitsProcess)
  }

  @Test func ignoresTheTimerOfAnEndedInvocation() {
    var machine = RuntimeStateMachineTests.running()
    _ = machine.post(RuntimeStateMachineTests.post("a"), at: Self.moment(1))
    _ = machine.next(exchange: 2, at: Self.moment(2))
    #expect(machine.isIdle)
    #expect(machine.timeOut(.invocation("a"), at: Self.moment(3000)).isEmpty)
    #expect(machine.timeOut(.initialization, at: Self.moment(10_000)).isEmpty)
  }

  @Test func exceededMemoryKillsTheProcessWithItsOwnType() throws {
    var machine = RuntimeStateMachineTests.running()
    let actions = machine.exceedMemory(at: Self.moment(5))
    guard case .error(let report)? = Self.answer(actions) else {
      Issue.record("no error")
      return
    }
    #expect(report.headerType == "Runtime.OutOfMemory")
    #expect(
      String(decoding: report.document, as: UTF8.self)
        == #"{"errorMessage":"RequestId: a Error: Runtime exited with error: signal: killed","#
        + #""errorType":"Runtime.OutOfMemory"}"#)
    #expect(Self.end(actions)?.status == .error(type: "Runtime.OutOfMemory"))
    #expect(actions.last == .endProcess)
    #expect(RuntimeStateMachineTests.statuses(machine.next(exchange: 2, at: Self.moment(6))) == [500])
  }

  @Test func reportsAProcessThatLinuxKilledForItsMemory() {
    var machine = RuntimeStateMachineTests.running()
    let actions = machine.processEnded(.signal(9), outOfMemory: true, at: Self.moment(5))
    #expect(Self.end(actions)?.status == .error(type: "Runtime.OutOfMemory"))
  }
}
