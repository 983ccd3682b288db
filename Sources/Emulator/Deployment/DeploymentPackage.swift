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

  /// One file.
  public struct File: Equatable, Sendable {
    /// Path with `/`, relative, without `.` and `..`.
    public let path: String
    /// The contents.
    public let bytes: [UInt8]
    /// The mode's last nine bits; 0 where the archiver knows no modes.
    public let permissions: Int

    /// Whether its owner may execute it.
    public var isExecutable: Bool { permissions & 0o100 != 0 }

    /// A file for a package that is to be written.
    public init(path: String, bytes: [UInt8], permissions: Int) {
      self.path = path
      self.bytes = bytes
      self.permissions = permissions & 0o777
    }
  }

  /// A package of these files.
  ///
  /// - Throws: `DeploymentError` where a path would not stay inside of the package, stands twice, or Lambda would not take
  ///   so much.
  public init(files: [File]) throws(DeploymentError) {
    var names: Set<String> = []
    var total = 0
    for file in files {
      _ = try Self.checked(Array(file.path.utf8))
      guard names.insert(file.path).inserted else { throw .entry(file.path, "it is there twice") }
      total += file.bytes.count
    }
    guard total <= Self.maximumUnpackedBytes else { throw .tooLarge(limit: Self.maximumUnpackedBytes) }
    self.files = files
  }

  /// A package of nothing.
  public init() { files = [] }

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
    var total = 0
    var names: Set<String> = []
    for entry in directory {
      let path = try Self.checked(entry.name)
      guard names.insert(path).inserted else { throw .entry(path, "it is there twice") }
      if path.hasSuffix("/") { continue }
      if entry.isLink { throw .entry(path, "it is a symbolic link") }
      total += entry.size
      guard total <= Self.maximumUnpackedBytes else { throw .tooLarge(limit: Self.maximumUnpackedBytes) }
      files.append(File(path: path, bytes: try reader.contents(of: entry), permissions: entry.mode))
    }
    self.files = files
  }

  private static func checked(_ name: [UInt8]) throws(DeploymentError) -> String {
    guard let path = String(validating: name, as: UTF8.self), !path.isEmpty else {
      throw .archive("a name is no UTF-8 text")
    }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let folders = path.hasSuffix("/") ? parts.dropLast() : parts
    guard !folders.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }),
      !path.utf8.contains(where: { $0 < 0x20 || $0 == 0x5C })
    else { throw .entry(path, "its name does not stay inside of the package") }
    return path
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
  /// One entry is wrong.
  case entry(String, String)
  /// Unpacked it is larger than Lambda takes.
  case tooLarge(limit: Int)

  /// A stable name of the problem.
  public var code: String {
    switch self {
    case .archive: "archive"
    case .entry: "entry"
    case .tooLarge: "tooLarge"
    }
  }

  /// For people, in lower case.
  public var description: String {
    switch self {
    case .archive(let reason): "no sound ZIP file: \(reason)"
    case .entry(let name, let reason): "\(name): \(reason)"
    case .tooLarge(let limit): "unpacked it is larger than Lambda takes, \(limit) bytes"
    }
  }
}
