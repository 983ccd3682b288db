@testable import LambdaEmulator
import Testing

/// Tests of the Runtime API's rules without a socket: events in, actions out.
@Suite struct RuntimeStateMachineTests {
  typealias Machine = RuntimeStateMachine
  typealias Action = RuntimeStateMachine.Action

  static func moment(_ microseconds: UInt64) -> Moment {
    Moment(monotonicNanoseconds: microseconds * 1000, unixMilliseconds: 1_700_000_000_000)
  }

  static func invocation(_ name: String) -> Invocation {
    Invocation(
      requestID: name, attemptID: "attempt-\(name)", event: Array("{}".utf8), functionARN: "arn:f",
      traceID: "Root=1", timeoutMilliseconds: 3000)
  }

  static func post(
    _ requestID: String, attempt: String? = nil, exchange: Int = 9,
    _ payload: Machine.Post.Payload = .response([1])
  ) -> Machine.Post {
    Machine.Post(exchange: exchange, requestID: requestID, attemptID: attempt, payload: payload)
  }

  static func running() -> Machine {
    var machine = Machine()
    _ = machine.processStarted(at: moment(0))
    _ = machine.next(exchange: 1, at: moment(0))
    _ = machine.enqueue(invocation("a"), at: moment(10))
    return machine
  }

  static func statuses(_ actions: [Action]) -> [Int] {
    actions.compactMap { if case .reply(_, let reply) = $0 { reply.status } else { nil } }
  }

  /// RIE#11, aws-sam-cli#2456, rust-runtime#271: the runtime got no ARN of the function.
  @Test func pollWaitsForAnEventAndGetsLambdasHeaders() {
    var machine = Machine()
    _ = machine.processStarted(at: Self.moment(0))
    #expect(
      machine.next(exchange: 1, at: Self.moment(7)) == [
        .cancelTimer(.initialization),
        .initialized(InitializationEnd(phase: .initialization, nanoseconds: 7000, failure: nil)),
      ])
    let actions = machine.enqueue(Self.invocation("a"), at: Self.moment(10))
    #expect(
      actions.prefix(2) == [
        .began(Self.invocation("a")), .startTimer(.invocation("a"), milliseconds: 3000),
      ])
    guard case .reply(1, let reply)? = actions.last else {
      Issue.record("no reply")
      return
    }
    #expect(reply.status == 200)
    #expect(
      reply.headers.map { "\($0.name): \($0.value)" } == [
        "Content-Type: application/json", "Lambda-Runtime-Aws-Request-Id: a",
        "Lambda-Runtime-Invocation-Id: attempt-a", "Lambda-Runtime-Deadline-Ms: 1700000003000",
        "Lambda-Runtime-Invoked-Function-Arn: arn:f", "Lambda-Runtime-Trace-Id: Root=1",
      ])
    #expect(reply.body == Array("{}".utf8))
  }

  @Test func earlyEventWaitsForThePoll() {
    var machine = Machine()
    _ = machine.processStarted(at: Self.moment(0))
    #expect(machine.enqueue(Self.invocation("a"), at: Self.moment(0)).isEmpty)
    let actions = machine.next(exchange: 1, at: Self.moment(5))
    #expect(
      actions.dropFirst(2).prefix(2) == [
        .began(Self.invocation("a")), .startTimer(.invocation("a"), milliseconds: 3000),
      ])
    #expect(Self.statuses(actions) == [200])
  }

  @Test func responseEndsTheInvocationAndMeasuresItsTime() {
    var machine = Self.running()
    let actions = machine.post(Self.post("a", attempt: "attempt-a"), at: Self.moment(194))
    #expect(
      actions == [
        .reply(exchange: 9, .accepted), .answered(requestID: "a", .response([1]), nanoseconds: 184_000),
      ])
    #expect(String(decoding: RuntimeReply.accepted.body, as: UTF8.self) == #"{"status":"OK"}"#)
  }

  @Test func runsOneInvocationAtATimeInQueueOrder() {
    var machine = Self.running()
    #expect(machine.enqueue(Self.invocation("b"), at: Self.moment(11)).isEmpty)
    #expect(machine.enqueue(Self.invocation("c"), at: Self.moment(12)).isEmpty)
    _ = machine.post(Self.post("a"), at: Self.moment(20))
    guard case .reply(2, let next)? = machine.next(exchange: 2, at: Self.moment(21)).last else {
      Issue.record("no event")
      return
    }
    #expect(next.headers[1].value == "b")
    #expect(machine.queue.map(\.requestID) == ["c"])
  }

  @Test func repeatedPollReturnsTheSameEvent() {
    var machine = Self.running()
    let actions = machine.next(exchange: 2, at: Self.moment(30))
    #expect(actions.count == 1)
    guard case .reply(2, let reply)? = actions.first else {
      Issue.record("no reply")
      return
    }
    #expect(reply.headers[1].value == "a")
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let status: Int
    let type: String
    let actions: @Sendable () -> [RuntimeStateMachine.Action]
  }

  static let refusals: [Refusal] = [
    Refusal(testDescription: "unknown request ID", status: 400, type: "InvalidRequestID") {
      var machine = running()
      return machine.post(post("b"), at: moment(20))
    },
    Refusal(testDescription: "post before the first /next", status: 400, type: "InvalidRequestID") {
      var machine = Machine()
      _ = machine.processStarted(at: moment(0))
      return machine.post(post("a"), at: moment(20))
    },
    Refusal(testDescription: "second response", status: 403, type: "InvalidStateTransition") {
      var machine = running()
      _ = machine.post(post("a"), at: moment(20))
      return machine.post(post("a", attempt: "attempt-a"), at: moment(21))
    },
    Refusal(testDescription: "error after response", status: 403, type: "InvalidStateTransition") {
      var machine = running()
      _ = machine.post(post("a"), at: moment(20))
      let report = FunctionErrorReport(headerType: nil, document: [])
      return machine.post(post("a", .error(report)), at: moment(21))
    },
    Refusal(testDescription: "wrong attempt ID, which is checked first", status: 410, type: "InvokeTimeout") {
      var machine = running()
      return machine.post(post("b", attempt: "attempt-b"), at: moment(20))
    },
    Refusal(testDescription: "late post after a timeout", status: 410, type: "InvokeTimeout") {
      var machine = running()
      _ = machine.timeOut(.invocation("a"), at: moment(3_000_000))
      return machine.post(post("a", attempt: "attempt-a"), at: moment(3_000_001))
    },
    Refusal(testDescription: "late post of the previous attempt", status: 410, type: "InvokeTimeout") {
      var machine = running()
      _ = machine.post(post("a"), at: moment(20))
      _ = machine.enqueue(invocation("b"), at: moment(21))
      _ = machine.next(exchange: 2, at: moment(22))
      return machine.post(post("a", attempt: "attempt-a"), at: moment(23))
    },
    Refusal(testDescription: "response that is too large", status: 413, type: "RequestEntityTooLarge") {
      var machine = running()
      return machine.post(post("a", .tooLarge(limit: 5)), at: moment(20))
    },
    Refusal(testDescription: "unknown response mode", status: 400, type: "InvalidFunctionResponseMode") {
      var machine = running()
      return machine.post(post("a", .unknownResponseMode), at: moment(20))
    },
    Refusal(
      testDescription: "/next after an unknown response mode", status: 403, type: "InvalidStateTransition"
    ) {
      var machine = running()
      _ = machine.post(post("a", .unknownResponseMode), at: moment(20))
      return machine.next(exchange: 3, at: moment(21))
    },
    Refusal(testDescription: "init error after the first /next", status: 403, type: "InvalidStateTransition")
    {
      var machine = running()
      return machine.initializationError(
        FunctionErrorReport(headerType: nil, document: []), exchange: 3, at: moment(9))
    },
    Refusal(testDescription: "/next after an init error", status: 403, type: "InvalidStateTransition") {
      var machine = Machine()
      _ = machine.processStarted(at: moment(0))
      _ = machine.initializationError(
        FunctionErrorReport(headerType: nil, document: []), exchange: 1, at: moment(9))
      return machine.next(exchange: 2, at: moment(0))
    },
  ]

  @Test(arguments: refusals) func refusesInvalidCallsWithStatusAndType(_ refusal: Refusal) {
    guard case .reply(_, let reply)? = refusal.actions().first else {
      Issue.record("no reply")
      return
    }
    #expect(reply.status == refusal.status)
    #expect(String(decoding: reply.body, as: UTF8.self).contains(#""errorType":"\#(refusal.type)""#))
  }

  @Test func refusesASecondResponseWithLambdasMessage() {
    var machine = Self.running()
    _ = machine.post(Self.post("a"), at: Self.moment(20))
    guard case .reply(_, let reply)? = machine.post(Self.post("a"), at: Self.moment(21)).first else { return }
    let body = String(decoding: reply.body, as: UTF8.self)
    #expect(
      body.contains("State transition from RuntimeResponseSentState to InvocationResponse failed for runtime")
    )
  }

  @Test func runtimeContinuesAfterA413AndTheCallerGetsTheError() {
    var machine = Self.running()
    let actions = machine.post(Self.post("a", .tooLarge(limit: 5)), at: Self.moment(20))
    guard case .answered("a", .error(let report), _)? = actions.last else {
      Issue.record("not finished")
      return
    }
    #expect(report.headerType == "Function.ResponseSizeTooLarge")
    _ = machine.enqueue(Self.invocation("b"), at: Self.moment(21))
    #expect(Self.statuses(machine.next(exchange: 2, at: Self.moment(22))) == [200])
  }

  @Test func acceptsAnAbsentAttemptID() {
    var machine = Self.running()
    #expect(Self.statuses(machine.post(Self.post("a", attempt: nil), at: Self.moment(20))) == [202])
  }

  @Test func processExitEndsTheInvocationButNotTheQueue() {
    var machine = Self.running()
    _ = machine.enqueue(Self.invocation("b"), at: Self.moment(11))
    #expect(machine.processEnded(.status(3), at: Self.moment(50)).first == .cancelTimer(.invocation("a")))
    #expect(!machine.awaitsProcess)
    let actions = machine.drained()
    #expect(
      actions.dropFirst().prefix(2) == [
        .cancelTimer(.invocation("a")),
        .answered(requestID: "a", .died(.status(3)), nanoseconds: 40_000),
      ])
    #expect(machine.awaitsProcess)
    #expect(machine.processStarted(at: Self.moment(55)).first == .began(Self.invocation("b")))
    #expect(Self.statuses(machine.next(exchange: 2, at: Self.moment(60))) == [200])
  }

  @Test(arguments: [
    ("Function.Unauthorized", "Function.Unauthorized"), ("Runtime.ExitError", "Runtime.ExitError"),
    ("My.Runtime.Failed", "My.Runtime.Failed"), ("Unhandled", "Runtime.Unknown"), ("", "Runtime.Unknown"),
    ("Function.lower", "Function.Unknown"), ("Function.X", "Function.Unknown"),
    ("Runtime.", "Runtime.Unknown"),
  ]) func normalizesTheErrorTypeHeaderAsLambdaDoes(_ header: String, _ accepted: String) {
    #expect(FunctionErrorReport(headerType: header, document: []).headerType == accepted)
  }

  @Test(
    arguments: [
      ("GET", "/2018-06-01/runtime/invocation/next", RuntimeCall.next),
      ("POST", "/2018-06-01/runtime/init/error", .initializationError),
      ("POST", "/2018-06-01/runtime/invocation/x/response", .response(requestID: "x")),
      ("POST", "/2018-06-01/runtime/invocation/x/error", .error(requestID: "x")),
      ("POST", "/2020-01-01/extension/register", .registerExtension),
      ("GET", "/2020-01-01/extension/event/next", .nextExtensionEvent),
      ("POST", "/2020-01-01/extension/init/error", .extensionError),
      ("POST", "/2020-01-01/extension/exit/error", .extensionError),
      ("PUT", "/2022-07-01/telemetry", nil), ("GET", "/ping", .ping),
      ("GET", "/2018-06-01/ping", .ping), ("POST", "/2018-06-01/runtime/invocation/next", nil),
      ("GET", "/2018-06-01/runtime/invocation/x/response", nil), ("GET", "/", nil),
      ("GET", "/2018-06-01/runtime/restore/next", nil),
    ] as [(String, String, RuntimeCall?)])
  func mapsPathsToCalls(_ method: String, _ path: String, _ call: RuntimeCall?) {
    #expect(RuntimeCall(method: method, path: path) == call)
  }
}
