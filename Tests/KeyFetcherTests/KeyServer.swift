import CLibssl
import Foundation
import LoopbackTLS

/// A server of key sets with a fault: it listens on a port that the kernel chooses and answers every connection in the
/// same way, on a thread of its own, until it is let go. Its waits end after ten seconds, so that a test that fails
/// cannot hang.
final class KeyServer: @unchecked Sendable {
  /// What it does with a request.
  enum Behaviour: Sendable {
    /// Sends these bytes and closes.
    case answer([UInt8])
    /// Sends nothing, and waits for the client to go.
    case silence
    /// Sends a head, then a byte every 20 ms, until the client goes.
    case drip

    static func answer(_ text: String) -> Behaviour { .answer(Array(text.utf8)) }

    /// A whole answer with these fields.
    static func answer(status: String = "200 OK", fields: [String] = [], body: [UInt8]) -> Behaviour {
      let head = ["HTTP/1.1 \(status)", "Content-Length: \(body.count)", "Connection: close"] + fields
      return .answer(Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    }
  }

  let port: UInt16
  private let listener: Int32
  private let behaviour: Behaviour
  private let tls: TLSServer?
  private let lock = NSLock()
  private var heads: [String] = []
  private var isDown = false
  private let ended = DispatchSemaphore(value: 0)

  init(_ behaviour: Behaviour, tls: TLSServer? = nil) throws {
    self.behaviour = behaviour
    self.tls = tls
    (listener, port) = try Self.listen()
    Thread { [self] in
      while let peer = accepted() { serve(peer) }
      ended.signal()
    }.start()
  }

  /// The heads of the requests so far.
  var requests: [String] { lock.withLock { heads } }

  /// Stops; returns when its thread has ended.
  func stop() {
    lock.withLock { isDown = true }
    // A connection wakes the thread from accept(2); shutdown(2) would do so on Linux alone.
    let wake = Self.loopbackSocket()
    unsafe Self.withLoopback(port: port) { address, size in _ = unsafe connect(wake, address, size) }
    close(wake)
    ended.wait()
    close(listener)
  }

  /// A port on which nothing listens. It stays taken for as long as this process lasts, so that no other test listens there.
  static func refusingPort() throws -> UInt16 { try boundSocket().port }

  private func accepted() -> Int32? {
    let peer = accept(listener, nil, nil)
    guard peer >= 0 else { return nil }
    guard !lock.withLock({ isDown }) else {
      close(peer)
      return nil
    }
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      unsafe setsockopt(peer, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    return peer
  }

  private func serve(_ peer: Int32) {
    defer { close(peer) }
    ignoreBrokenPipes()
    let connection: any ServerConnection
    if let tls {
      guard let secured = tls.accept(peer) else { return }
      connection = secured
    } else {
      connection = PlainConnection(descriptor: peer)
    }
    var head: [UInt8] = []
    while head.suffix(4) != Array("\r\n\r\n".utf8)[...] {
      guard let bytes = connection.read() else { return }
      head += bytes
    }
    lock.withLock { heads.append(String(decoding: head, as: UTF8.self)) }
    switch behaviour {
    case .answer(let bytes):
      guard connection.write(bytes) else { return }
      shutdown(peer, Int32(SHUT_WR))
      while connection.read() != nil {}
    case .silence:
      while connection.read() != nil {}
    case .drip:
      var bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n".utf8)
      while connection.write(bytes) {
        bytes = [UInt8(ascii: " ")]
        var watched = pollfd(fd: peer, events: Int16(POLLIN), revents: 0)
        if unsafe poll(&watched, 1, 20) != 0 { return }
      }
    }
  }

  /// OpenSSL writes without MSG_NOSIGNAL. A signal that this thread blocks stays with it.
  private func ignoreBrokenPipes() {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  private static func listen() throws -> (listener: Int32, port: UInt16) {
    let (listener, port) = try boundSocket()
    guard SystemListen.call(listener) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return (listener, port)
  }

  private static func boundSocket() throws -> (socket: Int32, port: UInt16) {
    let listener = loopbackSocket()
    var port: in_port_t?
    unsafe withLoopback(port: 0) { address, size in
      var size = size
      if unsafe bind(listener, address, size) == 0,
        unsafe getsockname(listener, address, &size) == 0
      {
        port = unsafe UnsafeMutableRawPointer(address).assumingMemoryBound(to: sockaddr_in.self).pointee
          .sin_port
      }
    }
    guard listener >= 0, let port else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return (listener, UInt16(bigEndian: port))
  }

  /// Closed in children: other tests of this process start some.
  private static func loopbackSocket() -> Int32 {
    #if canImport(Glibc)
      socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    #else
      socket(AF_INET, SOCK_STREAM, 0)
    #endif
  }

  private static func withLoopback(port: UInt16, _ use: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Void) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        unsafe use(generic, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}

/// The call whose name is also that of a method here.
private enum SystemListen {
  static func call(_ descriptor: Int32) -> Int32 { listen(descriptor, 64) }
}

struct PlainConnection: ServerConnection {
  let descriptor: Int32

  func read() -> [UInt8]? {
    var piece = [UInt8](repeating: 0, count: 16384)
    let count = unsafe recv(descriptor, &piece, piece.count, 0)
    return count > 0 ? Array(piece[..<count]) : nil
  }

  func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, 0) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
