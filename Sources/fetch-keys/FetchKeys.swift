import KeyFetcher
import LibcurlTransfer

@main struct FetchKeys {
  static func main() {
    HostProcess.exit(run(HostProcess.arguments).rawValue)
  }

  static func run(_ arguments: [String]) -> FetchExitStatus {
    let command: Command
    do {
      // Reads more bytes than the limit of an address, so that a longer address is detected.
      command = try Command(arguments) { HostProcess.readToEnd(atMost: KeyAddress.byteLimit + 2) }
    } catch {
      return report(.usage, error.description)
    }
    switch command {
    case .help: return answer(Array(Command.usage.utf8))
    case .version:
      switch Libcurl.version() {
      case .success(let version): return answer(Array("fetch-keys with \(version)\n".utf8))
      case .failure(let failure): return report(failure.status, failure.diagnosis)
      }
    case .fetch(let plan):
      let outcome = Transfer.run(plan)
      switch outcome {
      case .failure(let failure): return report(failure.status, failure.diagnosis)
      case .success(let answered):
        let age = answered.maximumAgeSeconds.map { "\($0)" } ?? "-"
        let line = Array("\(answered.status) \(age)\n".utf8)
        if answered.status == 200 { return answer(line + answered.body) }
        let status: FetchExitStatus = (300..<400).contains(answered.status) ? .redirect : .status
        guard answer(line) == .done else { return .output }
        return report(status, "the server answered with status \(answered.status)")
      }
    }
  }

  private static func answer(_ bytes: [UInt8]) -> FetchExitStatus {
    HostProcess.write(bytes)
      ? .done : report(.output, "standard output cannot be written")
  }

  private static func report(_ status: FetchExitStatus, _ text: String) -> FetchExitStatus {
    _ = HostProcess.write(Array("fetch-keys: \(status.code): \(text)\n".utf8), toError: true)
    return status
  }
}

extension TransferFailure {
  fileprivate var status: FetchExitStatus {
    switch reason {
    case .nameResolution: .nameResolution
    case .connect: .connect
    case .timeout: .timeout
    case .tls: .tls
    case .tooLarge: .tooLarge
    case .transfer: .transfer
    case .libraryNotLoaded, .libraryUnusable: .libraryMissing
    }
  }

  /// The text for standard error, with the hint if there is one.
  fileprivate var diagnosis: String {
    reason == .libraryNotLoaded
      ? "\(text)\nhint: apt-get install libcurl4 (Debian, Ubuntu), dnf install libcurl-minimal (Amazon Linux)"
      : text
  }
}
