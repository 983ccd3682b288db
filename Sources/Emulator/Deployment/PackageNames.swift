/// The names of a package while it is read: each stays inside of it, stands once, and is a file or a folder.
struct PackageNames {
  private var files: Set<String> = []
  /// Those above files too, without a `/` at the end.
  private(set) var folders: Set<String> = []
  private var written: Set<String> = []

  /// Of one part of a path, in bytes (`NAME_MAX` of Linux).
  private static let maximumPartBytes = 255

  /// Takes a name; one that ends in `/` is a folder's.
  ///
  /// - Throws: `DeploymentError` where an unpacker could write elsewhere, or two of them could end with different files.
  @discardableResult
  mutating func add(_ name: [UInt8]) throws(DeploymentError) -> String {
    guard let path = String(validating: name, as: UTF8.self), !path.isEmpty else {
      throw .archive("a name is no UTF-8 text")
    }
    let isFolder = path.hasSuffix("/")
    var parts = path.split(separator: "/", omittingEmptySubsequences: false)
    if isFolder { parts.removeLast() }
    guard !parts.isEmpty, !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }),
      !name.contains(where: { $0 < 0x20 || $0 == 0x5C || $0 == 0x7F })
    else { throw .entry(path, "its name does not stay inside of the package") }
    guard parts.allSatisfy({ $0.utf8.count <= Self.maximumPartBytes }) else {
      throw .entry(path, "its name is longer than Linux takes, \(Self.maximumPartBytes) bytes")
    }
    guard written.insert(path).inserted else { throw .entry(path, "it is there twice") }
    let whole = parts.joined(separator: "/")
    var above = ""
    for part in parts.dropLast() {
      above += above.isEmpty ? part : "/" + part
      guard !files.contains(above) else { throw .entry(above, Self.both) }
      folders.insert(above)
    }
    guard !(isFolder ? files : folders).contains(whole) else { throw .entry(whole, Self.both) }
    if isFolder { folders.insert(whole) } else { files.insert(whole) }
    return path
  }

  private static let both = "it is a file and a folder"
}
