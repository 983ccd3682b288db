import Foundation

/// Test material of other houses; it lies beside the project and is never copied into it.
enum SharedMaterial {
  static let packageRoot = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  static let root = packageRoot.deletingLastPathComponent().appending(path: "shared")

  static func folder(_ path: String) -> URL? {
    let folder = root.appending(path: path)
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }

  static func files(in path: String, suffix: String) -> [URL] {
    guard let folder = folder(path),
      let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    else { return [] }
    return names.filter { $0.hasSuffix(suffix) }.sorted().map { folder.appending(path: $0) }
  }
}
