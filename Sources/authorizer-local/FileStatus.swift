internal import Foundation

/// The owner, kind and permissions of files. Symbolic links are not followed.
enum FileStatus {
  /// A kind of file.
  enum Kind {
    case folder, link, other
  }

  /// The user ID of the superuser.
  static let superuser: UInt32 = 0

  /// The user ID of this process.
  static var currentUser: UInt32 { geteuid() }

  /// Returns the owner's user ID; `nil` if there is no such file.
  static func owner(of path: String) -> UInt32? { status(of: path)?.st_uid }

  /// Returns the kind; `nil` if there is no such file.
  static func kind(of path: String) -> Kind? {
    // The types of inode(7).
    switch status(of: path).map({ $0.st_mode & 0o170000 }) {
    case 0o040000?: .folder
    case 0o120000?: .link
    case nil: nil
    default: .other
    }
  }

  /// Whether every user can create files in a folder, but remove only their own, as in `/tmp`.
  static func isShared(_ folder: String) -> Bool {
    // The sticky bit, and the permission of others to write.
    status(of: folder).map { $0.st_mode & 0o1002 == 0o1002 } ?? false
  }

  private static func status(of path: String) -> stat? {
    var status = stat()
    // `lstat` reads the path and writes the structure; both are valid until it returns.
    return unsafe lstat(path, &status) == 0 ? status : nil
  }
}
