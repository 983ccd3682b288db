import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A socket that listens on a free port of 127.0.0.1 and is not inherited by programs that tests start.
struct LoopbackListener: Sendable {
  let descriptor: Int32
  let port: UInt16

  init() throws {
    #if canImport(Glibc)
      let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #else
      let type = SOCK_STREAM
    #endif
    let listener = socket(AF_INET, type, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        let isBound = unsafe bind(listener, generic, size) == 0
        return unsafe isBound && getsockname(listener, generic, &size) == 0
      }
    }
    guard isBound, listen(listener, 64) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    descriptor = listener
    port = UInt16(bigEndian: address.sin_port)
  }
}
