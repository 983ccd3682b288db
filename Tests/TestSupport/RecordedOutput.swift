import Synchronization

/// All bytes that were written to a stream.
package final class RecordedOutput: Sendable {
  private let bytes = Mutex<[UInt8]>([])

  package init() {}

  package func add(_ more: [UInt8]) { bytes.withLock { $0 += more } }

  package var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
}
