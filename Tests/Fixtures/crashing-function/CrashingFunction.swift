// A function on the real runtime loop whose events select an action: crash, wait, or report.

import CPOSIX
import LambdaRuntime

@main struct CrashingFunction {
  static func main() {
    cposix_set_signals()
    guard let text = variable("AWS_LAMBDA_RUNTIME_API"), let endpoint = try? RuntimeEndpoint(parsing: text)
    else { exit(RuntimeExitStatus.configuration.rawValue) }
    WorkerSlot.installHandlers(for: endpoint)
    if let act = variable("AT_START") { Act.perform(act) }
    var loop = RuntimeLoop(
      api: RuntimeAPI(endpoint: endpoint), slot: WorkerSlot(0, ownsEnvironment: true))
    var handler = Act()
    exit(loop.run(handler: &handler) { _ in }.rawValue)
  }

  static func variable(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }
}

/// Performs the act that an event names, then answers.
struct Act: InvocationHandler {
  mutating func answer(to event: [UInt8], context: InvocationContext) -> InvocationAnswer {
    let act = String(decoding: event.dropFirst().dropLast(), as: UTF8.self)
    switch act {
    case "trace":
      return .response(Array("\"\(CrashingFunction.variable("_X_AMZN_TRACE_ID") ?? "none")\"".utf8))
    // More than sockets buffer, so the post has begun and cannot end before the server reads.
    case "long": return .response([UInt8](repeating: UInt8(ascii: "1"), count: 16 << 20))
    default: Act.perform(act)
    }
    return .response(event)
  }

  mutating func afterResponse(deadlineMilliseconds: Int64?) {}

  static func perform(_ act: String) {
    switch act {
    case "trap": _ = [1][act.utf8.count]
    case "overflow":
      var count = act.utf8.count
      exit(Int32(truncatingIfNeeded: depth(of: &count)))
    case "null": unsafe UnsafeMutablePointer<Int>(bitPattern: act.utf8.count - 3)?.pointee = 0
    case "abort": abort()
    // Writes a byte to signal that it runs, then waits for a byte.
    case "hold":
      unsafe write(STDOUT_FILENO, "h", 1)
      var byte: UInt8 = 0
      unsafe read(STDIN_FILENO, &byte, 1)
    // Blocks SIGALRM, which limits the time after SIGTERM.
    case "take no alarm":
      var alarms = sigset_t()
      unsafe sigemptyset(&alarms)
      unsafe sigaddset(&alarms, SIGALRM)
      unsafe pthread_sigmask(SIG_BLOCK, &alarms, nil)
    default: break
    }
  }

  /// Recurses until the stack overflows. Each call changes its caller's frame, so the optimizer cannot remove any.
  @inline(never) private static func depth(of count: inout Int) -> Int {
    count &+= 1
    guard count < .max else { return 0 }
    var own = count
    return depth(of: &own) &+ own
  }
}
