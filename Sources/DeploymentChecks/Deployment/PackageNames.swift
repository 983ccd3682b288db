internal import Text
import Bytes

/// The names of a package while it is read. Each must stay inside the package, occur once, and be a file or a folder.
struct PackageNames {
  private var files: Set<String> = []
  /// The folders, including the parents of files, without a `/` at the end.
  private(set) var folders: Set<String> = []
  private var written: Set<String> = []

  /// The maximum bytes of one path component (`NAME_MAX` of Linux).
  private static let maximumPartBytes = 255

  /// Adds a name; one that ends in `/` is a folder.
  ///
  /// - Throws: `DeploymentError` if an unpacker could write outside of its folder, or if two unpackers could produce
  ///   different files.
  @discardableResult
  mutating func add(_ name: [UInt8]) throws(DeploymentError) -> String {
    guard let path = String(validating: name, as: UTF8.self), !path.isEmpty else {
      throw .archive("a name is not valid UTF-8")
    }
    let isFolder = path.hasByteSuffix("/")
    var parts = path.splitBytes(at: "/", omittingEmptySubsequences: false)
    if isFolder { parts.removeLast() }
    guard !parts.isEmpty, !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }),
      !name.contains(where: { $0 < 0x20 || $0 == .backslash || $0 == .delete })
    else { throw .entry(path, "its name leads outside of the package or has invalid characters") }
    guard parts.allSatisfy({ $0.utf8.count <= Self.maximumPartBytes }) else {
      throw .entry(path, "a part of its name exceeds Linux's limit of \(Self.maximumPartBytes) bytes")
    }
    guard written.insert(path).inserted else { throw .entry(path, "it occurs twice") }
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

  private static let both = "it is both a file and a folder"
}
