internal import Text
internal import Foundation

/// Opens the console in the user's browser.
struct BrowserOpener {
  let machine: Machine

  #if os(macOS)
    static let program = "open"
  #else
    static let program = "xdg-open"
  #endif

  /// The path of the program that opens addresses; `nil` if it is in no absolute folder of `PATH`.
  private var path: String? {
    let folders = (machine.environment["PATH"] ?? "").splitBytes(at: ":").filter { $0.hasBytePrefix("/") }
    return folders.map { "\($0)/\(Self.program)" }.first(where: FileManager.default.isExecutableFile)
  }

  /// Starts the browser and does not wait for it.
  ///
  /// - Returns: why it cannot be opened, for the user; `nil` if it was started.
  func open(_ console: ConsoleAddress) -> String? {
    guard let process = process(machine.development.path + "/" + ConsoleAddress.fileName) else {
      return "--open: there is no \(Self.program) here; open \(console.text) in a browser"
    }
    do {
      try machine.development.write(Array(console.page.utf8), to: ConsoleAddress.fileName)
      try process.run()
      return nil
    } catch {
      return "--open: \(Self.program) does not start; open \(console.text) in a browser"
    }
  }

  /// Returns the process that opens a file, not started; `nil` without a program.
  func process(_ file: String) -> Process? {
    guard let path else { return nil }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    // An argument of its own, which no shell reads.
    process.arguments = [file]
    process.environment = machine.environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    return process
  }
}
