package import FunctionHost
import IssuerKeys
import JOSE
package import UserStore

/// The identity function: answers proxy events, writes the log, and refreshes keys after the response is sent.
package struct IdentityFunction<Store: UserStore> {
  private var service: IdentityService<Store, FetchProcessTransport>
  private let environment: FunctionEnvironment
  private var isFirst = true
  /// The log, which the runtime loop also writes to.
  package let log: FunctionLog

  /// Starts with these settings; fetches keys if there are none.
  package init(_ settings: IdentitySettings, store: Store, _ environment: FunctionEnvironment) {
    self.environment = environment
    // Must come first: it ensures that no socket or pipe becomes standard output.
    log = FunctionLog(environment)
    let transport = FetchProcessTransport(settings.fetch, environment)
    service = IdentityService(
      settings, store: store, transport: transport, at: environment.unixMilliseconds / 1000)
    if settings.isDevelopment {
      log.write(
        "AUTHORIZER_DEVELOPMENT=1: insecure test tokens are accepted; never deploy this", .warn)
    }
    writeNotices()
  }

  private init(
    _ service: IdentityService<Store, FetchProcessTransport>, _ environment: FunctionEnvironment,
    _ log: FunctionLog
  ) {
    self.service = service
    self.environment = environment
    self.log = log
  }

  /// A copy for another worker of this process that shares the keys and the log output and has its own store; `nil`
  /// if there is no memory for a lock. Call before the worker's thread starts.
  package func forAnotherWorker(store: Store) -> IdentityFunction? {
    guard let service = service.forAnotherWorker(store: store), let log = log.forAnotherWorker() else {
      return nil
    }
    return IdentityFunction(service, environment, log)
  }

  /// The answer to the Runtime API.
  package enum Answer: Equatable, Sendable {
    /// A response for the caller, of any status.
    case response([UInt8])
    /// The event is not a proxy event: an error code and a message.
    case failure(code: String, message: String)
  }

  /// Answers one event.
  ///
  /// - Parameters:
  ///   - traceHeader: the X-Ray trace header of the invocation, if it has one.
  ///   - deadlineMilliseconds: the invocation's deadline in Unix milliseconds, if known.
  package mutating func answer(
    to event: [UInt8], requestID: String, traceHeader: String?, deadlineMilliseconds: Int64?
  ) -> Answer {
    let invocation = LoggedInvocation(requestID: requestID, traceHeader: traceHeader, isFirst: isFirst)
    isFirst = false
    let started = environment.monotonicMicroseconds
    let now = environment.unixMilliseconds
    let machineNow = environment.machineUnixMilliseconds
    let time = InvocationTime(
      unixSeconds: now / 1000, deadlineMilliseconds: deadlineMilliseconds, machineMilliseconds: machineNow)
    let inputs = InvocationInputs(
      time: time, unixMilliseconds: now, deadlineMilliseconds: machineNow + time.fetchMilliseconds,
      randomBytes: environment.randomBytes(NonceMint.randomBytes) ?? [])
    do throws(ProxyEventFlaw) {
      let record = try service.answer(to: event, inputs)
      write(record, invocation, at: now, since: started)
      return .response(record.response)
    } catch {
      let duration = environment.monotonicMicroseconds - started
      log.write("request", .error, requestID: invocation.requestID, at: now) { line in
        line.member("outcome", RequestRecord.Outcome.failure.rawValue)
        line.member("reason", "invalidEvent")
        line.member("microseconds", duration)
        line.members(of: invocation, nil)
      }
      return .failure(code: "invalidEvent", message: "invalidEvent: " + error.description)
    }
  }

  /// Refreshes keys; called between a response and the next event.
  package mutating func afterResponse(deadlineMilliseconds: Int64?) {
    let time = InvocationTime(
      unixSeconds: environment.unixMilliseconds / 1000, deadlineMilliseconds: deadlineMilliseconds,
      machineMilliseconds: environment.machineUnixMilliseconds)
    // Also before the fetch, which the end of the environment may interrupt.
    writeNotices()
    service.refreshKeys(at: time)
    writeNotices()
  }

  /// Logs codes, hashes and IDs, never a token, a nonce, a subject, a name or an email address.
  private func write(
    _ record: RequestRecord, _ invocation: LoggedInvocation, at now: Int64, since started: Int64
  ) {
    let duration = environment.monotonicMicroseconds - started
    log.write("request", record.level, requestID: invocation.requestID, at: now) { line in
      line.member("outcome", record.outcome.rawValue)
      if let refusal = record.refusal {
        line.member("reason", refusal.reason)
        if case .store(let error) = refusal { line.member("detail", error.detail) }
      }
      if let route = record.route { line.member("route", route) }
      if let receiver = record.receiver { line.member("receiver", receiver) }
      line.member("status", record.status)
      if let hash = record.tokenHash { line.member("tokenHash", utf8: hash.span) }
      line.member("payload", record.format.rawValue)
      line.member("microseconds", duration)
      if record.keyFetches > 0 { line.member("fetches", Int64(record.keyFetches)) }
      line.members(of: invocation, record.apiRequestID)
    }
  }

  private func writeNotices() {
    for notice in service.takeNotices() { log.write(notice) }
  }
}
