import CPOSIX

// Every unsafe use of libc in this module stands in this file: pointers to the process's environment are copied before
// they are given away, and buffers are passed with their own count.

/// Which file stands under a path, and when it was written.
struct FileState: Equatable {
  let device: UInt64
  let inode: UInt64
  let size: Int64
  let modifiedNanoseconds: Int64
}

/// The process as the function finds it: its environment, its files, its clocks and its standard streams.
public struct FunctionEnvironment: ConfigurationSource, Sendable {
  /// Added to the machine's clock; 0 unless this is development.
  private var clockOffsetSeconds: Int64 = 0

  /// The environment of this process. Its clock is moved by `AUTHORIZER_CLOCK_OFFSET_SECONDS` where
  /// `AUTHORIZER_DEVELOPMENT=1` allows it, and by nothing else.
  public init() {
    clockOffsetSeconds = ClockOffset.seconds(self)
  }

  /// The value of an environment variable; `nil` where it is unset or empty.
  public func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
    return unsafe String(cString: value)
  }

  /// The bytes of a file; a relative path starts at `LAMBDA_TASK_ROOT`, or at the working directory without it.
  ///
  /// - Throws: `FileError` where it cannot be read or is larger than `limit` bytes.
  public func file(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    let descriptor = unsafe cposix_open_for_reading(self.path(path))
    guard descriptor >= 0 else { throw .unreadable(errno: cposix_errno()) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = unsafe read(descriptor, &chunk, chunk.count)
      if count < 0, cposix_errno() == EINTR { continue }
      guard count >= 0 else { throw .unreadable(errno: cposix_errno()) }
      guard count > 0 else { return bytes }
      guard bytes.count + count <= limit else { throw .tooLarge(limit: limit) }
      bytes += chunk[..<count]
    }
  }

  /// What tells the content that a file has now from another; a relative path starts as in `file`.
  ///
  /// - Throws: `FileError` where it cannot be asked for.
  func state(ofFile path: String) throws(FileError) -> FileState {
    var state = cposix_file_state()
    guard unsafe cposix_state_of_file(self.path(path), &state) == 0 else {
      throw .unreadable(errno: cposix_errno())
    }
    return FileState(
      device: state.device, inode: state.inode, size: state.size,
      modifiedNanoseconds: state.modified_nanoseconds)
  }

  /// A path as the system takes it: a relative one starts at `LAMBDA_TASK_ROOT`, where that is set.
  public func path(_ path: String) -> String {
    guard path.utf8.first != 0x2F, let root = variable("LAMBDA_TASK_ROOT") else { return path }
    return root + "/" + path
  }

  /// The path of the running executable; empty where the system does not say.
  public var executablePath: String {
    // PATH_MAX of Linux (limits.h).
    var path = [CChar](repeating: 0, count: 4096)
    let length = unsafe cposix_executable_path(&path, path.count)
    guard length > 0 else { return "" }
    return String(decoding: path[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Wall-clock time in milliseconds since 1970-01-01 UTC, by which tokens and keys are judged.
  public var unixMilliseconds: Int64 { machineUnixMilliseconds + clockOffsetSeconds * 1000 }

  /// The machine's own, whatever moves the function's: the deadline of an invocation is told by it.
  package var machineUnixMilliseconds: Int64 { Self.nanoseconds(of: CLOCK_REALTIME) / 1_000_000 }

  /// Monotonic time in microseconds since some moment of the past.
  public var monotonicMicroseconds: Int64 { Self.nanoseconds(of: CLOCK_MONOTONIC) / 1000 }

  /// So many bytes that nobody can foresee, from the kernel; `nil` where it has none to give (getentropy(3), which gives 256
  /// bytes at most).
  package func randomBytes(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return unsafe getentropy(&bytes, count) == 0 ? bytes : nil
  }

  /// Writes whole lines to standard error in one call, so that lines do not mix; gives up where nobody reads.
  public func writeError(_ lines: [UInt8]) {
    var written = 0
    while written < lines.count {
      guard case .wrote(let count) = Self.write(lines, from: written, to: STDERR_FILENO) else { return }
      written += count
    }
  }

  /// The descriptor of standard output.
  static let standardOutput = STDOUT_FILENO

  /// What one write came to.
  enum Writing: Equatable {
    case wrote(Int)
    /// The descriptor does not block, and is full.
    case wouldBlock
    /// Nobody reads there, or it is no open descriptor.
    case failed
  }

  /// Writes what it can of the bytes from `start` on, at least one (write(2)).
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

  /// Waits until something can be written, a signal comes or the time is over (poll(2)).
  static func waitUntilWritable(_ descriptor: Int32, milliseconds: Int32) {
    var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = unsafe poll(&polled, 1, milliseconds)
  }

  /// Opens what is closed of the three standard streams, onto nothing: a socket in their place would get our lines.
  func holdStandardStreams() { cposix_hold_standard_streams() }

  /// Keeps a descriptor from programs that are started later; false where nothing can be written to it.
  func adopt(_ descriptor: Int32) -> Bool { cposix_adopt_for_writing(descriptor) == 0 }

  /// Takes a variable out of the environment.
  func unset(_ name: String) { _ = unsafe unsetenv(name) }

  private static func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
