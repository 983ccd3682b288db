import Foundation

/// Starts a program whose timers of setitimer(2) never expire, so that a test does not depend on the speed of the
/// machine.
enum WithoutTimers {
  /// The system call numbers of setitimer(2), by processor architecture (`unistd.h` of Linux).
  private static let numbers = #"{"x86_64": 38, "aarch64": 103}"#

  static let isPossible: Bool = {
    #if os(Linux)
      return Workshop.python != nil
    #else
      return false
    #endif
  }()

  /// Returns a command that starts the program in its arguments under a system call filter (seccomp(2)): setitimer(2)
  /// succeeds and does nothing.
  static func launcher(in workshop: borrowing Workshop) throws -> [String] {
    try workshop.write(source, to: "untimed.py")
    return [Workshop.python ?? "", "-I", workshop.folder.appendingPathComponent("untimed.py").path]
  }

  /// The instructions of `linux/filter.h`: load the number of the system call, compare it, return.
  private static let source = """
    import ctypes, os, struct, sys
    number = \(numbers)[os.uname().machine]
    succeed, allow = 0x00050000, 0x7FFF0000
    code = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, succeed), (0x06, 0, 0, allow)]
    filter = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in code))
    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]
    program = Program(len(code), ctypes.addressof(filter))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    for arguments in [(38, 1, 0, 0, 0), (22, 2, ctypes.byref(program), 0, 0)]:
        if prctl(*arguments) != 0: sys.exit("prctl: " + os.strerror(ctypes.get_errno()))
    os.execv(sys.argv[1], sys.argv[1:])
    """
}
