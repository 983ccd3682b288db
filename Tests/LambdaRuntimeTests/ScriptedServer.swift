import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A server that plays byte scripts on a thread of its own and records what it was sent.
///
/// It listens on a port that the kernel chooses. Its waits end after five seconds, so a test that fails cannot hang. It
/// stops listening once the last scripted connection is there: a client that connects once more is refused at once.
final class ScriptedServer: @unchecked Sendable {
  /// What the server does next on a connection.
  enum Step {
    /// Reads one whole request and records it.
    case takeRequest
    /// Sends bytes, in one piece.
    case send([UInt8])
    /// Waits for the client to close its side.
    case expectEnd
    /// Ends the connection with RST, not FIN.
    case reset
  }

  /// The address family to listen on.
  enum Family { case ipv4, ipv6 }

  /// What happened, once the script has been played.
  struct Recording {
    /// The requests of each connection, in order.
    let connections: [[RecordedRequest]]
    /// What did not go by the script.
    let problems: [String]

    var requests: [RecordedRequest] { connections.flatMap(\.self) }
  }

  let port: UInt16
  private let listener: Int32
  private let script: [[Step]]
  private let condition = NSCondition()
  private var connections: [[RecordedRequest]] = []
  private var problems: [String] = []
  private var closedCount = 0
  private var isFinished = false

  /// A server that accepts one connection for each element of `script`, one after the other, and closes each at the end
  /// of its steps. Nil where the machine does not have the address family.
  init?(_ script: [[Step]], family: Family = .ipv4) {
    guard let (listener, port) = Self.listen(family) else { return nil }
    self.listener = listener
    self.port = port
    self.script = script
    Thread { [self] in play() }.start()
  }

  /// The value of `AWS_LAMBDA_RUNTIME_API` for this server.
  var address: String { "127.0.0.1:\(port)" }

  /// Waits until the server has closed this many connections.
  func waitUntilClosed(_ count: Int) {
    condition.withLock {
      while closedCount < count { if !condition.wait(until: Date(timeIntervalSinceNow: 5)) { return } }
    }
  }

  /// Waits for the end of the script.
  func finish() -> Recording {
    condition.withLock {
      while !isFinished {
        if !condition.wait(until: Date(timeIntervalSinceNow: 20)) {
          problems.append("the script did not end")
          break
        }
      }
      return Recording(connections: connections, problems: problems)
    }
  }
}

extension ScriptedServer {
  private func play() {
    for (index, steps) in script.enumerated() {
      let peer = accept(listener, nil, nil)
      if index == script.count - 1 { close(listener) }
      guard peer >= 0 else {
        condition.withLock { problems.append("connection \(index) did not come") }
        if index < script.count - 1 { close(listener) }
        break
      }
      var connection = Peer(descriptor: peer)
      condition.withLock { connections.append([]) }
      for step in steps { play(step, on: &connection) }
      close(peer)
      condition.withLock {
        closedCount += 1
        condition.broadcast()
      }
    }
    condition.withLock {
      isFinished = true
      condition.broadcast()
    }
  }

  private func play(_ step: Step, on connection: inout Peer) {
    switch step {
    case .takeRequest:
      let request = connection.takeRequest()
      condition.withLock {
        if let request {
          connections[connections.count - 1].append(request)
        } else {
          problems.append("a request did not come")
        }
      }
    case .send(let bytes):
      if !connection.send(bytes) { condition.withLock { problems.append("an answer could not be sent") } }
    case .expectEnd:
      if !connection.isAtEnd() { condition.withLock { problems.append("the client did not close") } }
    case .reset:
      var linger = linger(l_onoff: 1, l_linger: 0)
      unsafe setsockopt(
        connection.descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }
  }

  private static func listen(_ family: Family) -> (listener: Int32, port: UInt16)? {
    #if canImport(Glibc)
      let type = Int32(SOCK_STREAM.rawValue)
    #else
      let type = SOCK_STREAM
    #endif
    let listener = socket(family == .ipv4 ? AF_INET : AF_INET6, type, 0)
    guard listener >= 0 else { return nil }
    Peer.limitWaits(of: listener)
    guard let port = family == .ipv4 ? bindIPv4(listener) : bindIPv6(listener),
      SystemCall.listen(listener, 64) == 0
    else {
      close(listener)
      return nil
    }
    return (listener, UInt16(bigEndian: port))
  }

  private static func bindIPv4(_ listener: Int32) -> in_port_t? {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return bind(listener, to: &address) ? address.sin_port : nil
  }

  private static func bindIPv6(_ listener: Int32) -> in_port_t? {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_addr = in6addr_loopback
    return bind(listener, to: &address) ? address.sin6_port : nil
  }

  /// Binds and puts the address that the kernel chose into `address`.
  private static func bind<Address>(_ listener: Int32, to address: inout Address) -> Bool {
    var size = socklen_t(MemoryLayout<Address>.size)
    return unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        let isBound = unsafe SystemCall.bind(listener, generic, size) == 0
        return unsafe isBound && getsockname(listener, generic, &size) == 0
      }
    }
  }
}

/// A request as it came over the wire.
struct RecordedRequest: Equatable {
  let raw: String

  /// The request line without its CRLF.
  var line: String { raw.components(separatedBy: "\r\n")[0] }

  var body: String {
    raw.range(of: "\r\n\r\n").map { String(raw[$0.upperBound...]) } ?? ""
  }

  /// The values of the fields with this name, in any case.
  func values(_ name: String) -> [String] {
    let head = raw.components(separatedBy: "\r\n\r\n")[0]
    return head.components(separatedBy: "\r\n").dropFirst().compactMap { line in
      guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name.lowercased() else {
        return nil
      }
      return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
  }
}

/// The server's end of a connection.
private struct Peer {
  let descriptor: Int32
  private var unread: [UInt8] = []

  init(descriptor: Int32) {
    self.descriptor = descriptor
    Self.limitWaits(of: descriptor)
    var on: Int32 = 1
    unsafe setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  static func limitWaits(of descriptor: Int32) {
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      unsafe setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  mutating func takeRequest() -> RecordedRequest? {
    let emptyLine = Array("\r\n\r\n".utf8)
    var searched = 0
    while true {
      if let range = unread[searched...].firstRange(of: emptyLine) {
        let head = RecordedRequest(raw: String(decoding: unread[..<range.upperBound], as: UTF8.self))
        let length = range.upperBound + (head.values("Content-Length").first.flatMap(Int.init) ?? 0)
        while unread.count < length { guard fill() else { return nil } }
        defer { unread.removeFirst(length) }
        return RecordedRequest(raw: String(decoding: unread[..<length], as: UTF8.self))
      }
      searched = max(0, unread.count - 3)
      guard fill() else { return nil }
    }
  }

  func send(_ bytes: [UInt8]) -> Bool {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { all in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: all[sent...])
        return unsafe SystemCall.send(descriptor, rest.baseAddress, rest.count, flags)
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Whether nothing comes any more; a connection that broke is at its end as well.
  mutating func isAtEnd() -> Bool {
    guard unread.isEmpty else { return false }
    return !fill() && errno != EAGAIN && unread.isEmpty
  }

  private mutating func fill() -> Bool {
    var piece = [UInt8](repeating: 0, count: 64 * 1024)
    errno = 0
    let count = unsafe recv(descriptor, &piece, piece.count, 0)
    guard count > 0 else { return false }
    unread += piece[..<count]
    return true
  }
}

/// The system calls whose names are also those of methods here.
private enum SystemCall {
  static func listen(_ descriptor: Int32, _ backlog: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.listen(descriptor, backlog)
    #else
      Darwin.listen(descriptor, backlog)
    #endif
  }

  static func bind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
    #if canImport(Glibc)
      unsafe Glibc.bind(descriptor, address, size)
    #else
      unsafe Darwin.bind(descriptor, address, size)
    #endif
  }

  static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.send(descriptor, bytes, count, flags)
    #else
      unsafe Darwin.send(descriptor, bytes, count, flags)
    #endif
  }
}
