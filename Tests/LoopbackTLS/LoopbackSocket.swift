import Foundation
package import TestSupport

/// Functions for loopback sockets.
package enum LoopbackSocket {
  /// Opens a listening socket; returns it and its port.
  package static func listener() throws -> (descriptor: Int32, port: UInt16) {
    let (listener, port) = try bound()
    guard listen(listener, 64) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return (listener, port)
  }

  /// A port on which no process listens. It is reserved until this process ends, so that no other test listens there.
  package static func refusingPort() throws -> UInt16 { try bound().port }

  /// Opens a bound socket that does not listen; returns it and its port.
  package static func bound() throws -> (descriptor: Int32, port: UInt16) {
    let listener = socket()
    var port: in_port_t?
    unsafe withAddress(port: 0) { address, size in
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

  /// Connects and closes.
  package static func touch(port: UInt16) {
    let descriptor = socket()
    unsafe withAddress(port: port) { address, size in _ = unsafe connect(descriptor, address, size) }
    close(descriptor)
  }

  /// Blocks SIGPIPE for this thread, because OpenSSL writes without MSG_NOSIGNAL.
  package static func ignoreBrokenPipes() {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Opens a socket that is closed in children, since other tests of this process start some.
  private static func socket() -> Int32 {
    #if canImport(Glibc)
      Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    #else
      Darwin.socket(AF_INET, SOCK_STREAM, 0)
    #endif
  }

  private static func withAddress(port: UInt16, _ use: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Void) {
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
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, 0) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
