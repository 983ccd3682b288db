public import Authorizer
import JOSE
public import UserStore

/// The identity function: answers proxy events, writes its log, refreshes keys once the answer is out.
public struct IdentityFunction<Store: UserStore> {
  private var service: IdentityService<Store, FetchProcessTransport>
  private let environment: FunctionEnvironment
  /// What it says, and where others may say something too.
  public let log: FunctionLog

  /// Starts with these settings; fetches keys where there are none.
  public init(_ settings: IdentitySettings, store: Store, _ environment: FunctionEnvironment) {
    self.environment = environment
    // First of all: it sees to it that no socket or pipe becomes standard output.
    log = FunctionLog(LogSettings(), environment)
    let transport = FetchProcessTransport(settings.fetch, environment)
    service = IdentityService(
      settings, store: store, transport: transport, at: environment.unixMilliseconds / 1000)
    if settings.isDevelopment {
      log.write(
        "AUTHORIZER_DEVELOPMENT=1: tokens that anybody can sign are accepted; never deploy this", .warn)
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

  /// The function for another worker of this process, with the same keys, the same place for its lines, and a store of its
  /// own. To be made before the worker's thread is; nil where there is no memory for a lock.
  public func forAnotherWorker(store: Store) -> IdentityFunction? {
    guard let service = service.forAnotherWorker(store: store), let log = log.forAnotherWorker() else {
      return nil
    }
    return IdentityFunction(service, environment, log)
  }

  /// What the Runtime API is told.
  public enum Answer: Equatable, Sendable {
    /// An answer for the caller, whatever its status.
    case response([UInt8])
    /// No proxy event: the code and the message of an error.
    case failure(code: String, message: String)
  }

  /// Answers one event.
  ///
  /// - Parameter deadlineMilliseconds: when the invocation is cut off, in Unix milliseconds, where that is known.
  public mutating func answer(to event: [UInt8], requestID: String, deadlineMilliseconds: Int64?) -> Answer {
    let started = environment.monotonicMicroseconds
    let now = environment.unixMilliseconds
    let machineNow = environment.machineUnixMilliseconds
    let budget = FetchBudget(deadlineMilliseconds: deadlineMilliseconds, nowMilliseconds: machineNow)
    let moment = Moment(
      unixMilliseconds: now, deadlineMilliseconds: machineNow + budget.milliseconds, fetchBudget: budget,
      randomBytes: environment.randomBytes(NonceMint.randomBytes) ?? [])
    do throws(ProxyEventFlaw) {
      let exchange = try service.answer(to: event, moment)
      write(exchange, requestID, at: now, since: started)
      return .response(exchange.response)
    } catch {
      let duration = environment.monotonicMicroseconds - started
      log.write("request", .error, requestID: requestID, at: now) { line in
        line.member("outcome", Exchange.Outcome.failure.rawValue)
        line.member("reason", "invalidEvent")
        line.member("microseconds", duration)
      }
      return .failure(code: "invalidEvent", message: "invalidEvent: " + error.description)
    }
  }

  /// Refreshes keys; for the time between an answer and the next event.
  public mutating func afterResponse(deadlineMilliseconds: Int64?) {
    let now = environment.unixMilliseconds
    let budget = FetchBudget(
      deadlineMilliseconds: deadlineMilliseconds, nowMilliseconds: environment.machineUnixMilliseconds)
    // Before the fetch too, which may be cut off.
    writeNotices()
    service.refreshKeys(at: now / 1000, budget: budget)
    writeNotices()
  }

  /// Codes and hashes, never a token, a nonce, a subject, a name or an address.
  private func write(_ exchange: Exchange, _ requestID: String, at now: Int64, since started: Int64) {
    let duration = environment.monotonicMicroseconds - started
    let level: LogLevel = exchange.outcome == .failure ? .error : .info
    log.write("request", level, requestID: requestID, at: now) { line in
      line.member("outcome", exchange.outcome.rawValue)
      if let refusal = exchange.refusal {
        line.member("reason", refusal.reason)
        if case .store(let error) = refusal { line.member("detail", error.detail) }
      }
      if let route = exchange.route { line.member("route", route) }
      line.member("status", exchange.status)
      if let hash = exchange.tokenHash { line.member("tokenHash", utf8: hash) }
      line.member("payload", exchange.format.rawValue)
      line.member("microseconds", duration)
      if exchange.keyFetches > 0 { line.member("fetches", Int64(exchange.keyFetches)) }
    }
  }

  private func writeNotices() {
    for notice in service.takeNotices() { log.write(notice) }
  }
}
