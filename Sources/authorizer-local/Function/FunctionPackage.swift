internal import Emulator
internal import Foundation
internal import Synchronization

/// Unpacks deployment packages into temporary folders, which are removed when this program ends.
enum FunctionPackage {
  private static let folders = Mutex<[String: String]>([:])

  /// Returns the folder with the package's files; unpacks the package on first use.
  ///
  /// - Throws: `CommandFailure` for a package that Lambda would refuse or could not start.
  static func folder(of path: String, _ files: FileSystem) throws(CommandFailure) -> String {
    if let folder = folders.withLock({ $0[path] }) { return folder }
    let bytes = try files.bytes(at: path)
    let package: DeploymentPackage
    do throws(DeploymentError) {
      package = try DeploymentPackage(parsing: bytes)
    } catch {
      throw CommandFailure(.usage, Printable.text("\(path): \(error.description)"))
    }
    if let problem = package.entrypointProblem {
      throw CommandFailure(
        .usage, Printable.text("\(path): \(problem)"),
        hint: "authorizer-local package writes a package with an executable bootstrap at the top level")
    }
    let folder = try newFolder()
    folders.withLock { $0[path] = folder }
    do throws(DeploymentError) {
      try package.unpack(into: folder)
    } catch {
      throw CommandFailure(.usage, Printable.text("\(path): \(error.description)"))
    }
    return folder
  }

  /// Removes all folders.
  static func removeAll() {
    let all = folders.withLock { folders in
      defer { folders = [:] }
      return folders.values
    }
    for folder in all { try? FileManager.default.removeItem(atPath: folder) }
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
