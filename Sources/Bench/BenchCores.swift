/// The cores that the benchmark runs on, if the system allows a choice.
///
/// By default the functions and the Runtime API share one core. They run in turns, so neither waits for another core
/// to wake up. In a virtual machine, a wake-up of another core needs an interrupt through the hypervisor. That takes
/// several times as long as the floor and would distort the figures.
struct BenchCores: CustomStringConvertible {
  private let allowed: [Int]
  private let server: Int?
  private let function: Int?

  init(areSeparate: Bool) {
    let allowed = BenchSystemCalls.allowedCores() ?? []
    self.allowed = allowed
    // The first core of a machine handles most interrupts.
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

  /// Pins this thread to the Runtime API's core.
  func enter() { pin(to: server) }

  /// Runs the body on the functions' core; a child process inherits it (sched_setaffinity(2)).
  func onFunctionCore<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result
  {
    if server != function { pin(to: function) }
    defer { if server != function { pin(to: server) } }
    return try body()
  }

  /// Allows this thread to run on all cores again.
  func leave() {
    if server != nil { _ = BenchSystemCalls.pin(to: allowed) }
  }

  private func pin(to core: Int?) {
    if let core { _ = BenchSystemCalls.pin(to: [core]) }
  }
}
