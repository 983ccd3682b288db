internal import Foundation

/// The owner, kind and permissions of files.
enum FileStatus {
  /// A kind of file; symbolic links are not followed.
  enum Kind {
    case folder, link, file, other
  }

  /// The user ID of the superuser.
  static let superuser: UInt32 = 0

  /// The user ID of this process.
  static var currentUser: UInt32 { geteuid() }

  /// The group ID of this process, if the group is private: many systems give each user a group with the user's ID.
  /// Any other group, such as `staff` or `users`, may have more members.
  static var privateGroup: UInt32? { getegid() == geteuid() ? getegid() : nil }

  /// Returns the group ID of a file, or of a symbolic link, if it is the private group of its owner.
  static func privateGroup(of path: String) -> UInt32? {
    status(of: path).flatMap { $0.st_gid == $0.st_uid ? $0.st_gid : nil }
  }

  /// Returns the user ID of a file's owner, or of a symbolic link's; `nil` if there is no such file.
  static func owner(of path: String) -> UInt32? { status(of: path)?.st_uid }

  /// Returns the kind; `nil` if there is no such file.
  static func kind(of path: String) -> Kind? { status(of: path).map { kind($0) } }

  /// Returns why a file that this program would write to is not a plain file of this user; `nil` if it is one or if
  /// there is none. A working tree of another author may contain links.
  static func flaw(of path: String) -> String? {
    guard let status = status(of: path) else { return nil }
    switch kind(status) {
    case .link: return "is a symbolic link"
    case .folder, .other: return "is not a regular file"
    case .file: break
    }
    if status.st_uid != currentUser { return "belongs to another user" }
    return status.st_nlink == 1 ? nil : "has a second name (a hard link)"
  }

  /// Whether every user can create files in a folder, as in `/tmp`. Symbolic links are followed.
  static func isOpenToAll(_ folder: String) -> Bool {
    var status = stat()
    // `stat` reads the path and writes the structure; both are valid until it returns.
    return unsafe stat(folder, &status) == 0 && status.st_mode & 0o002 != 0
  }

  /// Whether users other than the owner can change a file, or exchange the files in a folder. Symbolic links are
  /// followed.
  ///
  /// - Parameter groups: the groups that may change it.
  static func isOpenToOthers(_ path: String, except groups: [UInt32?]) -> Bool {
    var status = stat()
    // `stat` reads the path and writes the structure; both are valid until it returns.
    guard unsafe stat(path, &status) == 0 else { return false }
    // The sticky bit: only the owner of a file in the folder can exchange it.
    if kind(status) == .folder, status.st_mode & 0o1000 != 0 { return false }
    return status.st_mode & 0o002 != 0 || (status.st_mode & 0o020 != 0 && !groups.contains(status.st_gid))
  }

  /// The types of inode(7).
  private static func kind(_ status: stat) -> Kind {
    switch status.st_mode & 0o170000 {
    case 0o040000: .folder
    case 0o120000: .link
    case 0o100000: .file
    default: .other
    }
  }

  private static func status(of path: String) -> stat? {
    var status = stat()
    // `lstat` reads the path and writes the structure; both are valid until it returns.
    return unsafe lstat(path, &status) == 0 ? status : nil
  }
}
