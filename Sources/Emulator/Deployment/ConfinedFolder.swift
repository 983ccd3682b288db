internal import Foundation

/// A folder that stands for a deployment: what is named in it is looked for in it, and never outside.
///
/// A deployment holds its files (`/var/task`); a name that leads elsewhere, by `..`, by its first slash or by a link, means
/// another machine's file there and one of the user's here.
public struct ConfinedFolder: Sendable {
  /// Its path, without links.
  public let path: String

  /// Where a name leads.
  public enum Place: Equatable, Sendable {
    /// To this regular file.
    case file(String)
    /// To nothing, or to something that is no regular file: a pipe or a device may have no end.
    case missing
    /// Out of the folder.
    case outside
  }

  /// The folder at a path.
  public init(_ path: String) {
    self.path = URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.path
  }

  /// Where a name leads; a relative one begins in the folder, and so does `/var/task/`, Lambda's own name of it.
  public func place(of name: String) -> Place {
    let task = "/var/task/"
    let inner = name.hasPrefix(task) ? String(name.dropFirst(task.count)) : name
    let whole = inner.hasPrefix("/") ? inner : path + "/" + inner
    // Links first: `link/..` is the folder above what the link leads to.
    let resolved = URL(fileURLWithPath: whole).resolvingSymlinksInPath().standardizedFileURL.path
    guard resolved.utf8.starts(with: (path == "/" ? path : path + "/").utf8) else { return .outside }
    let type = try? FileManager.default.attributesOfItem(atPath: resolved)[.type] as? FileAttributeType
    return type == .typeRegular ? .file(resolved) : .missing
  }
}
