internal import Text
internal import Foundation
internal import TestTokens

/// The folder of the development state: the development keys and the local users. docs/harness/state.md describes the
/// search.
struct DevelopmentFolder: Sendable {
  /// The path of the folder, which may not exist yet.
  let path: String
  private let isProject: Bool
  private let files: FileSystem

  init(_ files: FileSystem, _ environment: [String: String], _ terminal: Terminal) {
    self.files = files
    (path, isProject) = Self.find(files, environment, terminal)
  }

  /// Checks the place of the folder, and creates the folders above the user's own one, which may be missing on a new
  /// machine. `DevelopmentKeys` creates and checks the folder itself.
  ///
  /// - Throws: `CommandFailure` if files of another author or user would be used, or if a folder cannot be created.
  func prepare() throws(CommandFailure) {
    if FileStatus.kind(of: path) == .link {
      throw CommandFailure(
        .usage, Printable.text("\(path) is a symbolic link: files would be written to another location"),
        hint: "remove the link; the folder and its files are created when they are needed")
    }
    if isProject { return try refuseTracked() }
    let parent = files.directory(of: path)
    try checkOwner(above: parent)
    try createFolder(parent)
  }

  private static let name = DevelopmentKeys.defaultFolder

  private static func find(
    _ files: FileSystem, _ environment: [String: String], _ terminal: Terminal
  ) -> (path: String, isProject: Bool) {
    let folders = files.upwards(from: files.currentDirectory)
    for folder in folders where isOwn(folder + "/" + name) { return (folder + "/" + name, true) }
    for folder in folders where isProject(folder, files) {
      let candidate = folder + "/" + name
      if FileStatus.kind(of: candidate) == .folder {
        terminal.note(Printable.text("note: \(candidate) belongs to another user and is not used"))
        break
      }
      return (candidate, true)
    }
    return (userFolder(environment) + "/authorizer-local", false)
  }

  /// Whether a path is a folder of this user, and not a link to one. Another user can create `/tmp/.development`.
  private static func isOwn(_ path: String) -> Bool {
    FileStatus.kind(of: path) == .folder && FileStatus.owner(of: path) == FileStatus.currentUser
  }

  /// The files and folders of a project's root.
  private static let marks = [".git", "authorizer.json"] + FileSystem.templateNames

  /// Whether a folder is the root of a project. A folder such as `/tmp`, to which every user can add files, is none.
  private static func isProject(_ folder: String, _ files: FileSystem) -> Bool {
    !FileStatus.isOpenToAll(folder) && marks.contains { files.exists(folder + "/" + $0) }
  }

  /// The user's folder for state ("XDG Base Directory Specification", version 0.8): a relative path in the variable is
  /// ignored.
  private static func userFolder(_ environment: [String: String]) -> String {
    if let folder = environment["XDG_STATE_HOME"], folder.hasBytePrefix("/") { return folder }
    let home = environment["HOME"].flatMap { $0.hasBytePrefix("/") ? $0 : nil } ?? NSHomeDirectory()
    return home + "/.local/state"
  }

  // MARK: The user's own folder

  private static let otherFolder = "set XDG_STATE_HOME to a folder of yours that others cannot write to"

  /// Refuses a place in which another user could create the folder, or in which root would create folders of a user.
  private func checkOwner(above folder: String) throws(CommandFailure) {
    var nearest = folder
    while !files.exists(nearest) { nearest = files.directory(of: nearest) }
    let isMine = FileStatus.owner(of: nearest) == FileStatus.currentUser
    guard !isMine || FileStatus.isOpenToAll(nearest) else { return }
    throw CommandFailure(
      .unavailable,
      Printable.text(
        "\(path) cannot be used: \(nearest) "
          + (isMine ? "can be written to by every user" : "belongs to another user")),
      hint: Self.otherFolder)
  }

  /// Creates a folder and its parents with the permissions that the specification demands, 0700.
  private func createFolder(_ path: String) throws(CommandFailure) {
    guard !files.exists(path) else { return }
    try createFolder(files.directory(of: path))
    let made: Void? = try? FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    guard made != nil else {
      throw CommandFailure(.unavailable, Printable.text("cannot create \(path)"), hint: Self.otherFolder)
    }
  }

  // MARK: A cloned repository

  /// The files that must come from this machine.
  private static let stateFiles = [
    "keys.json", "credentials.json", "dpop.json", "tls.json", "identity.sqlite3", "revocations.json",
    DevelopmentSecret.fileName,
  ]

  /// Refuses a folder that is part of a git repository: everyone who has the repository knows its keys.
  private func refuseTracked() throws(CommandFailure) {
    guard files.exists(path), let index = try GitIndex(around: files.directory(of: path)) else { return }
    let start = path.rest(after: index.top == "/" ? "/" : index.top + "/") ?? path[...]
    for file in Self.stateFiles where index.tracks("\(start)/\(file)") {
      throw CommandFailure(
        .usage, Printable.text("\(path)/\(file) is in the git repository, so others know it"),
        hint:
          "git rm -r --cached \(ShellWord.path(String(start), or: "FOLDER")), commit, and delete the folder")
    }
  }
}
