import Bytes
import CPOSIX
import POSIX

// This file contains every unsafe use of libc in this module. Pointers into the environment of the process are copied
// before they are returned, and buffers are passed with their own count.

/// The identity and modification time of a file.
package struct FileState: Equatable {
  let device: UInt64
  let inode: UInt64
  let size: Int64
  let modifiedNanoseconds: Int64
}

/// The environment variables, files, clocks and standard streams of this process.
package struct FunctionEnvironment: ConfigurationSource, Sendable {
  /// Added to the machine's clock; 0 except in development.
  private var clockOffsetSeconds: Int64 = 0

  /// The environment of this process. `AUTHORIZER_CLOCK_OFFSET_SECONDS` moves its clock, but only with
  /// `AUTHORIZER_DEVELOPMENT=1`.
  package init() {
    clockOffsetSeconds = ClockOffset.seconds(self)
  }

  /// Returns the value of an environment variable; `nil` if it is unset or empty.
  package func variable(_ name: String) -> String? {
    SystemCalls.variable(name)
  }

  /// Returns the bytes of a file. A relative path starts at `LAMBDA_TASK_ROOT`, or at the working directory if that
  /// is unset.
  ///
  /// - Throws: `FileError` if the file cannot be read or is larger than `limit` bytes.
  package func file(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    let descriptor = unsafe cposix_open_for_reading(self.path(path))
    guard descriptor >= 0 else { throw .unreadable(errno: cposix_errno()) }
    defer { close(descriptor) }
    guard let bytes = SystemCalls.read(descriptor, upTo: limit + 1) else {
      throw .unreadable(errno: SystemCalls.errorNumber)
    }
    guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
    return bytes
  }

  /// Returns a state that differs if the content of the file changes. A relative path starts as in `file`.
  ///
  /// - Throws: `FileError` if the system refuses.
  package func state(ofFile path: String) throws(FileError) -> FileState {
    var state = cposix_file_state()
    guard unsafe cposix_state_of_file(self.path(path), &state) == 0 else {
      throw .unreadable(errno: cposix_errno())
    }
    return FileState(
      device: state.device, inode: state.inode, size: state.size,
      modifiedNanoseconds: state.modified_nanoseconds)
  }

  /// Returns a path for the system: a relative path starts at `LAMBDA_TASK_ROOT`, if that is set.
  package func path(_ path: String) -> String {
    guard path.utf8.first != .slash, let root = variable("LAMBDA_TASK_ROOT") else { return path }
    return root + "/" + path
  }

  /// The path of the running executable; empty if the system does not provide it.
  package var executablePath: String {
    // PATH_MAX of Linux (limits.h).
    var path = [CChar](repeating: 0, count: 4096)
    let length = unsafe cposix_executable_path(&path, path.count)
    guard length > 0 else { return "" }
    return String(decoding: path[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Wall-clock time in milliseconds since 1970-01-01 UTC, which tokens and keys are checked against.
  package var unixMilliseconds: Int64 { machineUnixMilliseconds + clockOffsetSeconds * 1000 }

  /// The time of the machine's clock without any offset. Invocation deadlines refer to it.
  package var machineUnixMilliseconds: Int64 { SystemCalls.unixMilliseconds }

  /// Monotonic time in microseconds since an unspecified start.
  package var monotonicMicroseconds: Int64 { SystemCalls.monotonicNanoseconds / 1000 }

  /// Returns unpredictable bytes from the kernel; `nil` if it has none (getentropy(3), which gives 256 bytes at
  /// most).
  package func randomBytes(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return unsafe getentropy(&bytes, count) == 0 ? bytes : nil
  }

  /// Writes whole lines to standard error in one call, so that lines do not mix. Gives up if the stream has no
  /// reader.
  package func writeError(_ lines: [UInt8]) {
    var written = 0
    while written < lines.count {
      guard case .wrote(let count) = Self.write(lines, from: written, to: STDERR_FILENO) else { return }
      written += count
    }
  }

  static let standardOutput = STDOUT_FILENO

  /// The result of one write.
  enum Writing: Equatable {
    case wrote(Int)
    /// The descriptor is nonblocking and full.
    case wouldBlock
    /// There is no reader, or the descriptor is not open.
    case failed
  }

  /// Writes as many bytes from `start` on as possible, at least one (write(2)).
  static func write(_ bytes: [UInt8], from start: Int, to descriptor: Int32) -> Writing {
    while true {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe CPOSIX.write(descriptor, $0.baseAddress.map { unsafe $0 + start }, $0.count - start)
      }
      if count > 0 { return .wrote(count) }
      guard count < 0 else { return .failed }
      let error = cposix_errno()
      if error == EAGAIN || error == EWOULDBLOCK { return .wouldBlock }
      if error != EINTR { return .failed }
    }
  }

  /// Waits until the descriptor is writable, a signal arrives or the time is over (poll(2)).
  static func waitUntilWritable(_ descriptor: Int32, milliseconds: Int32) {
    var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = unsafe poll(&polled, 1, milliseconds)
  }

  /// Opens closed standard streams on the null device. Otherwise a socket could take their number and receive log
  /// lines.
  func holdStandardStreams() { cposix_hold_standard_streams() }

  /// Sets a descriptor to close on exec; returns false if it is not writable.
  func adopt(_ descriptor: Int32) -> Bool { cposix_adopt_for_writing(descriptor) == 0 }

  /// Removes a variable from the environment.
  func unset(_ name: String) { _ = unsafe unsetenv(name) }
}
