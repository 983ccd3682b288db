internal import Emulator
internal import Foundation
internal import Synchronization

/// Unpacks deployment packages into temporary folders, which are removed when this program ends.
enum FunctionPackage {
  private static let folders = Mutex<[String: String]>([:])

  /// Returns the folder with the package's files; unpacks the package on first use.
  ///
  /// - Parameter startsBootstrap: whether its `bootstrap` is started.
  /// - Throws: `CommandFailure` for a package that Lambda would refuse or could not start.
  static func folder(
    of path: String, startsBootstrap: Bool = true, _ files: FileSystem
  ) throws(CommandFailure) -> String {
    if let folder = folders.withLock({ $0[path] }) { return folder }
    let bytes = try files.bytes(at: path)
    let package: DeploymentPackage
    do throws(DeploymentError) {
      package = try DeploymentPackage(parsing: bytes)
    } catch {
      throw CommandFailure(.usage, Printable.text("\(path): \(error.description)"))
    }
    if startsBootstrap, let problem = package.entrypointProblem {
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

  /// Returns a folder with these files, by name; writes them on first use.
  static func folder(holding files: [String: String]) throws(CommandFailure) -> String {
    // No path has such a byte.
    let name = files.sorted { $0.key < $1.key }.map { $0.key + "\0" + $0.value }.joined(separator: "\0")
    if let folder = folders.withLock({ $0[name] }) { return folder }
    let folder = try newFolder()
    folders.withLock { $0[name] = folder }
    for (name, text) in files {
      do {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
      } catch {
        throw CommandFailure(
          .unavailable, "cannot write to \(folder)", hint: "check that the device has free space")
      }
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
