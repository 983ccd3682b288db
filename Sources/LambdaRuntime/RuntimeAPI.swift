/// A client of the Lambda Runtime API 2018-06-01: one connection, one invocation at a time.
///
/// The calls follow Lambda's state machine: ``next()`` returns an invocation, and ``respond(to:with:)`` or
/// ``fail(_:with:)`` consumes it. ``reportInitializationFailure(_:)`` is allowed only before the first ``next()``.
/// After any thrown error the process must exit.
///
/// Source: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html.
package struct RuntimeAPI: ~Copyable {
  private let requests: RequestWriter
  private var connection: HTTPConnection
  /// The body of the answer to a POST, a property so that its memory is reused.
  private var postAnswer: [UInt8] = []
  /// The memory of the last event, reused for the next one.
  private var eventMemory: [UInt8] = []

  /// The maximum size of an event in bytes: 6 MiB of a synchronous invocation, and the 100 bytes that Lambda allows
  /// in addition (https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html; the answer to a longer
  /// response is "Exceeded maximum allowed payload size (6291556 bytes).").
  package static let eventByteLimit = 6 * 1024 * 1024 + 100
  /// The maximum size in bytes of the answer to a POST (this project's limit). Lambda's answers are below 300 bytes.
  package static let postAnswerByteLimit = 64 * 1024
  /// The maximum number of consecutive 204 answers to `/next` (this project's limit). Lambda sends none; cargo-lambda
  /// sends one if its long poll ends without an event. Without a limit, a server that always sends 204 would cause an
  /// endless loop.
  package static let emptyAnswerLimit = 1_000

  /// The maximum bytes of memory reused for the next event (this project's limit). Events of API Gateway have 2 to 20
  /// KB.
  static let keptEventMemoryLimit = 64 * 1024
  /// The user agent. Lambda logs its first word as the release of the runtime.
  static let userAgent: StaticString = "api-gateway-authorizer"

  /// Creates a client of the Runtime API at `endpoint`; sends nothing.
  package init(endpoint: RuntimeEndpoint) {
    self.init(endpoint: endpoint, trustedNanoseconds: HTTPConnection.trustedNanoseconds)
  }

  /// Creates a client that checks whether an idle connection is still open if it was idle for longer than this.
  init(endpoint: RuntimeEndpoint, trustedNanoseconds: Int64) {
    requests = RequestWriter(endpoint: endpoint, userAgent: Self.userAgent)
    connection = HTTPConnection(to: endpoint.addresses, trustedNanoseconds: trustedNanoseconds)
  }

  /// Waits for the next invocation, without a timeout.
  ///
  /// - Throws: `.invalidState` on 403, `.containerError` on 500, `.unexpectedStatus` on other refusals,
  ///   `.noInvocation` after 1,000 answers without an event, `.transport` without a readable answer, and the errors
  ///   of the IDs.
  package mutating func next() throws(RuntimeAPIError) -> PendingInvocation {
    let request = HTTPConnection.Request(head: requests.next, body: [], isIdempotent: true)
    for _ in 0..<Self.emptyAnswerLimit {
      var event: [UInt8] = []
      swap(&event, &eventMemory)
      event.removeAll(keepingCapacity: true)
      let head: ResponseHead
      do throws(TransportFailure) {
        head = try connection.exchange(request, answerBody: &event, answerByteLimit: Self.eventByteLimit)
      } catch { throw .transport(.next, error) }
      switch head.status {
      case 200: return try PendingInvocation(fields: head.invocation, event: event)
      case 204: continue
      default: throw .refusal(of: .next, status: head.status, body: event)
      }
    }
    throw .noInvocation(emptyAnswers: Self.emptyAnswerLimit)
  }

  /// Posts the answer of the function: JSON of at most 6 MiB.
  ///
  /// - Throws: `.invalidState` on 403, `.containerError` on 500, `.unexpectedStatus` on an undocumented status,
  ///   `.transport` without a readable answer.
  package mutating func respond(
    to invocation: consuming PendingInvocation, with body: [UInt8]
  ) throws(RuntimeAPIError) -> PostOutcome {
    let head = requests.response(to: invocation, byteCount: body.count)
    keepMemory(of: invocation)
    return try post(.response, head: head, body: body)
  }

  /// Posts the reason why the function has no answer.
  ///
  /// - Throws: the errors of ``respond(to:with:)``.
  package mutating func fail(
    _ invocation: consuming PendingInvocation, with document: ErrorDocument
  ) throws(RuntimeAPIError) -> PostOutcome {
    let body = document.body
    let head = requests.failure(of: invocation, type: document.type, byteCount: body.count)
    keepMemory(of: invocation)
    return try post(.error, head: head, body: body)
  }

  /// Posts that the function cannot start. Lambda returns the document for the first invocation. The process must
  /// then exit with a status other than 0.
  ///
  /// - Throws: the errors of ``respond(to:with:)``; `.invalidState` if ``next()`` was called before.
  package mutating func reportInitializationFailure(
    _ document: ErrorDocument
  ) throws(RuntimeAPIError) -> PostOutcome {
    let body = document.body
    let head = requests.initializationFailure(type: document.type, byteCount: body.count)
    return try post(.initializationError, head: head, body: body)
  }

  /// The descriptor of the idle connection, for a test that counts descriptors.
  var idleDescriptor: Int32? { connection.idleDescriptor }
}

extension RuntimeAPI {
  private mutating func keepMemory(of invocation: consuming PendingInvocation) {
    let event = invocation.event
    if event.capacity <= Self.keptEventMemoryLimit { eventMemory = event }
  }

  private mutating func post(
    _ call: RuntimeCall, head: [UInt8], body: [UInt8]
  ) throws(RuntimeAPIError) -> PostOutcome {
    postAnswer.removeAll(keepingCapacity: true)
    let status: Int
    do throws(TransportFailure) {
      status = try connection.exchange(
        HTTPConnection.Request(head: head, body: body, isIdempotent: false),
        answerBody: &postAnswer, answerByteLimit: Self.postAnswerByteLimit
      ).status
    } catch { throw .transport(call, error) }
    switch status {
    case 200..<300: return .accepted
    case 400: return .refused(RefusalDetail(body: postAnswer))
    case 410: return .stale
    case 413: return .tooLarge
    default: throw .refusal(of: call, status: status, body: postAnswer)
    }
  }
}

extension RuntimeAPIError {
  /// The error for a status after which the runtime cannot continue.
  fileprivate static func refusal(of call: RuntimeCall, status: Int, body: [UInt8]) -> RuntimeAPIError {
    let detail = RefusalDetail(body: body)
    switch status {
    case 403: return .invalidState(call, detail)
    case 500: return .containerError(call, detail)
    default: return .unexpectedStatus(call, status: status, detail)
    }
  }
}
