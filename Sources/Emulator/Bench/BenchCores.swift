/// Which cores the benchmark runs on, where the system lets it choose.
///
/// By default the functions share one core with the Runtime API: they take turns, so neither ever waits for the other's
/// core to wake up. Between two cores of a virtual machine that costs an interrupt through the hypervisor, several times
/// what the floor takes, and hides what is to be measured.
struct BenchCores: CustomStringConvertible {
  private let allowed: [Int]
  private let server: Int?
  private let function: Int?

  init(areSeparate: Bool) {
    let allowed = BenchSystemCalls.allowedCores() ?? []
    self.allowed = allowed
    // The first core of a machine is the one that answers most interrupts.
    guard let last = allowed.last, let first = allowed.first, BenchSystemCalls.pin(to: allowed) else {
      (server, function) = (nil, nil)
      return
    }
    (server, function) = (areSeparate ? first : last, last)
  }

  var description: String {
    guard let server, let function else { return "not pinned to cores" }
    return server == function
      ? "Runtime API and functions on core \(function)"
      : "Runtime API on core \(server), functions on core \(function)"
  }

  /// Keeps this thread on the Runtime API's core.
  func enter() { pin(to: server) }

  /// Runs the body on the functions' core: a child inherits it (sched_setaffinity(2)).
  func onFunctionCore<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result
  {
    if server != function { pin(to: function) }
    defer { if server != function { pin(to: server) } }
    return try body()
  }

  /// Lets this thread run anywhere again.
  func leave() {
    if server != nil { _ = BenchSystemCalls.pin(to: allowed) }
  }

  private func pin(to core: Int?) {
    if let core { _ = BenchSystemCalls.pin(to: [core]) }
  }
}
