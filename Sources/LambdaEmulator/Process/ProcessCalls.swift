internal import POSIX

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

package struct SystemError: Error, Equatable {
  package let call: String
  package let code: Int32

  package init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  package var reason: String { SystemCalls.text(ofError: code) }
}

/// The calls of libc that start, watch and end the processes of functions.
package enum ProcessCalls {
  package struct Pipe {
    package let read: Int32
    package let write: Int32

    func closeBoth() {
      SystemCalls.close(read)
      SystemCalls.close(write)
    }
  }

  /// Creates a pipe with close-on-exec ends and a non-blocking read end.
  package static func pipe() throws(SystemError) -> Pipe {
    guard let ends = SystemCalls.pipe() else {
      throw SystemError(call: "pipe", code: SystemCalls.errorNumber)
    }
    _ = fcntl(ends.readEnd, F_SETFL, O_NONBLOCK)
    return Pipe(read: ends.readEnd, write: ends.writeEnd)
  }

  package enum ReadResult {
    case bytes([UInt8])
    case wouldBlock
    case end
  }

  /// Reads what is there, at most 16 KiB.
  package static func read(_ descriptor: Int32) -> ReadResult {
    var bytes: [UInt8] = []
    let count = SystemCalls.read(descriptor, atMost: 16 << 10, appendingTo: &bytes)
    if count > 0 { return .bytes(bytes) }
    let wouldBlock = count < 0 && [EAGAIN, EWOULDBLOCK].contains(SystemCalls.errorNumber)
    return wouldBlock ? .wouldBlock : .end
  }

  /// Returns the contents of a small file; `nil` if it cannot be read.
  package static func contents(ofFile path: String) -> [UInt8]? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { SystemCalls.close(file) }
    var bytes: [UInt8] = []
    while case .bytes(let part) = read(file) { bytes += part }
    return bytes
  }

  // MARK: Variables

  /// Overwrites the values of these variables of this program, and removes them.
  ///
  /// Other processes of the same user can read the memory where a program got its variables (/proc/PID/environ,
  /// proc(5)), also after `unsetenv`.
  package static func forgetVariables(_ names: some Sequence<String>) {
    for name in names {
      guard let value = unsafe getenv(name) else { continue }
      // The text is the system's own copy, writable and terminated.
      unsafe _ = memset(value, 0, strlen(value))
      unsafe unsetenv(name)
    }
  }

  // MARK: Processes

  static func spawn(_ command: FunctionCommand, output: Int32, error: Int32) throws(SystemError) -> Int32 {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = unsafe posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    // Each object is initialized here, used only by the calls below, and destroyed on every exit path.
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }

    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, error, 2)
    var flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    #if canImport(Darwin)
      flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
    #elseif canImport(Glibc)
      unsafe closeFromThree(&actions)
    #endif
    var none = sigset_t()
    unsafe sigemptyset(&none)
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

    let arguments = [command.executable] + command.arguments
    let variables = command.environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    var processID: pid_t = 0
    let result = unsafe withCStrings(arguments) { arguments in
      unsafe withCStrings(variables) { variables in
        unsafe posix_spawn(&processID, command.executable, &actions, &attributes, arguments, variables)
      }
    }
    guard result == 0 else { throw SystemError(call: "posix_spawn", code: result) }
    return processID
  }

  #if canImport(Glibc)
    /// Closes all descriptors from 3 on, including those that a library forgot to mark as close-on-exec, with
    /// `posix_spawn_file_actions_addclosefrom_np` (glibc 2.34). Its declaration needs `_GNU_SOURCE`, which Swift's
    /// glibc module does not set, so it is looked up by name. If it is absent, only the close-on-exec flags apply.
    private static func closeFromThree(_ actions: inout posix_spawn_file_actions_t) {
      typealias AddCloseFrom =
        @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
      guard let symbol = unsafe dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else { return }
      // The type matches the declaration in spawn.h.
      let addCloseFrom = unsafe unsafeBitCast(symbol, to: AddCloseFrom.self)
      _ = unsafe addCloseFrom(&actions, 3)
    }
  #endif

  /// Passes copies of these strings as a null-terminated array; frees them after the body has returned.
  private static func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    let vector = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: strings.count + 1)
    for (index, string) in strings.enumerated() {
      unsafe (vector + index).initialize(to: strdup(string))
    }
    unsafe (vector + strings.count).initialize(to: nil)
    defer {
      for index in strings.indices { unsafe free(vector[index]) }
      unsafe vector.deallocate()
    }
    return unsafe body(vector)
  }

  package static func killGroup(_ group: Int32) {
    _ = kill(-group, SIGKILL)
  }

  /// Kills one process of this program.
  package static func end(_ processID: Int32) {
    _ = kill(processID, SIGKILL)
  }

  static func waitWithoutCollecting(_ processID: Int32) {
    var information = unsafe siginfo_t()
    // WNOWAIT keeps the process ID in use, so that killing the group cannot hit another process.
    while unsafe waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
  }

  package static func terminate(_ processID: Int32) {
    _ = kill(processID, SIGTERM)
  }

  package struct Collected {
    package let exit: ProcessExit
    /// `ru_maxrss` of getrusage(2), in KiB. Linux includes the memory that the child shared with its parent before
    /// `exec`, so the value is meaningful only if it exceeds the parent's own.
    package let peakMemoryKiB: Int
  }

  package static func collect(_ processID: Int32) -> Collected {
    var status: Int32 = 0
    var usage = rusage()
    // Both variables are valid for the call.
    while unsafe wait4(processID, &status, 0, &usage) == -1, errno == EINTR {}
    // The layout of a wait status: low seven bits the signal, the next byte the exit status (wait(2)).
    let signal = status & 0x7F
    #if canImport(Darwin)
      let peak = Int(usage.ru_maxrss) / 1024
    #else
      let peak = Int(usage.ru_maxrss)
    #endif
    return Collected(
      exit: signal == 0 ? .status((status >> 8) & 0xFF) : .signal(signal), peakMemoryKiB: peak)
  }
}
