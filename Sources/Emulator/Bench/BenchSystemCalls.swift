#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The blocking sockets, clocks and processor sets of the benchmark, and all of its `unsafe`. Each pointer is to a local
/// variable or to an array's own storage, lives for its call, and goes with its size.
enum BenchSystemCalls {
  /// Monotonic time in nanoseconds.
  static func nanoseconds() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  // MARK: Sockets

  /// A listening socket on a free port of 127.0.0.1.
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

  /// A connection that waits to be accepted; `nil` where none does any more.
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

  /// Waits until one of the entries is ready, at most so many milliseconds.
  static func poll(_ entries: inout [pollfd], milliseconds: Int32) {
    #if canImport(Glibc)
      _ = unsafe Glibc.poll(&entries, nfds_t(entries.count), milliseconds)
    #else
      _ = unsafe Darwin.poll(&entries, nfds_t(entries.count), milliseconds)
    #endif
  }

  /// Puts what has come at the beginning of the buffer; 0 at the end of the connection, however it ended.
  static func receive(_ descriptor: Int32, into buffer: inout [UInt8]) -> Int {
    while true {
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      if count >= 0 { return count }
      if errno != EINTR { return 0 }
    }
  }

  /// Writes everything; false where the peer has gone.
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

  /// Whether a child has ended; it stays to be collected.
  static func hasEnded(_ processID: Int32) -> Bool {
    var information = unsafe siginfo_t()
    guard unsafe waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT | WNOHANG) == 0 else {
      return true
    }
    return unsafe information.si_signo != 0
  }

  /// Processor time that a process has used, user and system, in nanoseconds; `nil` where the system has no such clock.
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

  /// The cores that this thread may run on, ascending; `nil` where the system does not say.
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

  /// Lets this thread, and what it starts, run on these cores alone; false where that is not allowed.
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
    /// Words of 64 cores: glibc's `cpu_set_t` has 1,024 (CPU_SET(3)).
    private static let maskWords = 16

    private typealias AffinityCall = @convention(c) (pid_t, Int, UnsafeMutablePointer<UInt64>) -> Int32

    /// The calls stand behind `_GNU_SOURCE`, which Swift's view of glibc does not set, so they are looked up by name.
    private static func affinityCall(_ name: String) -> AffinityCall? {
      guard let symbol = unsafe dlsym(nil, name) else { return nil }
      // The type is that of the declaration in sched.h; a cpu_set_t is an array of words (CPU_SET(3)).
      return unsafe unsafeBitCast(symbol, to: AffinityCall.self)
    }
  #endif
}
