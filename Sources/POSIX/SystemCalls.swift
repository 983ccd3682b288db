// The calls of the C library that more than one module makes, and so all of their `unsafe`. They are safe for the same
// reason: a pointer is used only inside the call that it is passed to, with the length of its array or structure, and a
// text of the C library is copied before the next call.

internal import CPOSIX

/// Errors, clocks, descriptors and child processes of POSIX.1-2017, as values.
package enum SystemCalls {
  // MARK: Errors

  /// `errno` of this thread (errno(3)).
  package static var errorNumber: Int32 { cposix_errno() }

  /// The text of `strerror(3)` for a value of `errno`.
  package static func text(ofError number: Int32) -> String {
    guard let text = unsafe strerror(number) else { return "" }
    return unsafe String(cString: text)
  }

  /// Whether an `errno` of `execve(2)` means that the file is missing or not executable.
  package static func isMissingFile(_ number: Int32) -> Bool {
    number == ENOENT || number == EACCES || number == ENOTDIR || number == ENOEXEC
  }

  // MARK: Clocks and environment

  /// Nanoseconds since an unspecified moment; read without a system call (vdso(7)).
  package static var monotonicNanoseconds: Int64 { nanoseconds(of: CLOCK_MONOTONIC) }

  /// Milliseconds since an unspecified moment.
  package static var monotonicMilliseconds: Int64 { monotonicNanoseconds / 1_000_000 }

  /// Milliseconds since 1970-01-01 UTC.
  package static var unixMilliseconds: Int64 { nanoseconds(of: CLOCK_REALTIME) / 1_000_000 }

  private static func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// Waits for the full time, also if signals interrupt (poll(2), EINTR).
  package static func pause(milliseconds: Int64) {
    let end = monotonicMilliseconds + milliseconds
    while true {
      let remaining = end - monotonicMilliseconds
      guard remaining > 0 else { return }
      _ = poll(nil, 0, Int32(clamping: remaining))
    }
  }

  /// The value of an environment variable; nil if it is unset or empty.
  package static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
    return unsafe String(cString: value)
  }

  /// Parses an IPv6 address without brackets and zone (RFC 4291 §2.2) into sixteen bytes; nil for anything else.
  package static func ipv6Address(_ text: String) -> [UInt8]? {
    var address = [UInt8](repeating: 0, count: 16)
    return unsafe inet_pton(AF_INET6, text, &address) == 1 ? address : nil
  }

  // MARK: Descriptors

  package static let standardError: Int32 = STDERR_FILENO

  /// A pipe that is closed on exec (pipe(2)); nil, with the `errno`, if the system refuses.
  package static func pipe() -> (readEnd: Int32, writeEnd: Int32)? {
    var readEnd: Int32 = -1
    var writeEnd: Int32 = -1
    return unsafe cposix_pipe(&readEnd, &writeEnd) == 0 ? (readEnd, writeEnd) : nil
  }

  /// Two connected sockets (socketpair(2)); nil, with the `errno`, if the system refuses.
  package static func streamPair() -> (ours: Int32, theirs: Int32)? {
    var ours: Int32 = -1
    var theirs: Int32 = -1
    return unsafe cposix_stream_pair(&ours, &theirs) == 0 ? (ours, theirs) : nil
  }

  /// Locks a folder against processes and threads that lock it too, and waits for them (flock(2)); -1 with the `errno`.
  /// Closing the descriptor releases the lock. For a file that writes replace, which has no lock of its own.
  package static func lock(folder path: String) -> Int32 { unsafe cposix_lock_folder(path) }

  /// Not repeated after EINTR: Linux has then closed the descriptor (close(2)), and its number may be in use again.
  package static func close(_ descriptor: Int32) { _ = CPOSIX.close(descriptor) }

  /// Writes all bytes (write(2)); 0 or the `errno`.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe CPOSIX.write(descriptor, $0.baseAddress.map { unsafe $0 + written }, $0.count - written)
      }
      if count > 0 {
        written += count
      } else if count == 0 || cposix_errno() != EINTR {
        return count == 0 ? EIO : cposix_errno()
      }
    }
    return 0
  }

  /// Reads once, at most `limit` bytes (read(2)); their number, 0 at the end, or -1 with the `errno`.
  package static func read(_ descriptor: Int32, atMost limit: Int, appendingTo bytes: inout [UInt8]) -> Int {
    var count = 0
    bytes.append(addingCapacity: min(limit, 16 << 10)) { output in
      unsafe output.withUnsafeMutableBufferPointer { room, filled in
        repeat {
          count = unsafe CPOSIX.read(descriptor, room.baseAddress, room.count)
        } while count < 0 && cposix_errno() == EINTR
        filled = max(count, 0)
      }
    }
    return count
  }

  /// Reads until there are `limit` bytes or the stream ends; nil, with the `errno`, on an error.
  package static func read(_ descriptor: Int32, upTo limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < limit {
      let count = read(descriptor, atMost: limit - bytes.count, appendingTo: &bytes)
      if count < 0 { return nil }
      if count == 0 { break }
    }
    return bytes
  }

  /// Waits until descriptors are readable or closed, and returns them; empty after the timeout.
  package static func wait(for descriptors: [Int32], milliseconds: Int64) -> [Int32] {
    var watched = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let count = unsafe poll(&watched, nfds_t(watched.count), Int32(clamping: milliseconds))
    return count > 0 ? watched.filter { $0.revents != 0 }.map { $0.fd } : []
  }

  /// Waits until a descriptor is readable or writable or has ended, at most for this many milliseconds.
  package static func wait(for descriptor: Int32, toWrite: Bool, milliseconds: Int64) {
    var watched = pollfd(fd: descriptor, events: Int16(toWrite ? POLLOUT : POLLIN), revents: 0)
    _ = unsafe poll(&watched, 1, Int32(clamping: milliseconds))
  }

  // MARK: Streams that never block

  package enum Transmission: Equatable {
    case moved(Int)
    /// No bytes can be transferred now.
    case wouldBlock
    /// The other end is closed or failed.
    case ended
  }

  /// Sends what is possible without blocking (send(2)).
  package static func send(_ bytes: [UInt8], from start: Int, to descriptor: Int32) -> Transmission {
    let flags = cposix_send_without_signal() | Int32(MSG_DONTWAIT)
    while true {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe CPOSIX.send(descriptor, $0.baseAddress.map { unsafe $0 + start }, $0.count - start, flags)
      }
      if count > 0 { return .moved(count) }
      if let ending = ending(count) { return ending }
    }
  }

  /// Receives what is available without blocking, at most `limit` bytes (recv(2)).
  package static func receive(
    _ descriptor: Int32, limit: Int, appendingTo bytes: inout [UInt8]
  ) -> Transmission {
    var piece = [UInt8](repeating: 0, count: min(limit, 64 << 10))
    while true {
      let count = unsafe recv(descriptor, &piece, piece.count, Int32(MSG_DONTWAIT))
      if count > 0 {
        bytes.append(contentsOf: piece[..<count])
        return .moved(count)
      }
      if let ending = ending(count) { return ending }
    }
  }

  /// The meaning of a call that transferred nothing; `nil` after a signal.
  private static func ending(_ count: Int) -> Transmission? {
    guard count < 0 else { return .ended }
    let error = cposix_errno()
    if error == EINTR { return nil }
    return error == EAGAIN || error == EWOULDBLOCK ? .wouldBlock : .ended
  }

  // MARK: Child processes

  /// Starts a process (posix_spawn(3)) that leads its own process group; the `errno` is 0 if it runs. Words with a zero
  /// byte are refused, since it would end them early.
  package static func spawn(
    arguments: [String], environment: [String], input: Int32, output: Int32,
    errorOutput: Int32 = SystemCalls.standardError
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

  /// Sends SIGKILL to a process and its process group.
  package static func killGroup(_ process: Int32) {
    _ = kill(-process, SIGKILL)
    _ = kill(process, SIGKILL)
  }

  package enum Ending: Equatable {
    case running
    /// The exit code, or -1 after a signal.
    case exited(Int32)
    /// The process cannot be reaped, because its status is already gone.
    case lost
  }

  /// Reads the status of an ended child and removes it (waitpid(2)).
  package static func reap(_ process: Int32, waits: Bool) -> Ending {
    var status: Int32 = 0
    while true {
      let reaped = unsafe waitpid(process, &status, waits ? 0 : WNOHANG)
      if reaped == process { return .exited(cposix_exit_code(status)) }
      if reaped == 0 { return .running }
      if cposix_errno() != EINTR { return .lost }
    }
  }
}
