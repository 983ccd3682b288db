import Foundation

/// A connection to a local port, byte by byte. Every wait ends at `HangLimit`.
package struct RawConnection: ~Copyable {
  private let descriptor: Int32

  package struct Failed: Error {
    package let reason: String

    package init(reason: String) { self.reason = reason }
  }

  package init(port: Int) throws {
    #if canImport(Glibc)
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { throw Failed(reason: "socket") }
    HangLimit.limitWaits(of: descriptor)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let descriptor = descriptor
    let result = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw Failed(reason: "connect: \(errno)") }
  }

  deinit { close(descriptor) }

  /// Sends a text and reads until the answer contains `end`, or until the connection ends.
  package func exchange(_ text: String, until end: String) throws -> String {
    try write(Array(text.utf8))
    var bytes: [UInt8] = []
    while !String(decoding: bytes, as: UTF8.self).contains(end) {
      let more = try read()
      if more.isEmpty { break }
      bytes += more
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Sends bytes and reads `count` bytes, or until the connection ends.
  package func exchange(bytes: [UInt8], count: Int) throws -> [UInt8] {
    try write(bytes)
    var answer: [UInt8] = []
    while answer.count < count {
      let more = try read()
      if more.isEmpty { break }
      answer += more
    }
    return answer
  }

  private func write(_ bytes: [UInt8]) throws {
    #if canImport(Glibc)
      let flags = Int32(MSG_NOSIGNAL)
    #else
      let flags: Int32 = 0
    #endif
    let count = unsafe bytes.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, flags) }
    guard count == bytes.count else { throw Failed(reason: "send: \(errno)") }
  }

  private func read() throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
    guard count >= 0 else { throw Failed(reason: "recv: \(errno)") }
    return Array(buffer.prefix(count))
  }
}
