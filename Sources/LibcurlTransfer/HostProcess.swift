import CLibcurl
import CPOSIX

// Why the `unsafe` uses are safe: buffers are passed to read(2) and write(2) with their own count, and the texts of
// variables and arguments are copied immediately.

/// Input, output, arguments and environment of this process.
package enum HostProcess {
  /// Reads exactly `count` bytes of standard input; empty if the input has ended; nil if it ends after fewer bytes,
  /// or on an error.
  package static func read(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let taken = unsafe bytes.withUnsafeMutableBytes {
        unsafe CPOSIX.read(STDIN_FILENO, $0.baseAddress.map { unsafe $0 + filled }, count - filled)
      }
      if taken < 0, cposix_errno() == EINTR { continue }
      guard taken > 0 else { return filled == 0 && taken == 0 ? [] : nil }
      filled += taken
    }
    return bytes
  }

  /// Reads standard input to its end, at most `limit` bytes; nil on an error.
  package static func readToEnd(atMost limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: limit)
    while bytes.count < limit {
      let taken = unsafe piece.withUnsafeMutableBytes {
        unsafe CPOSIX.read(STDIN_FILENO, $0.baseAddress, limit - bytes.count)
      }
      if taken < 0, cposix_errno() == EINTR { continue }
      guard taken >= 0 else { return nil }
      if taken == 0 { break }
      bytes += piece[..<taken]
    }
    return bytes
  }

  /// Writes all bytes; false on an error.
  package static func write(_ bytes: [UInt8], toError: Bool = false) -> Bool {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe CPOSIX.write(
          toError ? STDERR_FILENO : STDOUT_FILENO, $0.baseAddress.map { unsafe $0 + written },
          $0.count - written)
      }
      if count < 0, cposix_errno() == EINTR { continue }
      guard count > 0 else { return false }
      written += count
    }
    return true
  }

  /// The arguments without the name of the program.
  package static var arguments: [String] {
    (1..<max(1, clibcurl_argument_count())).compactMap { index in
      unsafe clibcurl_argument(index).map { unsafe String(cString: $0) }
    }
  }

  /// The value of an environment variable; nil if it is unset or empty.
  package static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
    return unsafe String(cString: value)
  }

  /// Ends the process immediately: no output is buffered, and threads of libcurl need not finish.
  package static func exit(_ status: Int32) -> Never { CPOSIX._exit(status) }
}
