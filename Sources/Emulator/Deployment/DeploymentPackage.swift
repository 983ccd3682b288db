internal import Foundation

/// A function's ZIP file as it is uploaded to Lambda, read strictly (PKWARE APPNOTE 6.3).
///
/// What Lambda would not take, or what would end outside of the folder, is refused: names with `..`, links, encryption,
/// ZIP64, entries whose checksum or size is wrong.
public struct DeploymentPackage: Sendable {
  /// Bytes of all files unpacked, layers included ("Lambda quotas", 250 MB).
  public static let maximumUnpackedBytes = 262_144_000

  /// The files by their path in the package.
  public let files: [File]
  /// The folders, those above files among them.
  public let folders: Set<String>
  /// The last twelve bits of the folders' modes, where they are known.
  public let folderPermissions: [String: Int]

  /// One file.
  public struct File: Equatable, Sendable {
    /// Path with `/`, relative, without `.` and `..`.
    public let path: String
    /// The contents.
    public let bytes: [UInt8]
    /// The mode's last twelve bits, which chmod(2) knows; 0 where the archiver knows no modes.
    public let permissions: Int

    /// Whether its owner may execute it.
    public var isExecutable: Bool { permissions & 0o100 != 0 }

    /// A file for a package that is to be written.
    public init(path: String, bytes: [UInt8], permissions: Int) {
      self.path = path
      self.bytes = bytes
      self.permissions = permissions & 0o7777
    }
  }

  /// A package of these files.
  ///
  /// - Throws: `DeploymentError` where a path would not stay inside of the package, stands twice, or Lambda would not take
  ///   so much.
  public init(files: [File]) throws(DeploymentError) { try self.init(files: files, folders: [:]) }

  /// - Parameter folders: modes by path.
  init(files: [File], folders: [String: Int]) throws(DeploymentError) {
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

  /// A package of nothing.
  public init() {
    files = []
    folders = []
    folderPermissions = [:]
  }

  /// The package as a ZIP file: names in the order of their bytes, one fixed time, so that the same files are the same bytes.
  public var archive: [UInt8] { ZipWriter.archive(of: files) }

  /// The file of a path.
  public func file(_ path: String) -> File? { files.first { $0.path.utf8.elementsEqual(path.utf8) } }

  /// Reads an archive.
  ///
  /// - Throws: `DeploymentError` with the entry that is wrong.
  public init(parsing archive: [UInt8]) throws(DeploymentError) {
    let reader = ZipReader(archive)
    let directory = try reader.directory()
    var files: [File] = []
    var modes: [String: Int] = [:]
    var total = 0
    var names = PackageNames()
    for entry in directory {
      let path = try names.add(entry.name)
      if entry.isLink { throw .entry(path, "it is a symbolic link") }
      guard entry.isPlain(asFolder: path.hasSuffix("/")) else {
        throw .entry(path, "its name and its mode say different things of what it is")
      }
      if path.hasSuffix("/") {
        // An archiver that knows no modes writes 0.
        if entry.mode != 0 { modes[String(path.dropLast())] = entry.mode & 0o7777 }
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

  /// Writes the files into a folder, which must be there.
  ///
  /// - Throws: `DeploymentError` for a file that cannot be written.
  public func unpack(into folder: String) throws(DeploymentError) {
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

  /// What keeps Lambda from starting it as a custom runtime; `nil` where nothing does.
  public var entrypointProblem: String? {
    guard let bootstrap = files.first(where: { $0.path == "bootstrap" }) else {
      let deep = files.first { $0.path.hasSuffix("/bootstrap") }
      return "there is no bootstrap at the top of the package"
        + (deep.map { ", it is \($0.path)" } ?? "") + " (Runtime.InvalidEntrypoint)"
    }
    return bootstrap.isExecutable ? nil : "bootstrap is not executable (Runtime.InvalidEntrypoint)"
  }
}

/// Why a package cannot be used.
public enum DeploymentError: Error, Equatable, Sendable {
  /// It is no sound ZIP file.
  case archive(String)
  /// It is no folder that could be deployed.
  case folder(String)
  /// One entry is wrong.
  case entry(String, String)
  /// Unpacked it is larger than Lambda takes.
  case tooLarge(limit: Int)

  /// A stable name of the problem.
  public var code: String {
    switch self {
    case .archive: "archive"
    case .folder: "folder"
    case .entry: "entry"
    case .tooLarge: "tooLarge"
    }
  }

  /// For people, in lower case.
  public var description: String {
    switch self {
    case .archive(let reason): "no sound ZIP file: \(reason)"
    case .folder(let reason): "no folder to deploy: \(reason)"
    case .entry(let name, let reason): "\(name): \(reason)"
    case .tooLarge(let limit): "unpacked it is larger than Lambda takes, \(limit) bytes"
    }
  }
}
