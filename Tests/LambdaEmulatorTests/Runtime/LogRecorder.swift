import Synchronization

/// Records log lines.
final class LogRecorder: Sendable {
  private let shared = Mutex<[String]>([])
  private let (writes, writer) = AsyncStream.makeStream(of: String.self)

  var lines: [String] { shared.withLock { $0 } }

  func write(_ line: String) {
    shared.withLock { $0.append(line) }
    writer.yield(line)
  }

  /// Waits for a line; supports one caller at a time.
  func until(_ line: String) async {
    _ = await writes.first { $0 == line }
  }

  /// The lines with placeholders for IDs, times and amounts of memory.
  var shapes: [String] { lines.map(Self.shape) }

  static func shape(_ line: String) -> String {
    line.replacing(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, with: "ID")
      .replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, with: "TIME")
      .replacing(/\d+\.\d\d ms/, with: "N ms").replacing(/Billed Duration: \d+/, with: "Billed Duration: N")
      .replacing(/Used: \d+/, with: "Used: N").replacing("\t", with: "|")
  }
}
