// This file contains every system call of the module, and therefore every `unsafe`. They are safe for the same
// reason: a pointer is used only inside the closure that provides it, with the length of its array or structure.

import CPOSIX

/// A numeric address and a port for `connect(2)`.
enum SocketAddress: Equatable, Sendable {
  /// The address as four bytes in network order, and the port.
  case ipv4(UInt32, port: UInt16)
  /// The address as sixteen bytes in network order, and the port.
  case ipv6(SIMD16<UInt8>, port: UInt16)

  /// Parses four decimal parts with dots, like `inet_pton(3)`; nil for anything else.
  init?(ipv4 text: String, port: UInt16) {
    var address = in_addr()
    guard unsafe inet_pton(AF_INET, text, &address) == 1 else { return nil }
    self = .ipv4(address.s_addr, port: port)
  }

  /// Parses the text of RFC 4291 §2.2 without brackets and zone, like `inet_pton(3)`; nil for anything else.
  init?(ipv6 text: String, port: UInt16) {
    var address = SIMD16<UInt8>()
    guard unsafe inet_pton(AF_INET6, text, &address) == 1 else { return nil }
    self = .ipv6(address, port: port)
  }

  /// 127.0.0.1, then ::1: local servers listen on either of them.
  static func loopback(port: UInt16) -> [SocketAddress] {
    var ipv6 = SIMD16<UInt8>()
    ipv6[15] = 1
    return [.ipv4(UInt32(0x7F00_0001).bigEndian, port: port), .ipv6(ipv6, port: port)]
  }
}

/// A system call that failed: the value of `errno` after it.
struct SystemError: Error, Equatable, Sendable {
  let number: Int32

  static func isDeadPeer(_ number: Int32) -> Bool {
    number == EPIPE || number == ECONNRESET || number == ENOTCONN
  }
}

/// A connected TCP socket. It is closed at the end of its lifetime, so an error cannot leak a descriptor.
struct Socket: ~Copyable, ByteSource {
  /// The descriptor, for a test that counts descriptors.
  let descriptor: Int32

  private init(descriptor: Int32) { self.descriptor = descriptor }

  /// Not retried after EINTR: Linux has then closed the descriptor (close(2)), and its number may be reused.
  deinit { _ = close(descriptor) }

  /// Opens a blocking connection. It has no timeouts, because the environment may be frozen for any time; no delay
  /// for small segments; and it is closed in child processes.
  static func connected(to address: SocketAddress) throws(SystemError) -> Socket {
    let socket = try opened(for: address)
    socket.enable(level: Int32(IPPROTO_TCP), option: TCP_NODELAY)
    var status =
      switch address {
      case .ipv4(let bytes, let port): socket.connect(ipv4: bytes, port: port)
      case .ipv6(let bytes, let port): socket.connect(ipv6: bytes, port: port)
      }
    if status == EINTR { status = socket.finishInterruptedConnect() }
    guard status == 0 else { throw SystemError(number: status) }
    return socket
  }

  /// Whether the peer has sent nothing and has not closed. Only then an idle connection may be reused: unexpected bytes
  /// would be read as the answer to the next request.
  var isQuiet: Bool {
    var byte: UInt8 = 0
    while true {
      if unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) >= 0 { return false }
      if cposix_errno() != EINTR { return cposix_errno() == EAGAIN || cposix_errno() == EWOULDBLOCK }
    }
  }

  /// Sends both arrays as one message, with one system call if the kernel accepts all of it.
  ///
  /// - Returns: the number of bytes that the kernel accepted, and the `errno` or 0.
  func send(_ head: [UInt8], _ body: [UInt8]) -> (sent: Int, errorNumber: Int32) {
    unsafe head.withUnsafeBytes { head in
      unsafe body.withUnsafeBytes { body in
        var sent = 0
        while sent < head.count + body.count {
          let headRest = unsafe UnsafeRawBufferPointer(rebasing: head.dropFirst(sent))
          let bodyRest = unsafe UnsafeRawBufferPointer(rebasing: body.dropFirst(max(0, sent - head.count)))
          let count = unsafe sendMessage(headRest, bodyRest)
          if count >= 0 {
            sent += count
          } else if cposix_errno() != EINTR {
            return (sent, cposix_errno())
          }
        }
        return (sent, 0)
      }
    }
  }

  /// Waits for bytes and writes them from `offset` on; 0 if the peer has closed its side.
  func receive(into buffer: inout [UInt8], at offset: Int) throws(SystemError) -> Int {
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[offset...])
        return unsafe recv(descriptor, room.baseAddress, room.count, 0)
      }
      if count >= 0 { return count }
      if cposix_errno() != EINTR { throw SystemError(number: cposix_errno()) }
    }
  }
}

extension Socket {
  private static func opened(for address: SocketAddress) throws(SystemError) -> Socket {
    let family: Int32 =
      switch address {
      case .ipv4: AF_INET
      case .ipv6: AF_INET6
      }
    let descriptor = cposix_stream_socket(family)
    guard descriptor >= 0 else { throw SystemError(number: cposix_errno()) }
    return Socket(descriptor: descriptor)
  }

  /// Sets an option. A failure is ignored: the connection works without these options.
  private func enable(level: Int32, option: Int32) {
    var on: Int32 = 1
    _ = unsafe setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  private func connect(ipv4 bytes: UInt32, port: UInt16) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr = in_addr(s_addr: bytes)
    #if canImport(Darwin)
      address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
    #endif
    return unsafe connect(&address, size: MemoryLayout<sockaddr_in>.size)
  }

  private func connect(ipv6 bytes: SIMD16<UInt8>, port: UInt16) -> Int32 {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { target in
      for index in 0..<16 { unsafe target[index] = bytes[index] }
    }
    #if canImport(Darwin)
      address.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
    #endif
    return unsafe connect(&address, size: MemoryLayout<sockaddr_in6>.size)
  }

  private func connect(_ address: UnsafeRawPointer, size: Int) -> Int32 {
    let generic = unsafe address.assumingMemoryBound(to: sockaddr.self)
    let result = unsafe CPOSIX.connect(descriptor, generic, socklen_t(size))
    return result == 0 ? 0 : cposix_errno()
  }

  /// connect(2): an interrupted connect continues in the background and must not be called again.
  private func finishInterruptedConnect() -> Int32 {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    while unsafe poll(&waiting, 1, -1) < 0 {
      if cposix_errno() != EINTR { return cposix_errno() }
    }
    var status: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &status, &size) == 0 else {
      return cposix_errno()
    }
    return status
  }

  /// `sendmsg(2)` and not `writev(2)`, which has no flag against SIGPIPE.
  private func sendMessage(_ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) -> Int {
    let flags = cposix_send_without_signal()
    var parts = unsafe (
      iovec(iov_base: UnsafeMutableRawPointer(mutating: head.baseAddress), iov_len: head.count),
      iovec(iov_base: UnsafeMutableRawPointer(mutating: body.baseAddress), iov_len: body.count)
    )
    return unsafe withUnsafeMutableBytes(of: &parts) { parts in
      var message = unsafe msghdr()
      unsafe message.msg_iov = parts.assumingMemoryBound(to: iovec.self).baseAddress
      unsafe message.msg_iovlen = 2
      return unsafe sendmsg(descriptor, &message, flags)
    }
  }
}
