/// The authorizer as a function: decides, writes its log, refreshes keys once the answer is out.
///
/// The log line is written before the answer is given, since the environment may be frozen right after it.
public struct AuthorizerFunction {
  private var authorizer: Authorizer<FetchProcessTransport>
  private let environment: FunctionEnvironment
  /// What it says, and where others may say something too.
  public let log: FunctionLog

  /// Starts with these settings; fetches keys where there are none.
  public init(_ settings: Settings, _ environment: FunctionEnvironment) {
    self.environment = environment
    // First of all: it sees to it that no socket or pipe becomes standard output.
    log = FunctionLog(settings.log, environment)
    let transport = FetchProcessTransport(settings.fetch, environment)
    let now = environment.unixMilliseconds / 1000
    switch settings.revocation?.store {
    case nil: authorizer = Authorizer(settings: settings, transport: transport, at: now)
    case .file(let path):
      let file = RevocationFile(path: path, environment)
      authorizer = Authorizer(settings: settings, transport: transport, revocations: file, at: now)
    case .dynamoDB(let table, let region):
      let store = RevocationTable(table, region: region, settings, environment)
      authorizer = Authorizer(settings: settings, transport: transport, revocations: store, at: now)
    }
    authorizer.hashedDecisions = log.decisions
    if settings.isDevelopment {
      log.write(
        "AUTHORIZER_DEVELOPMENT=1: tokens that anybody can sign are accepted; never deploy this", .warn)
    }
    for warning in settings.warnings where warning.isSaidAtStart { log.write(warning.description, .warn) }
    writeNotices()
  }

  /// The function for another worker of this process, with the same keys and the same place for its lines. To be made
  /// before the worker's thread is; nil where there is no memory for a lock.
  public func forAnotherWorker() -> AuthorizerFunction? {
    guard let authorizer = authorizer.forAnotherWorker(), let log = log.forAnotherWorker() else { return nil }
    return AuthorizerFunction(authorizer, environment, log)
  }

  private init(
    _ authorizer: Authorizer<FetchProcessTransport>, _ environment: FunctionEnvironment, _ log: FunctionLog
  ) {
    self.authorizer = authorizer
    self.environment = environment
    self.log = log
  }

  /// Decides about one event.
  ///
  /// - Parameter deadlineMilliseconds: when the invocation is cut off, in Unix milliseconds, where that is known.
  public mutating func answer(to event: [UInt8], requestID: String, deadlineMilliseconds: Int64?) -> Answer {
    let started = environment.monotonicMicroseconds
    let now = environment.unixMilliseconds
    let budget = FetchBudget(
      deadlineMilliseconds: deadlineMilliseconds, nowMilliseconds: environment.machineUnixMilliseconds)
    let decision = authorizer.decide(on: event, at: now / 1000, budget: budget)
    let duration = environment.monotonicMicroseconds - started
    log.write(
      decision, requestID: requestID, at: now, microseconds: duration, keyFetches: authorizer.keyFetches)
    return decision.answer
  }

  /// Refreshes keys; for the time between an answer and the next event.
  public mutating func afterResponse(deadlineMilliseconds: Int64?) {
    let now = environment.unixMilliseconds
    let budget = FetchBudget(
      deadlineMilliseconds: deadlineMilliseconds, nowMilliseconds: environment.machineUnixMilliseconds)
    // Before the fetches too, which may be cut off.
    writeNotices()
    authorizer.refreshKeys(at: now / 1000, budget: budget)
    writeNotices()
  }

  private func writeNotices() {
    for notice in authorizer.takeNotices() { log.write(notice) }
  }
}
