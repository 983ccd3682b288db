internal import LambdaEmulator
internal import POSIX

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The blocking sockets, clocks and CPU affinity calls of the benchmark, and all of its `unsafe` code. Each pointer
/// refers to a local variable or an array's own storage, is valid for its call, and is passed with its size.
enum BenchSystemCalls {
  /// Returns the monotonic time in nanoseconds.
  static func nanoseconds() -> UInt64 {
    UInt64(SystemCalls.monotonicNanoseconds)
  }

  // MARK: Sockets

  /// Opens a listening socket on a free port of 127.0.0.1.
  static func listen() throws(SystemError) -> (descriptor: Int32, port: UInt16) {
    #if canImport(Glibc)
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { throw SystemError(call: "socket", code: errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      // Every sockaddr_in is a sockaddr (bind(2)).
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        unsafe bind(descriptor, generic, size) == 0 && startListening(descriptor)
          && getsockname(descriptor, generic, &size) == 0
      }
    }
    guard result else {
      let code = errno
      SystemCalls.close(descriptor)
      throw SystemError(call: "bind", code: code)
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  private static func startListening(_ descriptor: Int32) -> Bool {
    #if canImport(Glibc)
      Glibc.listen(descriptor, 64) == 0
    #else
      Darwin.listen(descriptor, 64) == 0
    #endif
  }

  /// Accepts a waiting connection; returns `nil` if there is none.
  static func accept(from listener: Int32) -> Int32? {
    #if canImport(Glibc)
      let descriptor = Glibc.accept(listener, nil, nil)
    #else
      let descriptor = Darwin.accept(listener, nil, nil)
    #endif
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var on: Int32 = 1
    unsafe setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    return descriptor
  }

  /// Waits until one of the entries is ready, for at most this many milliseconds.
  static func poll(_ entries: inout [pollfd], milliseconds: Int32) {
    #if canImport(Glibc)
      _ = unsafe Glibc.poll(&entries, nfds_t(entries.count), milliseconds)
    #else
      _ = unsafe Darwin.poll(&entries, nfds_t(entries.count), milliseconds)
    #endif
  }

  /// Reads received bytes into the start of the buffer and returns their count; 0 at the end of the connection or on
  /// an error.
  static func receive(_ descriptor: Int32, into buffer: inout [UInt8]) -> Int {
    while true {
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      if count >= 0 { return count }
      if errno != EINTR { return 0 }
    }
  }

  /// Writes all bytes; returns false if the peer closed the connection.
  static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    unsafe bytes.withUnsafeBytes { buffer in
      var sent = 0
      while sent < buffer.count {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer.dropFirst(sent))
        // SIGPIPE is ignored by the whole program.
        let count = unsafe write(descriptor, rest.baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }

  // MARK: Processes

  /// Returns whether a child has ended, without collecting it.
  static func hasEnded(_ processID: Int32) -> Bool {
    var information = unsafe siginfo_t()
    guard unsafe waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT | WNOHANG) == 0 else {
      return true
    }
    return unsafe information.si_signo != 0
  }

  /// Returns the CPU time of a process, user and system, in nanoseconds; `nil` if the system has no such clock.
  static func processorNanoseconds(of processID: Int32) -> UInt64? {
    #if canImport(Glibc)
      var clock = clockid_t()
      var time = timespec()
      guard unsafe clock_getcpuclockid(processID, &clock) == 0, unsafe clock_gettime(clock, &time) == 0 else {
        return nil
      }
      return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    #else
      return nil
    #endif
  }

  // MARK: Cores

  /// Returns the cores that this thread may run on, ascending; `nil` if the system does not report them.
  static func allowedCores() -> [Int]? {
    #if canImport(Glibc)
      guard let call = unsafe affinityCall("sched_getaffinity") else { return nil }
      var mask = [UInt64](repeating: 0, count: maskWords)
      guard unsafe call(0, maskWords * 8, &mask) >= 0 else { return nil }
      return (0..<maskWords * 64).filter { mask[$0 / 64] >> UInt64($0 % 64) & 1 == 1 }
    #else
      return nil
    #endif
  }

  /// Pins this thread and its child processes to these cores; returns false if that is not allowed.
  static func pin(to cores: [Int]) -> Bool {
    #if canImport(Glibc)
      guard let call = unsafe affinityCall("sched_setaffinity") else { return false }
      var mask = [UInt64](repeating: 0, count: maskWords)
      for core in cores where core < maskWords * 64 { mask[core / 64] |= 1 << UInt64(core % 64) }
      return unsafe call(0, maskWords * 8, &mask) == 0
    #else
      return false
    #endif
  }

  #if canImport(Glibc)
    /// The number of 64-bit words of a mask: glibc's `cpu_set_t` has 1,024 cores (CPU_SET(3)).
    private static let maskWords = 16

    private typealias AffinityCall = @convention(c) (pid_t, Int, UnsafeMutablePointer<UInt64>) -> Int32

    /// Looks a call up by name, because its declaration needs `_GNU_SOURCE`, which Swift's glibc module does not set.
    private static func affinityCall(_ name: String) -> AffinityCall? {
      guard let symbol = unsafe dlsym(nil, name) else { return nil }
      // The type matches the declaration in sched.h; a cpu_set_t is an array of words (CPU_SET(3)).
      return unsafe unsafeBitCast(symbol, to: AffinityCall.self)
    }
  #endif
}
