internal import DeploymentChecks
internal import Foundation
internal import Synchronization

/// Unpacks deployment packages into temporary folders, which are removed when this program ends.
enum FunctionPackage {
  /// What a folder holds.
  private enum Contents: Hashable {
    /// The bytes count, not the path alone: `serve` starts the functions of a changed archive.
    case archive(path: String, bytes: Int, hash: Int, startsBootstrap: Bool)
    case files([String: String])

    /// Whether it is an archive of the same path with other bytes.
    func isOtherState(of other: Contents) -> Bool {
      guard case .archive(let path, let bytes, let hash, _) = self,
        case .archive(path, let otherBytes, let otherHash, _) = other
      else { return false }
      return bytes != otherBytes || hash != otherHash
    }
  }

  private struct Folders {
    /// All folders, also those that are being written.
    var made: Set<String> = []
    /// The complete ones.
    var complete: [Contents: String] = [:]
  }

  private static let folders = Mutex(Folders())

  /// Returns the folder with the package's files; unpacks the package unless the same bytes were unpacked before.
  ///
  /// A folder with earlier bytes of the file is removed: `serve` ends its functions before it prepares them again.
  ///
  /// - Parameter startsBootstrap: whether its `bootstrap` is started.
  /// - Throws: `CommandFailure` for a package that Lambda would refuse or could not start.
  static func folder(
    of path: String, startsBootstrap: Bool = true, _ files: FileSystem
  ) throws(CommandFailure) -> String {
    let bytes = try files.bytes(at: path, limit: DeploymentPackage.maximumUnpackedBytes)
    let contents = Contents.archive(
      path: files.absolute(path), bytes: bytes.count, hash: bytes.hashValue, startsBootstrap: startsBootstrap)
    if let folder = folders.withLock({ $0.complete[contents] }) { return folder }
    let refusal = { (error: DeploymentError) in
      CommandFailure(.usage, Printable.text("\(path): \(error.description)"))
    }
    let package = try Result { () throws(DeploymentError) in try DeploymentPackage(parsing: bytes) }
      .mapError(refusal).get()
    if startsBootstrap, let problem = package.entrypointProblem {
      throw CommandFailure(
        .usage, Printable.text("\(path): \(problem)"),
        hint: "authorizer-local package writes a package with an executable bootstrap at the top level")
    }
    return try make(contents) { (folder) throws(CommandFailure) in
      try Result { () throws(DeploymentError) in try package.unpack(into: folder) }.mapError(refusal).get()
    }
  }

  /// Returns a folder with these files, by name; writes them on first use.
  static func folder(holding files: [String: String]) throws(CommandFailure) -> String {
    if let folder = folders.withLock({ $0.complete[.files(files)] }) { return folder }
    return try make(.files(files)) { (folder) throws(CommandFailure) in
      for (name, text) in files {
        guard (try? Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))) != nil else {
          throw CommandFailure(
            .unavailable, "cannot write to \(folder)", hint: "check that the device has free space")
        }
      }
    }
  }

  static func removeAll() {
    let all = folders.withLock { folders in
      defer { folders = Folders() }
      return folders.made
    }
    for folder in all { remove(folder) }
  }

  /// Returns a new folder after `fill` has filled it. A folder that was filled in part is removed.
  private static func make(
    _ contents: Contents, fill: (String) throws(CommandFailure) -> Void
  ) throws(CommandFailure) -> String {
    let folder = try newFolder()
    _ = folders.withLock { $0.made.insert(folder) }
    do throws(CommandFailure) {
      try fill(folder)
    } catch {
      _ = folders.withLock { $0.made.remove(folder) }
      remove(folder)
      throw error
    }
    let old = folders.withLock { folders in
      let earlier = folders.complete.filter { $0.key.isOtherState(of: contents) }
      for (key, folder) in earlier {
        folders.complete[key] = nil
        folders.made.remove(folder)
      }
      folders.complete[contents] = folder
      return Array(earlier.values)
    }
    for folder in old { remove(folder) }
    return folder
  }

  private static func remove(_ folder: String) {
    try? FileManager.default.removeItem(atPath: folder)
  }

  private static func newFolder() throws(CommandFailure) -> String {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("authorizer-package-\(UUID().uuidString)")
    do {
      // Readable by this user only, because the package may contain keys.
      try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    } catch {
      throw CommandFailure(.unavailable, "cannot create a folder in \(url.deletingLastPathComponent().path)")
    }
    return url.path
  }
}
