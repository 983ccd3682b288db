import POSIX

/// One HTTP/1.1 connection to the Runtime API, opened on demand and reused for later requests.
///
/// A request is retried only if the first attempt had no effect, at most once, on a new connection:
///
/// - The reused connection is closed before any byte of the request is sent: the server has closed it, or `send`
///   accepted nothing. Every request is retried. The check needs a system call, so only a connection that was idle
///   for ``trustedNanoseconds`` is checked.
/// - The reused connection ends after the request is sent and before the first byte of the answer. Only a GET is
///   retried (RFC 9110 §9.2.2): while an invocation is open, `/next` returns the same event again. A POST is never
///   retried: the server may have processed it, and a second one gets a 403, which ends the runtime.
/// - A new connection that fails is an error.
///
/// The connection never uses a proxy and ignores proxy variables of the environment. No call has a timeout: `/next`
/// waits while the environment is frozen, possibly for hours.
///
/// This is a class because Embedded Swift cannot destroy a noncopyable type of another module that has a `deinit`.
/// Its only owner is `RuntimeAPI`, which is noncopyable.
final class HTTPConnection {
  private let addresses: [SocketAddress]
  /// The connection while no request runs. During a request the request owns the connection, so a failed request
  /// closes it.
  private var idle: Socket?
  /// The time of the last answer, from `SystemCalls.monotonicNanoseconds`.
  private var idleSince: Int64 = 0
  private let trustedNanoseconds: Int64
  private var reader = ResponseReader()

  /// The nanoseconds after an answer during which the connection is assumed to be open (this project's choice). A
  /// server that closes without `Connection: close` may close earlier. An idle timeout of a server, or a frozen
  /// environment, takes longer.
  static let trustedNanoseconds: Int64 = 1_000_000

  init(to addresses: [SocketAddress], trustedNanoseconds: Int64) {
    self.addresses = addresses
    self.trustedNanoseconds = trustedNanoseconds
  }

  /// Sends a request and reads its answer; the body is appended to `answerBody`.
  func exchange(
    _ request: Request, answerBody: inout [UInt8], answerByteLimit: Int
  ) throws(TransportFailure) -> ResponseHead {
    let exchange = Exchange(request: request, answerByteLimit: answerByteLimit)
    if let kept = idle.take(),
      let head = try attempt(exchange, on: kept, isKept: true, answerBody: &answerBody)
    {
      return head
    }
    let fresh = try connect()
    guard let head = try attempt(exchange, on: fresh, isKept: false, answerBody: &answerBody) else {
      throw .connectionLost(errorNumber: 0)
    }
    return head
  }

  /// The descriptor of the idle connection, for a test that counts descriptors.
  var idleDescriptor: Int32? {
    switch idle {
    case .some(let socket): socket.descriptor
    case .none: nil
    }
  }
}

extension HTTPConnection {
  /// The bytes of a request, and whether it may be retried.
  struct Request {
    let head: [UInt8]
    let body: [UInt8]
    /// Whether the request may be sent twice without another effect.
    let isIdempotent: Bool
  }

  private struct Exchange {
    let request: Request
    let answerByteLimit: Int
  }

  /// - Returns: nil if the reused connection was closed and the request may be retried.
  private func attempt(
    _ exchange: Exchange, on connection: consuming Socket, isKept: Bool, answerBody: inout [UInt8]
  ) throws(TransportFailure) -> ResponseHead? {
    var socket = connection
    let request = exchange.request
    let idleNanoseconds = SystemCalls.monotonicNanoseconds &- idleSince
    if isKept, idleNanoseconds >= trustedNanoseconds, !socket.isQuiet { return nil }
    let (sent, errorNumber) = socket.send(request.head, request.body)
    if errorNumber != 0 {
      if isKept && sent == 0 && SystemError.isDeadPeer(errorNumber) { return nil }
      throw .sendFailed(errorNumber: errorNumber, bytesSent: sent)
    }

    reader.reset()
    let head: ResponseHead
    do {
      head = try reader.readHead(from: &socket)
    } catch .connectionLost(let number) where isKept && request.isIdempotent && reader.isEmpty {
      guard number == 0 || SystemError.isDeadPeer(number) else { throw .connectionLost(errorNumber: number) }
      return nil
    }
    try reader.readBody(head.framing, into: &answerBody, limit: exchange.answerByteLimit, from: &socket)
    if head.keepsAlive && reader.isEmpty {
      idle = consume socket
      idleSince = SystemCalls.monotonicNanoseconds
    }
    return head
  }

  private func connect() throws(TransportFailure) -> Socket {
    var errorNumber: Int32 = 0
    for address in addresses {
      do throws(SystemError) {
        return try Socket.connected(to: address)
      } catch { errorNumber = error.number }
    }
    throw .connectFailed(errorNumber: errorNumber)
  }
}
