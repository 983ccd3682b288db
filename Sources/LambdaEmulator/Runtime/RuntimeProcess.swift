/// The operations that the server needs of the function's process.
protocol RuntimeProcess: Sendable {
  /// Returns the lines written since the previous call.
  func takeLines() async -> [FunctionLogLine]
  /// The peak resident memory in KiB.
  var peakMemoryKiB: Int? { get }
  /// Kills the process.
  func kill()
}

extension FunctionProcess: RuntimeProcess {}
