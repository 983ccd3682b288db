import Foundation

/// Test material of other projects, which is beside this repository and never copied into it.
enum SharedMaterial {
  static let events = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "shared").appending(path: "events")

  static let hasEvents = FileManager.default.fileExists(atPath: events.path)

  /// Every sample event by its path under `events`, in order.
  static func eventFiles() throws -> [(path: String, bytes: [UInt8])] {
    guard let paths = FileManager.default.enumerator(atPath: events.path) else { return [] }
    return try paths.compactMap { $0 as? String }.filter { $0.hasSuffix(".json") }.sorted().map {
      ($0, Array(try Data(contentsOf: events.appending(path: $0))))
    }
  }
}
