internal import Foundation
internal import Synchronization

/// Finds the programs and files that belong to this program, whatever the working folder is.
///
/// `make install` writes `bin/authorizer-local`, `libexec/authorizer-local/NAME` and
/// `share/authorizer-local/init/KIND`. In a checkout the programs are in `dist`, and the starter files in
/// `template/init`. The working folder decides nothing: a cloned repository may contain a `dist/bootstrap` of anyone.
enum Installation {
  /// Returns the absolute path of a program, such as `bootstrap`; `nil` if it is missing or not to be trusted.
  static func program(_ name: String) -> String? {
    let path = place(of: name)
    guard FileManager.default.isExecutableFile(atPath: path), isTrusted(path) else { return nil }
    note(name, path)
    return path
  }

  /// Returns where a program has to be.
  static func place(of name: String) -> String {
    if let checkout { return checkout + "/dist/" + name }
    return isInstalled ? prefix + "/libexec/authorizer-local/" + name : folder + "/" + name
  }

  /// Returns the folder of the starter files of a kind for `init`, such as `rest`; `nil` if it is missing.
  static func starter(_ kind: String) -> String? {
    let path: String
    if let checkout {
      path = checkout + "/template/init/" + kind
    } else if isInstalled {
      path = prefix + "/share/authorizer-local/init/" + kind
    } else {
      return nil
    }
    return FileSystem.isDirectory(path) && isTrusted(path) ? path : nil
  }

  /// Returns the failure for a missing program. Its hint fits an installed program as well as a checkout.
  ///
  /// - Parameters:
  ///   - user: what needs the program, such as a function of a template.
  ///   - alternative: what else the user can do, such as `give its path with --fetch-keys PATH`.
  static func missing(
    _ name: String, neededBy user: String? = nil, orElse alternative: String
  ) -> CommandFailure {
    let path = place(of: name)
    let problem =
      !FileSystem.exists(path)
      ? "is missing" : isTrusted(path) ? "cannot be executed" : "belongs to another user"
    let cure: String
    if checkout != nil {
      cure = "build it with make bootstrap"
    } else if isInstalled {
      cure = "run make install again in the checkout"
    } else {
      cure = "copy it to the folder of authorizer-local"
    }
    let need = user.map { ", and \($0) needs it" } ?? ""
    return CommandFailure(
      .unavailable, Printable.text("\(checkout == nil ? path : "dist/" + name) \(problem)\(need)"),
      hint: Printable.text("\(cure), or \(alternative)"))
  }

  /// The root of the checkout that this program was built in, or was copied to the `dist` of; else `nil`.
  static let checkout: String? = {
    let parts = folder.split(separator: "/", omittingEmptySubsequences: true)
    guard let end = parts.last == "dist" ? parts.count - 1 : parts.lastIndex(of: ".build") else { return nil }
    let root = "/" + parts[..<end].joined(separator: "/")
    return FileSystem.exists(root + "/Package.swift") ? root : nil
  }()

  /// Whether a folder is the root of the checkout that this program was built in.
  static func isCheckout(_ folder: String) -> Bool {
    checkout == URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
  }

  /// Whether this program is in the folder `bin` of a prefix.
  private static var isInstalled: Bool {
    URL(fileURLWithPath: folder).lastPathComponent == "bin" && checkout == nil
  }

  /// The prefix of the installation, such as `/usr/local`; meaningful only if ``isInstalled``.
  private static let prefix = URL(fileURLWithPath: folder).deletingLastPathComponent().path

  /// The running executable, without symbolic links.
  ///
  /// The kernel's link also names an executable that was replaced or removed while it runs; its folder is still right.
  private static let executable: String = {
    let kernel = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(fileURLWithPath: kernel ?? Bundle.main.executablePath ?? "").resolvingSymlinksInPath().path
  }()

  private static let folder = URL(fileURLWithPath: executable).deletingLastPathComponent().path

  /// Whether a file and its folder belong to this user, to root, or to the owner of this program, who could have
  /// changed the program itself. Anyone can create `/tmp/libexec` beside a copy in `/tmp/bin`.
  private static func isTrusted(_ path: String) -> Bool {
    let users = [FileStatus.currentUser, FileStatus.superuser, FileStatus.owner(of: executable)]
    return [path, FileSystem.directory(of: path)].allSatisfy { path in
      FileStatus.owner(of: path).map { users.contains($0) } ?? false
    }
  }

  private static let noted = Mutex<Set<String>>([])

  /// Prints a note, once, if the working folder has a build of its own that does not run.
  private static func note(_ name: String, _ path: String) {
    guard let other = FileSystem.nearest("dist/" + name, from: FileSystem.currentDirectory),
      URL(fileURLWithPath: other).resolvingSymlinksInPath().path
        != URL(fileURLWithPath: path).resolvingSymlinksInPath().path,
      noted.withLock({ $0.insert(name).inserted })
    else { return }
    Terminal.note(
      Printable.text("note: \(path) runs, and not \(other), which dist/authorizer-local of that folder runs"))
  }
}
