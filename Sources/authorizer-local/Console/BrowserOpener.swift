internal import Foundation

/// Opens an address in the user's browser.
struct BrowserOpener {
  let machine: Machine

  #if os(macOS)
    static let program = "open"
  #else
    static let program = "xdg-open"
  #endif

  /// The path of the program that opens addresses; `nil` if it is in no absolute folder of `PATH`.
  private var path: String? {
    let folders = (machine.environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
    return folders.map { "\($0)/\(Self.program)" }.first(where: FileManager.default.isExecutableFile)
  }

  /// Starts the browser and does not wait for it.
  ///
  /// - Returns: why it cannot be opened, for the user; `nil` if it was started.
  func open(_ address: String) -> String? {
    guard let process = process(address) else {
      return "--open: there is no \(Self.program) here; open \(address) in a browser"
    }
    do {
      try process.run()
      return nil
    } catch {
      return "--open: \(Self.program) does not start; open \(address) in a browser"
    }
  }

  /// Returns the process that opens an address, not started; `nil` without a program.
  func process(_ address: String) -> Process? {
    guard let path else { return nil }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    // An argument of its own, which no shell reads.
    process.arguments = [address]
    process.environment = machine.environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    return process
  }
}
