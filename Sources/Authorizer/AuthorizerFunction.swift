package import FunctionHost
import IssuerKeys

/// The authorizer as a Lambda function: decides, writes its log, and refreshes keys after the response.
///
/// It writes the log line before it returns the answer, since Lambda may freeze the environment right after the
/// answer.
package struct AuthorizerFunction {
  private var authorizer: Authorizer<FetchProcessTransport>
  private let environment: FunctionEnvironment
  private var isFirst = true
  /// The log of this worker; other parts may write to it too.
  package let log: FunctionLog
  private var decisionLog: DecisionLog

  /// Starts with these settings; fetches the keys that have no seed.
  package init(_ settings: Settings, _ environment: FunctionEnvironment) {
    self.environment = environment
    // This comes first: it ensures that no socket or pipe becomes standard output.
    log = FunctionLog(environment)
    decisionLog = DecisionLog(
      settings.log, functionName: environment.variable("AWS_LAMBDA_FUNCTION_NAME"), to: log)
    let transport = FetchProcessTransport(settings.fetch, environment)
    let now = environment.unixMilliseconds / 1000
    let proofs = ProofTables(settings.fetch, isDevelopment: settings.isDevelopment, environment)
    let readsKeys = settings.revocation?.lookups.isEmpty == false
    switch settings.revocation?.store {
    case nil:
      authorizer = Authorizer(
        settings: settings, transport: transport, revocations: NoRevocationSource(), proofs: proofs, at: now)
    case .file(let path):
      authorizer = Authorizer(
        settings: settings, transport: transport,
        revocations: RevocationFile(path: path, readsKeys: readsKeys, environment), proofs: proofs, at: now)
    case .dynamoDB(let table):
      let store = RevocationTable(
        table, readsBatches: readsKeys, settings.fetch, isDevelopment: settings.isDevelopment, environment)
      authorizer = Authorizer(
        settings: settings, transport: transport, revocations: store, proofs: proofs, at: now)
    }
    authorizer.hashedDecisions = decisionLog.decisions
    if settings.isDevelopment {
      log.write(
        "AUTHORIZER_DEVELOPMENT=1: insecure test tokens are accepted; never deploy this", .warn)
    }
    for warning in settings.warnings where warning.isLoggedAtStart { log.write(warning.description, .warn) }
    writeNotices()
  }

  /// Returns the function for another worker of this process, with the same keys and the same log output. Call it
  /// before the worker's thread starts. Returns `nil` if there is no memory for a lock.
  package func forAnotherWorker() -> AuthorizerFunction? {
    guard let authorizer = authorizer.forAnotherWorker(), let log = log.forAnotherWorker() else { return nil }
    return AuthorizerFunction(
      authorizer, environment, decisionLog: decisionLog.forAnotherWorker(log), log: log)
  }

  private init(
    _ authorizer: Authorizer<FetchProcessTransport>, _ environment: FunctionEnvironment,
    decisionLog: DecisionLog, log: FunctionLog
  ) {
    self.authorizer = authorizer
    self.environment = environment
    self.decisionLog = decisionLog
    self.log = log
  }

  /// Decides about one event.
  ///
  /// - Parameters:
  ///   - requestID: Lambda's request ID in UTF-8.
  ///   - traceHeader: the X-Ray trace header of the invocation in UTF-8, if it has one.
  ///   - deadlineMilliseconds: when the invocation times out, in Unix milliseconds, if known.
  package mutating func answer(
    to event: [UInt8], requestID: ArraySlice<UInt8>, traceHeader: ArraySlice<UInt8>?,
    deadlineMilliseconds: Int64?
  ) -> Answer {
    let started = environment.monotonicMicroseconds
    let now = environment.unixMilliseconds
    let time = InvocationTime(
      unixSeconds: now / 1000, deadlineMilliseconds: deadlineMilliseconds,
      machineMilliseconds: environment.machineUnixMilliseconds)
    let decision = authorizer.decide(on: event, at: time)
    let duration = environment.monotonicMicroseconds - started
    decisionLog.write(
      decision, LoggedInvocation(requestID: requestID, traceHeader: traceHeader, isFirst: isFirst),
      at: now, microseconds: duration, keyFetches: authorizer.keyFetches)
    isFirst = false
    return decision.answer
  }

  /// Refreshes keys between an answer and the next event.
  package mutating func afterResponse(deadlineMilliseconds: Int64?) {
    let time = InvocationTime(
      unixSeconds: environment.unixMilliseconds / 1000, deadlineMilliseconds: deadlineMilliseconds,
      machineMilliseconds: environment.machineUnixMilliseconds)
    // Written before the fetches too, since Lambda may interrupt them.
    writeNotices()
    authorizer.refreshKeys(at: time)
    writeNotices()
  }

  private func writeNotices() {
    for notice in authorizer.takeNotices() { log.write(notice) }
  }
}
