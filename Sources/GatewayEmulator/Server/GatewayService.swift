internal import AuthorizerContract
package import GatewayModel
package import LambdaEmulator
internal import Text
internal import Foundation
internal import JSON
internal import Mapping
internal import Synchronization

/// The running gateway: it calls functions and backends, and its clock can be moved.
package final class GatewayService: Sendable {
  package enum Backend: Equatable, Sendable {
    /// An echo of what the backend would have received.
    case echo
    /// This origin, in place of the template's.
    case origin(String)
    case template
  }

  package let gateway: Gateway
  package let functions: [String: any FunctionInvoking]
  package let backend: Backend
  /// Why functions do not run, by name: a call of one fails. `nil` where an echo answers for each of them.
  private let refusals: [String: String]?
  package let clock: LambdaClock
  package let onRecord: @Sendable (AccessRecord) -> Void
  private let observer: (any RequestObserving)?
  private let explainer: (any DecisionExplaining)?
  private let shared: Mutex<Shared>
  private let state = Gateway.State()
  let sockets = Mutex(WebSocketConnections())

  private struct Shared {
    var offsetMilliseconds: Int64
    var unmovedFunctions: [String] = []
  }

  /// Creates a running gateway.
  ///
  /// - Parameters:
  ///   - functions: by the names of their resources. An authorizer whose function is missing fails each request.
  ///   - refusals: why other functions do not run; `nil` lets an echo answer for those of backends.
  ///   - explainer: says why the authorizer refused a request, for the log and the console.
  ///   - clockOffsetSeconds: the offset of its clock to the machine's.
  package init(
    gateway: Gateway, functions: [String: any FunctionInvoking], refusals: [String: String]? = nil,
    backend: Backend = .echo, clockOffsetSeconds: Int64 = 0, clock: LambdaClock = .system,
    observer: (any RequestObserving)? = nil, explainer: (any DecisionExplaining)? = nil,
    onRecord: @escaping @Sendable (AccessRecord) -> Void = { _ in }
  ) {
    self.gateway = gateway
    self.functions = functions
    self.refusals = refusals
    self.backend = backend
    self.clock = clock
    self.onRecord = onRecord
    self.observer = observer
    self.explainer = explainer
    shared = Mutex(Shared(offsetMilliseconds: clockOffsetSeconds * 1000))
    if clockOffsetSeconds != 0 { moveFunctions(to: clockOffsetSeconds) }
  }

  // MARK: Control

  /// The gateway's time, in milliseconds since 1970.
  package var unixMilliseconds: Int64 {
    clock.now().unixMilliseconds + shared.withLock { $0.offsetMilliseconds }
  }

  /// The offset of its clock to the machine's, in seconds.
  package var clockOffsetSeconds: Int64 { shared.withLock { $0.offsetMilliseconds / 1000 } }

  /// Moves the clock by this many seconds, which may be negative, up to a year from the machine's. Functions in
  /// development follow it.
  ///
  /// - Returns: whether the offset is within the limit.
  package func moveClock(bySeconds seconds: Int64) -> Bool {
    let moved: Int64? = shared.withLock { shared in
      let (moved, overflow) = (shared.offsetMilliseconds / 1000).addingReportingOverflow(seconds)
      guard !overflow, moved.magnitude <= Self.maximumClockSeconds else { return nil }
      shared.offsetMilliseconds = moved * 1000
      return moved
    }
    guard let moved else { return false }
    moveFunctions(to: moved)
    closeExpiredSockets()
    return true
  }

  /// The names of the functions that keep the machine's time while the gateway's clock is moved.
  package var unmovedFunctions: [String] { shared.withLock { $0.unmovedFunctions } }

  private func moveFunctions(to seconds: Int64) {
    let unmoved = functions.keys.sorted().filter { functions[$0]?.setClockOffset(seconds: seconds) == false }
    shared.withLock { $0.unmovedFunctions = seconds == 0 ? [] : unmoved }
  }

  /// Our limit: API Gateway caches no answer for longer than an hour, and no token should live longer than a year.
  private static let maximumClockSeconds: UInt64 = 366 * 86_400

  /// Clears the authorizer cache and returns the number of removed answers.
  package func flushCache() -> Int { state.flush() }

  package var keptAnswers: Int { state.keptAnswers }

  // MARK: Requests

  /// Answers one request.
  ///
  /// - Parameter connectionID: the ID of the connection that a WebSocket handshake requests.
  package func answer(
    _ request: GatewayRequest, to api: GatewayAPI, connectionID: String? = nil
  ) async -> GatewayAnswer {
    let (answer, served) = await answerUnobserved(request, to: api, connectionID: connectionID)
    observer?.observe(served)
    return answer
  }

  /// Answers one request that the caller shows to the observer itself.
  package func answerUnobserved(
    _ request: GatewayRequest, to api: GatewayAPI, connectionID: String? = nil
  ) async -> (answer: GatewayAnswer, served: CompletedRequest) {
    let options = RequestOptions(
      state: state, functions: functions, offsetMilliseconds: 0, callsBackend: true,
      connectionID: connectionID)
    let result = await run(request, to: api, options)
    onRecord(result.served.redactedRecord)
    return result
  }

  /// Records the answer to a request that no API gets: it has a line in the log and a decision too.
  ///
  /// - Parameters:
  ///   - name: what the request names in place of an API.
  ///   - why: the decision, for people.
  func refuse(
    _ request: GatewayRequest, at name: String, with response: GatewayResponse, _ refusal: GatewayError,
    why: String
  ) -> GatewayResponse {
    let api = GatewayAPI(
      name: name, identifier: "", kind: .http(nil), stage: .init(name: "$default", variables: [:]), routes: []
    )
    let received = ReceivedRequest(request, to: api, newIdentity())
    let record = AccessRecord(received, routeKey: nil, .unused(why), status: response.status)
    let served = CompletedRequest(
      GatewayAnswer(response, record, to: received, refusal: refusal), to: received, functionAnswer: nil,
      reachedBackend: false, microseconds: 0)
    onRecord(served.redactedRecord)
    observer?.observe(served)
    return response
  }

  package func run(
    _ request: GatewayRequest, to api: GatewayAPI, _ options: RequestOptions
  ) async -> (answer: GatewayAnswer, served: CompletedRequest) {
    let start = clock.now()
    let received = ReceivedRequest(
      request, to: api, options.identity ?? newIdentity(offsetMilliseconds: options.offsetMilliseconds),
      connectionID: options.connectionID)
    var step = gateway.begin(received, state: options.state)
    var functionAnswer: InvocationAnswer?
    var reachedBackend = false
    while true {
      switch step {
      case .answer(let answer):
        var served = CompletedRequest(
          answer, to: received, functionAnswer: functionAnswer, reachedBackend: reachedBackend,
          microseconds: Int(clock.now().nanoseconds(since: start) / 1000))
        if let explainer { served.explain(with: explainer) }
        return (answer, served)
      case .authorize(let authorization):
        let begin = clock.now()
        let outcome = await invoke(authorization, options.functions)
        functionAnswer = outcome.answer
        let milliseconds = Int(clock.now().nanoseconds(since: begin) / 1_000_000)
        step = gateway.resume(
          authorization, with: outcome, milliseconds: milliseconds,
          at: unixMilliseconds + options.offsetMilliseconds, state: options.state)
      case .integrate(let call):
        guard options.callsBackend else {
          step = .answer(GatewayAnswer(GatewayResponse(status: 200), call.record, of: call.exchange))
          continue
        }
        let result = await result(of: call)
        if case .notEmulated = result {} else { reachedBackend = true }
        step = .answer(gateway.finish(call, with: result))
      }
    }
  }

  /// How an exchange beside the real ones is run: it stores no answer, and uses up no quota of an API key.
  ///
  /// - Parameters:
  ///   - functions: functions that replace those of the gateway.
  ///   - identity: its IDs and its time; `nil` for new ones.
  package func trialOptions(
    readsCache: Bool, functions others: [String: any FunctionInvoking] = [:], offsetMilliseconds: Int64 = 0,
    callsBackend: Bool = false, connectionID: String? = nil, identity: RequestIdentity? = nil
  ) -> RequestOptions {
    RequestOptions(
      state: readsCache ? state.copy() : Gateway.State(), functions: functions.merging(others) { $1 },
      offsetMilliseconds: offsetMilliseconds, identity: identity, callsBackend: callsBackend,
      connectionID: connectionID)
  }

  /// The cached answers, without their keys.
  package func cachedAnswers(limit: Int) -> [(key: AuthorizerCache.Key, value: AuthorizerCache.Entry)] {
    state.copy().withCache { $0.listings(limit: limit, at: unixMilliseconds) }
  }

  private func invoke(
    _ authorization: Gateway.Authorization, _ functions: [String: any FunctionInvoking]
  ) async -> FunctionOutcome {
    guard let function = functions[authorization.authorizer.function] else {
      return FunctionOutcome(
        answer: .initializationFailed(.notStarted(refusal(of: authorization.authorizer.function))))
    }
    let milliseconds = authorization.authorizer.timeoutMilliseconds * clock.timeoutFactor
    let event = authorization.call.event
    return await withTimeout(
      milliseconds, late: FunctionOutcome(answer: .timedOut(milliseconds: milliseconds))
    ) {
      await function.outcome(of: event)
    }
  }

  package func result(of call: BackendCall) async -> BackendAnswer {
    switch call.target {
    case .function(let name, let event, let format):
      guard let function = functions[name] else { return standIn(for: name, call) }
      let bytes = event.bytes()
      return await withTimeout(call.timeoutMilliseconds * clock.timeoutFactor, late: .timedOut) {
        let outcome = await function.outcome(
          of: bytes, in: InvocationContext(tenant: call.tenant, acceptsStream: call.isStreamed))
        guard case .response(let answer) = outcome.answer,
          let read = call.isStreamed
            ? BackendResponse(stream: answer) : BackendResponse(answer, format, to: call.exchange)
        else {
          return .functionFailed(
            why: outcome.answer.failure?.description
              ?? (call.isStreamed ? "its stream has no valid metadata" : "its answer is malformed"))
        }
        return .response(read.response, reason: outcome.reason)
      }
    case .http(let request): return await answer(of: call, to: request)
    case .service: return .echo(call.echo)
    case .mapped(let mapped):
      switch mapped.target {
      case .mock(let reply): return .mapped(reply)
      case .service: return .echo(call.echo)
      case .function(let name, let event, let isAsynchronous):
        return await answer(of: call, from: name, event, isAsynchronous: isAsynchronous)
      case .http(let request):
        let answer = await answer(of: call, to: request)
        guard case .response(let response, _) = answer else { return answer }
        return .mapped(response)
      }
    }
  }

  private func refusal(of function: String) -> String { refusals?[function] ?? "no command for \(function)" }

  /// The answer for a function that does not run.
  private func standIn(for function: String, _ call: BackendCall) -> BackendAnswer {
    refusals == nil ? .echo(call.echo) : .functionFailed(why: refusal(of: function))
  }

  private func answer(of call: BackendCall, to request: BackendRequest) async -> BackendAnswer {
    var request = request
    switch backend {
    case .echo: return .echo(call.echo)
    case .template: if call.isPrivate { return .echo(call.echo) }
    case .origin(let origin):
      let own = BackendRequest.origin(of: request.address)
      request.address = origin + String(Substring(request.address.utf8.dropFirst(own.utf8.count)))
    }
    let (sent, milliseconds) = (request, call.timeoutMilliseconds * clock.timeoutFactor)
    let bytes = call.isStreamed ? RuntimeAPILimits.streamBytes : GatewayQuota.payloadBytes
    return await withTimeout(milliseconds, late: .timedOut) {
      await HTTPBackend.answer(
        to: sent, for: call.exchange.route.key, milliseconds: milliseconds, maximumBytes: bytes)
    }
  }

  /// Calls the function of a mapped integration: its payload is the answer, with a 200, also for an error.
  private func answer(
    of call: BackendCall, from name: String, _ event: [UInt8], isAsynchronous: Bool
  ) async -> BackendAnswer {
    guard let function = functions[name] else { return standIn(for: name, call) }
    if isAsynchronous {
      Task { _ = await function.outcome(of: event, in: InvocationContext(tenant: call.tenant)) }
      return .mapped(GatewayResponse(status: 202))
    }
    let requestID = call.exchange.identity.requestID
    return await withTimeout(call.timeoutMilliseconds * clock.timeoutFactor, late: .timedOut) {
      let outcome = await function.outcome(of: event, in: InvocationContext(tenant: call.tenant))
      let payload = outcome.answer.payload(requestID: requestID)
      var message: String?
      if case .string(let text)? = (try? JSONTree(parsing: payload))?["errorMessage"] { message = text }
      return .mapped(
        GatewayResponse(status: 200, body: payload), errorMessage: message, reason: outcome.reason)
    }
  }

  /// Returns the result of the work, or `late` where it takes longer. The work itself is not canceled, as on AWS.
  private func withTimeout<Value: Sendable>(
    _ milliseconds: Int, late: Value, _ work: @escaping @Sendable () async -> Value
  ) async -> Value {
    let clock = clock
    return await withCheckedContinuation { continuation in
      let once = OneShot(continuation)
      let timer = Task {
        guard (try? await clock.wait(milliseconds)) != nil else { return }
        once.resume(late)
      }
      Task {
        once.resume(await work())
        timer.cancel()
      }
    }
  }

  /// The IDs and the time of a new exchange.
  package func newIdentity(offsetMilliseconds: Int64 = 0) -> RequestIdentity {
    let now = unixMilliseconds + offsetMilliseconds
    return RequestIdentity(
      requestID: Identifiers.requestID(), extendedRequestID: Self.extendedRequestID(),
      traceID: Identifiers.traceRoot(unixMilliseconds: now), unixMilliseconds: now)
  }

  /// 11 random bytes in base64url with padding, as API Gateway writes IDs of requests, messages and connections.
  package static func extendedRequestID() -> String {
    Base64Text.encoded(.random(count: 11))
      .replacingBytes(of: "+", with: "-").replacingBytes(of: "/", with: "_")
  }
}
