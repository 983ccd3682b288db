// This file contains every system call of the module, and therefore every `unsafe`. They are safe for the same
// reason: a pointer is used only during its call, with the length of its array or structure.

import CPOSIX

enum SystemCalls {
  static var errorNumber: Int32 { cposix_errno() }

  /// The text of `strerror(3)` for a value of `errno`.
  static func text(ofError number: Int32) -> String {
    // The C library's text is valid until the next call; it is copied immediately.
    guard let text = unsafe strerror(number) else { return "" }
    return unsafe String(cString: text)
  }

  /// Whether an `errno` of `execve(2)` means that the file is missing or not executable.
  static func isMissingFile(_ number: Int32) -> Bool {
    number == ENOENT || number == EACCES || number == ENOTDIR || number == ENOEXEC
  }

  /// Parses an IPv6 address without brackets and zone (RFC 4291 §2.2) into sixteen bytes; nil for anything else.
  static func ipv6Address(_ text: String) -> [UInt8]? {
    var address = [UInt8](repeating: 0, count: 16)
    return unsafe inet_pton(AF_INET6, text, &address) == 1 ? address : nil
  }

  static func pipe() -> (readEnd: Int32, writeEnd: Int32)? {
    var readEnd: Int32 = -1
    var writeEnd: Int32 = -1
    return unsafe cposix_pipe(&readEnd, &writeEnd) == 0 ? (readEnd, writeEnd) : nil
  }

  /// Not retried after EINTR: Linux has then closed the descriptor (close(2)), and its number may be reused.
  static func close(_ descriptor: Int32) { _ = CPOSIX.close(descriptor) }

  /// Writes all bytes; false, with the `errno`, on failure.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe CPOSIX.write(descriptor, $0.baseAddress.map { unsafe $0 + written }, $0.count - written)
      }
      if count < 0, cposix_errno() == EINTR { continue }
      guard count > 0 else { return false }
      written += count
    }
    return true
  }

  /// Starts a process; 0 or the `errno`. Arguments with a zero byte are refused, since it would truncate them.
  static func spawn(
    arguments: [String], environment: [String], input: Int32, output: Int32, errorOutput: Int32
  ) -> (process: Int32, errorNumber: Int32) {
    var words: [UInt8] = []
    for word in arguments + environment {
      guard !word.utf8.contains(0) else { return (0, EINVAL) }
      words += Array(word.utf8) + [0]
    }
    var process: pid_t = 0
    let errorNumber = unsafe words.withUnsafeBytes { words in
      let first = unsafe words.assumingMemoryBound(to: CChar.self).baseAddress
      return unsafe cposix_spawn(
        first, arguments.count, environment.count, input, output, errorOutput, &process)
    }
    return (process, errorNumber)
  }

  /// Waits until descriptors are readable or closed, and returns them; empty after the timeout.
  static func wait(for descriptors: [Int32], milliseconds: Int64) -> [Int32] {
    var watched = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let count = unsafe poll(&watched, nfds_t(watched.count), Int32(clamping: milliseconds))
    return count > 0 ? watched.filter { $0.revents != 0 }.map { $0.fd } : []
  }

  /// Reads once; 0 at the end of the stream or on an error.
  static func read(_ descriptor: Int32, appendingTo bytes: inout [UInt8]) -> Int {
    var piece = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = unsafe CPOSIX.read(descriptor, &piece, piece.count)
      if count < 0, cposix_errno() == EINTR { continue }
      bytes += piece[..<max(0, count)]
      return max(0, count)
    }
  }

  /// Sends SIGKILL to a process and its process group.
  static func killGroup(_ process: Int32) {
    _ = kill(-process, SIGKILL)
    _ = kill(process, SIGKILL)
  }

  enum Ending: Equatable {
    case running
    /// The exit code, or -1 after a signal.
    case exited(Int32)
    /// The process cannot be reaped, because its status is already gone.
    case lost
  }

  static func reap(_ process: Int32, waits: Bool) -> Ending {
    var status: Int32 = 0
    while true {
      let reaped = unsafe waitpid(process, &status, waits ? 0 : WNOHANG)
      if reaped == process { return .exited(cposix_exit_code(status)) }
      if reaped == 0 { return .running }
      if cposix_errno() != EINTR { return .lost }
    }
  }
}
