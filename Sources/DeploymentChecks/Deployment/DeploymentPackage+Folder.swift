internal import Foundation

extension DeploymentPackage {
  /// The maximum number of files and folders; a package has a handful.
  private static let maximumEntries = 5000

  /// Reads the files of a folder with their modes, as an archiver would pack them.
  ///
  /// - Throws: `DeploymentError` for links, special files, and folders that exceed Lambda's limits.
  package init(folder: String) throws(DeploymentError) {
    var files: [File] = []
    var total = 0
    var entries = 0
    var folders: [String: Int] = [:]
    let root = URL(fileURLWithPath: folder, isDirectory: true)
    guard let paths = FileManager.default.enumerator(atPath: folder) else {
      throw .folder("it cannot be read")
    }
    for case let path as String in paths {
      let url = root.appendingPathComponent(path)
      guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path) else {
        throw .entry(path, "it cannot be read")
      }
      let kind = attributes[.type] as? FileAttributeType
      entries += 1
      guard entries <= Self.maximumEntries else {
        throw .folder("it has over \(Self.maximumEntries) files; check that it is the right folder")
      }
      if kind == .typeDirectory {
        folders[path] = attributes[.posixPermissions] as? Int ?? 0o755
        continue
      }
      guard kind == .typeRegular else { throw .entry(path, "it is a link or not a regular file") }
      let size = attributes[.size] as? Int ?? 0
      total += size
      guard total <= Self.maximumUnpackedBytes else { throw .tooLarge(limit: Self.maximumUnpackedBytes) }
      guard let data = Self.contents(of: url, limit: size) else {
        throw .entry(path, "it cannot be read")
      }
      files.append(
        File(path: path, bytes: Array(data), permissions: attributes[.posixPermissions] as? Int ?? 0))
    }
    try self.init(files: files.sorted { $0.path < $1.path }, folders: folders)
  }

  /// Reads at most `limit` bytes, in case the file has grown.
  private static func contents(of url: URL, limit: Int) -> Data? {
    guard let handle = try? FileHandle(forReadingFrom: url) else { return nil }
    defer { try? handle.close() }
    return try? handle.read(upToCount: limit) ?? Data()
  }
}
