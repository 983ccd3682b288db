import CLibcurl
import CPOSIX
import POSIX

// Why the `unsafe` use is safe: the text of an argument is copied immediately.

/// Input, output, arguments and environment of this process.
package enum HostProcess {
  /// Reads exactly `count` bytes of standard input; empty if the input has ended; nil if it ends after fewer bytes,
  /// or on an error.
  package static func read(_ count: Int) -> [UInt8]? {
    guard let bytes = readToEnd(atMost: count), bytes.isEmpty || bytes.count == count else { return nil }
    return bytes
  }

  /// Reads standard input to its end, at most `limit` bytes; nil on an error.
  package static func readToEnd(atMost limit: Int) -> [UInt8]? { SystemCalls.read(STDIN_FILENO, upTo: limit) }

  /// Writes all bytes; false on an error.
  package static func write(_ bytes: [UInt8], toError: Bool = false) -> Bool {
    SystemCalls.write(bytes, to: toError ? STDERR_FILENO : STDOUT_FILENO) == 0
  }

  /// The arguments without the name of the program.
  package static var arguments: [String] {
    (1..<max(1, clibcurl_argument_count())).compactMap { index in
      unsafe clibcurl_argument(index).map { unsafe String(cString: $0) }
    }
  }

  /// The value of an environment variable; nil if it is unset or empty.
  package static func variable(_ name: String) -> String? { SystemCalls.variable(name) }

  /// Ends the process immediately: no output is buffered, and threads of libcurl need not finish.
  package static func exit(_ status: Int32) -> Never { CPOSIX._exit(status) }
}
