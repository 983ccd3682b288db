import CLibcurl
import CPOSIX
import KeyFetcher

// The `unsafe` uses: a buffer is lent to write(2) with its own count, and the texts of variables and
// arguments are copied at once.

/// The process as this program finds it.
enum HostProcess {
  /// Writes all bytes; false where nobody takes them.
  static func write(_ bytes: [UInt8], toError: Bool) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe CPOSIX.write(toError ? STDERR_FILENO : STDOUT_FILENO, $0.baseAddress, $0.count)
      }
      if count < 0, cposix_errno() == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// The arguments after the name of the program.
  static var arguments: [String] {
    (1..<max(1, clibcurl_argument_count())).compactMap { index in
      unsafe clibcurl_argument(index).map { unsafe String(cString: $0) }
    }
  }

  /// The value of an environment variable; nil where it is unset or empty.
  static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
    return unsafe String(cString: value)
  }

  /// Ends the process at once: nothing is buffered, and what libcurl left running need not be waited for.
  static func exit(_ status: FetchExitStatus) -> Never { CPOSIX._exit(status.rawValue) }
}
