internal import Foundation

/// The users that files belong to.
enum FileOwner {
  static let root: UInt32 = 0

  /// The user that this process runs as.
  static var current: UInt32 { geteuid() }

  /// Returns the owner of a file or folder, or of a symbolic link itself; `nil` if it does not exist.
  static func of(_ path: String) -> UInt32? {
    var status = stat()
    // `lstat` reads the path and writes the structure; both are valid until it returns.
    guard unsafe lstat(path, &status) == 0 else { return nil }
    return status.st_uid
  }
}
