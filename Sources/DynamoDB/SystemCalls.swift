// Every system call of the module, and so all of its `unsafe`. All are safe for the same reason: a pointer is used
// only inside the call that it is passed to, with the length of its array or structure.

import CPOSIX

enum SystemCalls {
  static var errorNumber: Int32 { cposix_errno() }

  static var monotonicMilliseconds: Int64 { milliseconds(of: CLOCK_MONOTONIC) }

  static var unixMilliseconds: Int64 { milliseconds(of: CLOCK_REALTIME) }

  private static func milliseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Waits for the full time, also if signals interrupt (poll(2), EINTR).
  static func pause(milliseconds: Int64) {
    let end = monotonicMilliseconds + milliseconds
    while true {
      let remaining = end - monotonicMilliseconds
      guard remaining > 0 else { return }
      _ = poll(nil, 0, Int32(clamping: remaining))
    }
  }

  /// The text of `strerror(3)` for a value of `errno`.
  static func text(ofError number: Int32) -> String {
    // The C library's text is valid until the next call, so it is copied at once.
    guard let text = unsafe strerror(number) else { return "" }
    return unsafe String(cString: text)
  }

  static func streamPair() -> (ours: Int32, theirs: Int32)? {
    var ours: Int32 = -1
    var theirs: Int32 = -1
    return unsafe cposix_stream_pair(&ours, &theirs) == 0 ? (ours, theirs) : nil
  }

  /// Not repeated after EINTR: Linux has closed the descriptor then (close(2)), and its number may be in use again.
  static func close(_ descriptor: Int32) { _ = CPOSIX.close(descriptor) }

  /// Starts a process that reads and writes `stream` and shares our standard error; returns 0 or the `errno`. Refuses
  /// words with a zero byte, which would end them early.
  static func spawn(arguments: [String], environment: [String], stream: Int32) -> (
    process: Int32, errorNumber: Int32
  ) {
    var words: [UInt8] = []
    for word in arguments + environment {
      guard !word.utf8.contains(0) else { return (0, EINVAL) }
      words += Array(word.utf8) + [0]
    }
    var process: pid_t = 0
    let errorNumber = unsafe words.withUnsafeBytes { words in
      let first = unsafe words.assumingMemoryBound(to: CChar.self).baseAddress
      return unsafe cposix_spawn(
        first, arguments.count, environment.count, stream, stream, STDERR_FILENO, &process)
    }
    return (process, errorNumber)
  }

  enum Transmission: Equatable {
    case moved(Int)
    /// No bytes can be transferred now.
    case wouldBlock
    /// The other end is closed or failed.
    case ended
  }

  /// Sends what is possible without blocking (send(2)).
  static func send(_ bytes: [UInt8], from start: Int, to descriptor: Int32) -> Transmission {
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
  static func receive(_ descriptor: Int32, limit: Int, appendingTo bytes: inout [UInt8]) -> Transmission {
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

  /// Waits until a descriptor is readable or writable or has ended, at most for this many milliseconds.
  static func wait(for descriptor: Int32, toWrite: Bool, milliseconds: Int64) {
    var watched = pollfd(fd: descriptor, events: Int16(toWrite ? POLLOUT : POLLIN), revents: 0)
    _ = unsafe poll(&watched, 1, Int32(clamping: milliseconds))
  }

  /// Sends SIGKILL to a process and its process group, then reaps it.
  static func end(_ process: Int32) {
    _ = kill(-process, SIGKILL)
    _ = kill(process, SIGKILL)
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0, cposix_errno() == EINTR {}
  }
}
