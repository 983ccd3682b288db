internal import Text
internal import Foundation

/// The contents of a function's ZIP file for Lambda, parsed strictly (PKWARE APPNOTE 6.3).
///
/// Refuses entries that Lambda would not accept or that would be unpacked outside of the folder: names with `..`,
/// links, encryption, ZIP64, wrong checksums or sizes.
package struct DeploymentPackage: Sendable {
  /// The maximum unpacked bytes of all files, including layers ("Lambda quotas", 250 MB).
  package static let maximumUnpackedBytes = 262_144_000

  package let files: [File]
  /// The folders, including the parents of files.
  package let folders: Set<String>
  /// The last twelve bits of the folders' modes, if known.
  package let folderPermissions: [String: Int]

  package struct File: Equatable, Sendable {
    /// The relative path with `/`, without `.` and `..`.
    package let path: String
    package let bytes: [UInt8]
    /// The mode's last twelve bits, as in chmod(2); 0 if the archiver wrote no modes.
    package let permissions: Int

    /// Whether the owner may execute it.
    package var isExecutable: Bool { permissions & 0o100 != 0 }

    package init(path: String, bytes: [UInt8], permissions: Int) {
      self.path = path
      self.bytes = bytes
      self.permissions = permissions & 0o7777
    }
  }

  /// Creates a package of these files.
  ///
  /// - Parameter folders: the modes of the folders by path.
  /// - Throws: `DeploymentError` if a path leads outside of the package or occurs twice, or if the size exceeds
  ///   Lambda's limit.
  package init(files: [File], folders: [String: Int] = [:]) throws(DeploymentError) {
    var names = PackageNames()
    var total = 0
    for folder in folders.keys.sorted() { try names.add(Array(folder.utf8) + [0x2F]) }
    for file in files {
      try names.add(Array(file.path.utf8))
      total += file.bytes.count
    }
    guard total <= Self.maximumUnpackedBytes else { throw .tooLarge(limit: Self.maximumUnpackedBytes) }
    self.files = files
    self.folders = names.folders
    folderPermissions = folders.mapValues { $0 & 0o7777 }
  }

  package init() {
    files = []
    folders = []
    folderPermissions = [:]
  }

  /// The package as a reproducible ZIP file: names in byte order and one fixed time, so that equal files give equal
  /// bytes, with the same version of zlib.
  package var archive: [UInt8] { ZipWriter.archive(of: files) }

  package func file(_ path: String) -> File? { files.first { $0.path.utf8.elementsEqual(path.utf8) } }

  /// Reads an archive.
  ///
  /// - Throws: `DeploymentError` with the invalid entry.
  package init(parsing archive: [UInt8]) throws(DeploymentError) {
    let reader = ZipReader(archive)
    let directory = try reader.directory()
    var files: [File] = []
    var modes: [String: Int] = [:]
    var total = 0
    var names = PackageNames()
    for entry in directory {
      let path = try names.add(entry.name)
      if entry.isLink { throw .entry(path, "it is a symbolic link") }
      guard entry.isPlain(asFolder: path.hasByteSuffix("/")) else {
        throw .entry(path, "its name and its mode contradict each other: one says file, the other folder")
      }
      if path.hasByteSuffix("/") {
        // An archiver without modes writes 0.
        if entry.mode != 0 { modes[String(path.dropLast(bytes: 1))] = entry.mode & 0o7777 }
        continue
      }
      total += entry.size
      guard total <= Self.maximumUnpackedBytes else { throw .tooLarge(limit: Self.maximumUnpackedBytes) }
      files.append(File(path: path, bytes: try reader.contents(of: entry), permissions: entry.mode))
    }
    self.files = files
    self.folders = names.folders
    folderPermissions = modes
  }

  /// Writes the files into an existing folder.
  ///
  /// - Throws: `DeploymentError` for a file that cannot be written.
  package func unpack(into folder: String) throws(DeploymentError) {
    let root = URL(fileURLWithPath: folder)
    for file in files {
      let url = root.appendingPathComponent(file.path)
      do {
        try FileManager.default.createDirectory(
          at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(file.bytes).write(to: url)
        try FileManager.default.setAttributes(
          [.posixPermissions: file.isExecutable ? 0o755 : 0o644], ofItemAtPath: url.path)
      } catch {
        throw .entry(file.path, "it cannot be written")
      }
    }
  }

  /// The reason why Lambda cannot start it as a custom runtime; `nil` if it can.
  package var entrypointProblem: String? {
    guard let bootstrap = files.first(where: { $0.path == "bootstrap" }) else {
      let deep = files.first { $0.path.hasByteSuffix("/bootstrap") }
      return "there is no bootstrap at the top of the package"
        + (deep.map { ", it is \($0.path)" } ?? "") + " (Runtime.InvalidEntrypoint)"
    }
    return bootstrap.isExecutable ? nil : "bootstrap is not executable (Runtime.InvalidEntrypoint)"
  }
}

/// The reason why a package cannot be used.
package enum DeploymentError: Error, Equatable, Sendable {
  /// It is not a valid ZIP file.
  case archive(String)
  /// It is not a folder that can be deployed.
  case folder(String)
  /// One entry, by its name, is invalid.
  case entry(String, String)
  /// The unpacked size exceeds Lambda's limit.
  case tooLarge(limit: Int)

  /// The error as human-readable text, in lower case.
  package var description: String {
    switch self {
    case .archive(let reason): "not a valid ZIP file: \(reason)"
    case .folder(let reason): "not a folder that can be deployed: \(reason)"
    case .entry(let name, let reason): "\(name): \(reason)"
    case .tooLarge(let limit): "its unpacked size exceeds Lambda's limit of \(limit) bytes"
    }
  }
}
