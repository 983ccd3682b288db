internal import Foundation
internal import TestTokens

/// The folder of the development state: the development keys and the local users. docs/harness/state.md describes the
/// search.
enum DevelopmentFolder {
  /// The path of the folder, which may not exist yet. Found once, because creating the folder must not change it.
  static let path: String = find()

  /// Creates the folders above the state folder of the user, which may be missing on a new machine.
  ///
  /// - Throws: `CommandFailure` if a link is in place of the folder, or if a folder cannot be created.
  static func prepare() throws(CommandFailure) {
    try refuseLink(path)
    // `DevelopmentKeys` creates the last folder.
    try createParents(of: path)
  }

  /// Refuses a symbolic link: a working tree of another author may contain one.
  static func refuseLink(_ path: String) throws(CommandFailure) {
    guard FileStatus.kind(of: path) == .link else { return }
    throw CommandFailure(
      .usage, Printable.text("\(path) is a symbolic link: files would be written to another location"),
      hint: "remove the link; the folder and its files are created when they are needed")
  }

  private static let name = DevelopmentKeys.defaultFolder

  private static func find() -> String {
    let folders = FileSystem.upwards(from: FileSystem.currentDirectory)
    for folder in folders where isOwn(folder + "/" + name) { return folder + "/" + name }
    for folder in folders where isProject(folder) {
      let candidate = folder + "/" + name
      if FileStatus.kind(of: candidate) == .folder {
        Terminal.note(Printable.text("note: \(candidate) belongs to another user and is not used"))
        break
      }
      return candidate
    }
    return userFolder + "/authorizer-local"
  }

  /// Whether a path is a folder of this user, and not a link to one. Another user can create `/tmp/.development`.
  private static func isOwn(_ path: String) -> Bool {
    FileStatus.kind(of: path) == .folder && FileStatus.owner(of: path) == FileStatus.currentUser
  }

  /// Whether a folder is the root of a project. A folder such as `/tmp`, to which every user can add files, is none.
  private static func isProject(_ folder: String) -> Bool {
    !FileStatus.isShared(folder)
      && [".git", "template.yaml", "template.yml", "authorizer.json"].contains {
        FileSystem.exists(folder + "/" + $0)
      }
  }

  /// The user's folder for state ("XDG Base Directory Specification", version 0.8): a relative path in the variable is
  /// ignored.
  private static var userFolder: String {
    let environment = ProcessInfo.processInfo.environment
    if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") { return folder }
    let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
    return home + "/.local/state"
  }

  /// Creates missing parents with the permissions that the specification demands, 0700.
  private static func createParents(of path: String) throws(CommandFailure) {
    let parent = FileSystem.directory(of: path)
    guard !FileSystem.exists(parent) else { return }
    try createParents(of: parent)
    do {
      try FileManager.default.createDirectory(
        atPath: parent, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw CommandFailure(
        .unavailable, Printable.text("cannot create \(parent)"),
        hint: "set XDG_STATE_HOME to a folder that you can write to")
    }
  }
}
