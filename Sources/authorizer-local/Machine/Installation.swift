internal import Text
internal import Foundation
internal import Synchronization

/// Finds the programs and files that belong to this program, whatever the working folder is.
///
/// `make install` writes `bin/authorizer-local`, `libexec/authorizer-local/NAME` and
/// `share/authorizer-local/init/KIND`. In a checkout the programs are in `dist`, and the starter files in
/// `template/init`. The working folder decides nothing: a cloned repository may contain a `dist/bootstrap` of anyone.
final class Installation: Sendable {
  private let executable: String
  private let files: FileSystem
  private let terminal: Terminal
  /// The folder of the executable.
  private let folder: String
  /// The root of the checkout that this program was built in, or was copied to the `dist` of; else `nil`.
  let checkout: String?
  private let noted = Mutex<Set<String>>([])

  /// - Parameter executable: path of this program, without symbolic links.
  init(executable: String, files: FileSystem, terminal: Terminal) {
    self.executable = executable
    self.files = files
    self.terminal = terminal
    folder = URL(fileURLWithPath: executable).deletingLastPathComponent().path
    checkout = Self.checkout(of: folder, files)
  }

  /// Returns the absolute path of a program, such as `bootstrap`; `nil` if it is missing or not to be trusted.
  func program(_ name: String) -> String? {
    let path = place(of: name)
    guard FileManager.default.isExecutableFile(atPath: path), isTrusted(path) else { return nil }
    note(name, path)
    return path
  }

  /// Returns where a program has to be.
  func place(of name: String) -> String {
    if let checkout { return checkout + "/dist/" + name }
    return isInstalled ? prefix + "/libexec/authorizer-local/" + name : folder + "/" + name
  }

  /// Returns the folder of the starter files of a kind for `init`, such as `rest`; `nil` if it is missing.
  func starter(_ kind: String) -> String? {
    let path: String
    if let checkout {
      path = checkout + "/template/init/" + kind
    } else if isInstalled {
      path = prefix + "/share/authorizer-local/init/" + kind
    } else {
      return nil
    }
    guard files.isDirectory(path), isTrusted(path), let names = FileManager.default.subpaths(atPath: path),
      names.allSatisfy({ isTrusted(path + "/" + $0) })
    else { return nil }
    return path
  }

  /// Returns the failure for a missing program. Its hint fits an installed program as well as a checkout.
  ///
  /// - Parameters:
  ///   - user: what needs the program, such as a function of a template.
  ///   - alternative: what else the user can do, such as `give its path with --fetch-keys PATH`.
  func missing(
    _ name: String, neededBy user: String? = nil, orElse alternative: String
  ) -> CommandFailure {
    let path = place(of: name)
    let exists = files.exists(path)
    let flaw = exists ? self.flaw(of: path) : nil
    let problem = flaw?.rawValue ?? (exists ? "cannot be executed" : "is missing")
    let cure: String
    if flaw == .changeable {
      cure = "run chmod go-w for it and for its folder"
    } else if checkout != nil {
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

  private static func checkout(of folder: String, _ files: FileSystem) -> String? {
    let parts = folder.splitBytes(at: "/", omittingEmptySubsequences: true)
    guard
      let end = parts.last == "dist"
        ? parts.count - 1 : parts.lastIndex(where: { $0.hasSameBytes(as: ".build") })
    else { return nil }
    let root = "/" + parts[..<end].joined(separator: "/")
    return files.exists(root + "/Package.swift") ? root : nil
  }

  /// Whether this program is in the folder `bin` of a prefix.
  private var isInstalled: Bool {
    URL(fileURLWithPath: folder).lastPathComponent == "bin" && checkout == nil
  }

  /// The prefix of the installation, such as `/usr/local`; meaningful only if ``isInstalled``.
  private var prefix: String { URL(fileURLWithPath: folder).deletingLastPathComponent().path }

  /// Returns the path of the running executable, without symbolic links.
  ///
  /// The kernel's link also names an executable that was replaced or removed while it runs; its folder is still right.
  static func executable() -> String {
    let kernel = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(fileURLWithPath: kernel ?? Bundle.main.executablePath ?? "").resolvingSymlinksInPath().path
  }

  /// Why a file is not to be trusted.
  private enum Flaw: String {
    case foreign = "belongs to another user"
    case changeable = "can be changed by other users"
  }

  private func isTrusted(_ path: String) -> Bool { flaw(of: path) == nil }

  /// Returns `nil` if a file and its folder belong to this user, to root, or to the owner of this program, who could
  /// have changed the program itself, and if no other user can change them. Their private groups may, but no group with
  /// other members, such as `staff` on macOS. Anyone can create `/tmp/libexec` beside a copy in `/tmp/bin`.
  private func flaw(of path: String) -> Flaw? {
    let users = [FileStatus.currentUser, FileStatus.superuser, FileStatus.owner(of: executable)]
    let groups: [UInt32?] = [
      FileStatus.privateGroup, FileStatus.superuser, FileStatus.privateGroup(of: executable),
    ]
    for path in [path, files.directory(of: path)] {
      guard let owner = FileStatus.owner(of: path), users.contains(owner) else { return .foreign }
      if FileStatus.isOpenToOthers(path, except: groups) { return .changeable }
    }
    return nil
  }

  /// Prints a note, once, if the working folder has a build of its own that does not run.
  private func note(_ name: String, _ path: String) {
    guard let other = files.nearest("dist/" + name, from: files.currentDirectory),
      URL(fileURLWithPath: other).resolvingSymlinksInPath().path
        != URL(fileURLWithPath: path).resolvingSymlinksInPath().path,
      noted.withLock({ $0.insert(name).inserted })
    else { return }
    terminal.note(
      Printable.text("note: \(path) runs, and not \(other), which dist/authorizer-local of that folder runs"))
  }
}
