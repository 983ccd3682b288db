import Foundation

/// The content of a folder, to see whether a program has changed it.
enum FolderSnapshot {
  /// The paths and contents below a folder, without `.git`; a link's content is its target.
  static func of(_ folder: URL) throws -> [String: Data] {
    let files = FileManager.default
    var snapshot: [String: Data] = [:]
    for path in try files.subpathsOfDirectory(atPath: folder.path) where !path.hasPrefix(".git/") {
      let item = folder.appendingPathComponent(path)
      let kind = try files.attributesOfItem(atPath: item.path)[.type] as? FileAttributeType
      switch kind {
      case .typeRegular: snapshot[path] = try Data(contentsOf: item)
      case .typeSymbolicLink:
        snapshot[path] = Data(try files.destinationOfSymbolicLink(atPath: item.path).utf8)
      default: snapshot[path] = Data("folder".utf8)
      }
    }
    return snapshot
  }
}
