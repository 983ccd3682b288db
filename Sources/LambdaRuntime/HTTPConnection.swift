/// One HTTP/1.1 connection to the Runtime API, opened when it is needed and kept between requests.
///
/// A request is sent a second time only where the first cannot have had an effect, and then once, over a new connection:
///
/// - A kept connection proves dead before a byte of the request went out: the server has closed it, or `send` took
///   nothing. Any request may then go out anew. To see whether the server has closed it costs a system call, so it is asked
///   only of a connection that was idle for ``trustedNanoseconds``.
/// - A kept connection ends after the request went out and before the first byte of its answer. Only a GET goes out anew
///   (RFC 9110 §9.2.2): while an invocation is open, `/next` gives the same event again. A post is never repeated: the
///   server may have taken it, and a second one is refused with 403, which ends the runtime.
/// - A fresh connection that fails is a failure.
///
/// No proxy is ever asked, whatever the environment says, and no call has a timeout: `/next` waits while the environment
/// is frozen, for hours if need be.
///
/// A class, since Embedded Swift cannot end the life of another module's noncopyable type with a `deinit`; it has one
/// owner, `RuntimeAPI`, which cannot be copied.
final class HTTPConnection {
  private let addresses: [SocketAddress]
  /// A connection that waits for its next request. While a request runs it belongs to the request alone, so a request
  /// that fails closes it.
  private var idle: Socket?
  /// When the last answer had come, of `Clock.nanoseconds`.
  private var idleSince: UInt64 = 0
  private let trustedNanoseconds: UInt64
  private var reader = ResponseReader()

  /// Nanoseconds for which a connection counts as alive after an answer: ours. A server that closes after an answer without
  /// saying so in it may close sooner; one that ends connections for their idleness, or a frozen environment, cannot.
  static let trustedNanoseconds: UInt64 = 1_000_000

  init(to addresses: [SocketAddress], trustedNanoseconds: UInt64) {
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

  /// The number of the kept connection's descriptor, for a test that counts descriptors.
  var idleDescriptor: Int32? {
    switch idle {
    case .some(let socket): socket.descriptor
    case .none: nil
    }
  }
}

extension HTTPConnection {
  /// The bytes of a request, and what may be done with them.
  struct Request {
    let head: [UInt8]
    let body: [UInt8]
    /// Whether a second request has the effect of the first.
    let isIdempotent: Bool
  }

  private struct Exchange {
    let request: Request
    let answerByteLimit: Int
  }

  /// - Returns: nil where a kept connection proved dead and the request may go out anew.
  private func attempt(
    _ exchange: Exchange, on connection: consuming Socket, isKept: Bool, answerBody: inout [UInt8]
  ) throws(TransportFailure) -> ResponseHead? {
    var socket = connection
    let request = exchange.request
    if isKept, Clock.nanoseconds &- idleSince >= trustedNanoseconds, !socket.isQuiet { return nil }
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
      idleSince = Clock.nanoseconds
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
