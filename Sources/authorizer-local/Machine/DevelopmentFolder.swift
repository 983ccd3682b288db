internal import Foundation
internal import TestTokens

/// The folder of the development state: the development keys and the local users. docs/harness/state.md describes the
/// search.
enum DevelopmentFolder {
  /// The path of the folder, which may not exist yet. Found once, because creating the folder must not change it.
  static var path: String { found.path }

  /// Checks the place of the folder, and creates the folders above the user's own one, which may be missing on a new
  /// machine. `DevelopmentKeys` creates and checks the folder itself.
  ///
  /// - Throws: `CommandFailure` if files of another author or user would be used, or if a folder cannot be created.
  static func prepare() throws(CommandFailure) { try prepared.get() }

  private static let prepared = Result { () throws(CommandFailure) in try checkAndCreate() }

  private static func checkAndCreate() throws(CommandFailure) {
    if FileStatus.kind(of: path) == .link {
      throw CommandFailure(
        .usage, Printable.text("\(path) is a symbolic link: files would be written to another location"),
        hint: "remove the link; the folder and its files are created when they are needed")
    }
    if found.isProject { return try refuseTracked() }
    let parent = FileSystem.directory(of: path)
    try checkOwner(above: parent)
    try createFolder(parent)
  }

  private static let name = DevelopmentKeys.defaultFolder

  private static let found = find()

  private static func find() -> (path: String, isProject: Bool) {
    let folders = FileSystem.upwards(from: FileSystem.currentDirectory)
    for folder in folders where isOwn(folder + "/" + name) { return (folder + "/" + name, true) }
    for folder in folders where isProject(folder) {
      let candidate = folder + "/" + name
      if FileStatus.kind(of: candidate) == .folder {
        Terminal.note(Printable.text("note: \(candidate) belongs to another user and is not used"))
        break
      }
      return (candidate, true)
    }
    return (userFolder + "/authorizer-local", false)
  }

  /// Whether a path is a folder of this user, and not a link to one. Another user can create `/tmp/.development`.
  private static func isOwn(_ path: String) -> Bool {
    FileStatus.kind(of: path) == .folder && FileStatus.owner(of: path) == FileStatus.currentUser
  }

  /// The files and folders of a project's root.
  private static let marks = [".git", "authorizer.json"] + ServeCommand.templateNames

  /// Whether a folder is the root of a project. A folder such as `/tmp`, to which every user can add files, is none.
  private static func isProject(_ folder: String) -> Bool {
    !FileStatus.isOpenToAll(folder) && marks.contains { FileSystem.exists(folder + "/" + $0) }
  }

  /// The user's folder for state ("XDG Base Directory Specification", version 0.8): a relative path in the variable is
  /// ignored.
  private static var userFolder: String {
    let environment = ProcessInfo.processInfo.environment
    if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") { return folder }
    let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
    return home + "/.local/state"
  }

  // MARK: The user's own folder

  private static let otherFolder = "set XDG_STATE_HOME to a folder of yours that others cannot write to"

  /// Refuses a place in which another user could create the folder, or in which root would create folders of a user.
  private static func checkOwner(above folder: String) throws(CommandFailure) {
    var nearest = folder
    while !FileSystem.exists(nearest) { nearest = FileSystem.directory(of: nearest) }
    let isMine = FileStatus.owner(of: nearest) == FileStatus.currentUser
    guard !isMine || FileStatus.isOpenToAll(nearest) else { return }
    throw CommandFailure(
      .unavailable,
      Printable.text(
        "\(path) cannot be used: \(nearest) "
          + (isMine ? "can be written to by every user" : "belongs to another user")),
      hint: otherFolder)
  }

  /// Creates a folder and its parents with the permissions that the specification demands, 0700.
  private static func createFolder(_ path: String) throws(CommandFailure) {
    guard !FileSystem.exists(path) else { return }
    try createFolder(FileSystem.directory(of: path))
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw CommandFailure(.unavailable, Printable.text("cannot create \(path)"), hint: otherFolder)
    }
  }

  // MARK: A cloned repository

  /// The files that must come from this machine.
  private static let stateFiles = ["keys.json", "identity.sqlite3", "revocations.json"]

  /// Refuses a folder that is part of a git repository: everyone who has the repository knows its keys.
  ///
  /// Searches the paths in git's index, which lists them as text (git-index-format, versions 2 and 3).
  private static func refuseTracked() throws(CommandFailure) {
    let project = FileSystem.directory(of: path)
    guard FileSystem.exists(path), let top = FileSystem.upwards(from: project).last,
      let index = try? Data(contentsOf: URL(fileURLWithPath: top + "/.git/index"), options: .mappedIfSafe)
    else { return }
    let start = path.dropFirst(top.hasSuffix("/") ? top.count : top.count + 1)
    for file in stateFiles where index.range(of: Data("\(start)/\(file)".utf8)) != nil {
      throw CommandFailure(
        .usage, Printable.text("\(path)/\(file) is in the git repository, so others know it"),
        hint: "git rm -r --cached \(Printable.text(String(start))), commit, and delete the folder")
    }
  }
}
