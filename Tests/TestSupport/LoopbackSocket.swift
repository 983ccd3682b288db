import Foundation

/// Functions for loopback sockets.
package enum LoopbackSocket {
  package enum Family: Sendable { case ipv4, ipv6 }

  /// Opens a listening socket; returns it and its port.
  package static func listener(_ family: Family = .ipv4) throws -> (descriptor: Int32, port: UInt16) {
    let (listener, port) = try bound(family)
    guard listen(listener, 64) == 0 else { throw failure() }
    return (listener, port)
  }

  /// A port on which no process listens. It is reserved until this process ends, so that no other test listens there.
  package static func refusingPort() throws -> UInt16 { try bound().port }

  /// Opens a bound socket that does not listen; returns it and its port.
  package static func bound(_ family: Family = .ipv4) throws -> (descriptor: Int32, port: UInt16) {
    let listener = try socket(family)
    var port: in_port_t?
    switch family {
    case .ipv4:
      var address = Self.address(port: 0)
      if binds(listener, to: &address) { port = address.sin_port }
    case .ipv6:
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_addr = in6addr_loopback
      if binds(listener, to: &address) { port = address.sin6_port }
    }
    guard let port else { throw failure(closing: listener) }
    return (listener, UInt16(bigEndian: port))
  }

  /// Accepts the next connection. It is closed in children, and its waits end at `HangLimit`.
  package static func accepted(by listener: Int32) -> Int32? {
    let peer = accept(listener, nil, nil)
    guard peer >= 0 else { return nil }
    _ = fcntl(peer, F_SETFD, FD_CLOEXEC)
    HangLimit.limitWaits(of: peer)
    return peer
  }

  /// Accepts the next connection of a server with one connection at a time; nil if the server was stopped.
  package static func accepted(by listener: Int32, in open: OpenConnection) -> Int32? {
    guard let peer = accepted(by: listener) else { return nil }
    guard open.begin(peer) else {
      close(peer)
      return nil
    }
    return peer
  }

  /// Opens a connection, whose waits end at `HangLimit`.
  package static func connected(port: UInt16) throws -> Int32 {
    let descriptor = try socket(.ipv4)
    HangLimit.limitWaits(of: descriptor)
    var address = Self.address(port: port)
    let result = unsafe withGeneric(&address) { unsafe connect(descriptor, $0, $1) }
    guard result == 0 else { throw failure(closing: descriptor) }
    return descriptor
  }

  /// Connects and closes.
  package static func touch(port: UInt16) {
    if let descriptor = try? connected(port: port) { close(descriptor) }
  }

  /// Lets close(2) end a connection with RST, not FIN.
  package static func resetOnClose(_ descriptor: Int32) {
    var linger = linger(l_onoff: 1, l_linger: 0)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
  }

  /// Opens a socket that is closed in children, since other tests of this process start some.
  private static func socket(_ family: Family) throws -> Int32 {
    let domain = family == .ipv4 ? AF_INET : AF_INET6
    #if canImport(Glibc)
      let descriptor = Glibc.socket(
        domain, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    #else
      let descriptor = Darwin.socket(domain, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { throw failure() }
    return descriptor
  }

  private static func failure(closing descriptor: Int32? = nil) -> POSIXError {
    let error = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    if let descriptor { close(descriptor) }
    return error
  }

  private static func address(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  /// Binds the socket and sets `address` to the address that the kernel chose.
  private static func binds<Address>(_ listener: Int32, to address: inout Address) -> Bool {
    unsafe withGeneric(&address) { address, size in
      var size = size
      return unsafe bind(listener, address, size) == 0 && getsockname(listener, address, &size) == 0
    }
  }

  private static func withGeneric<Address, Result>(
    _ address: inout Address, _ use: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        unsafe use(generic, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }
}

/// The server side of a connection.
package protocol ServerConnection {
  /// Reads the next bytes; nil at the end.
  func read() -> [UInt8]?
  /// Writes all bytes; false on failure.
  func write(_ bytes: [UInt8]) -> Bool
}

extension ServerConnection {
  /// Sends a head, then a byte every 20 ms, until the client of this socket disconnects.
  package func drip(on peer: Int32) {
    var bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n".utf8)
    while write(bytes) {
      bytes = [UInt8(ascii: " ")]
      var watched = pollfd(fd: peer, events: Int16(POLLIN), revents: 0)
      if unsafe poll(&watched, 1, 20) != 0 { return }
    }
  }
}

/// A connection without TLS.
package struct LoopbackConnection: ServerConnection {
  private let descriptor: Int32

  package init(descriptor: Int32) { self.descriptor = descriptor }

  package func read() -> [UInt8]? {
    var piece = [UInt8](repeating: 0, count: 65536)
    let count = unsafe recv(descriptor, &piece, piece.count, 0)
    return count > 0 ? Array(piece[..<count]) : nil
  }

  package func write(_ bytes: [UInt8]) -> Bool {
    #if canImport(Glibc)
      let flags = Int32(MSG_NOSIGNAL)
    #else
      let flags: Int32 = 0
    #endif
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, flags) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
