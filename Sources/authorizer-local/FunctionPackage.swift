internal import Emulator
internal import Foundation
internal import Synchronization

/// Deployment packages on their way to a process: unpacked into folders that are gone when this program is.
enum FunctionPackage {
  private static let folders = Mutex<[String: String]>([:])

  /// The folder with the package's files, unpacked on the first use.
  ///
  /// - Throws: `CommandFailure` for what Lambda would not take or not start.
  static func folder(of path: String) throws(CommandFailure) -> String {
    if let folder = folders.withLock({ $0[path] }) { return folder }
    let bytes = try FileSystem.bytes(at: path)
    let package: DeploymentPackage
    do throws(DeploymentError) {
      package = try DeploymentPackage(parsing: bytes)
    } catch {
      throw CommandFailure(.usage, Printable.text("\(path): \(error.description)"))
    }
    if let problem = package.entrypointProblem {
      throw CommandFailure(
        .usage, Printable.text("\(path): \(problem)"),
        hint: "make package writes one with bootstrap at the top, executable")
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

  /// Removes all of them.
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
      // The package may hold keys: nobody else's business.
      try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    } catch {
      throw CommandFailure(.unavailable, "cannot make a folder in \(url.deletingLastPathComponent().path)")
    }
    return url.path
  }
}
