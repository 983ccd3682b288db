internal import Foundation

extension DeploymentPackage {
  /// Files of a folder that is looked at; a package has a handful.
  private static let maximumFiles = 5000

  /// The files of a folder with their modes, as an archiver would pack them.
  ///
  /// - Throws: `DeploymentError` for links, special files, and more than Lambda takes.
  public init(folder: String) throws(DeploymentError) {
    var files: [File] = []
    var total = 0
    let root = URL(fileURLWithPath: folder, isDirectory: true)
    guard let paths = FileManager.default.enumerator(atPath: folder) else {
      throw .archive("the folder cannot be read")
    }
    for case let path as String in paths {
      let url = root.appendingPathComponent(path)
      guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path) else {
        throw .entry(path, "it cannot be read")
      }
      let kind = attributes[.type] as? FileAttributeType
      if kind == .typeDirectory { continue }
      guard kind == .typeRegular else { throw .entry(path, "it is a link or no regular file") }
      total += attributes[.size] as? Int ?? 0
      guard total <= Self.maximumUnpackedBytes else { throw .tooLarge(limit: Self.maximumUnpackedBytes) }
      guard files.count < Self.maximumFiles else {
        throw .archive("the folder has over \(Self.maximumFiles) files, is it the right one?")
      }
      guard let data = try? Data(contentsOf: url) else { throw .entry(path, "it cannot be read") }
      files.append(
        File(path: path, bytes: Array(data), permissions: attributes[.posixPermissions] as? Int ?? 0))
    }
    try self.init(files: files.sorted { $0.path < $1.path })
  }
}
