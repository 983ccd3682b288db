internal import Text
internal import Foundation

/// A deployment folder. File names are resolved inside it, and never outside.
///
/// On AWS the folder is `/var/task`. Here, a name that leads outside by `..`, a leading slash or a link would open
/// one of the user's own files.
package struct ConfinedFolder: Sendable {
  /// The path with all links resolved.
  package let path: String

  /// The target of a name.
  package enum Place: Equatable, Sendable {
    /// This regular file.
    case file(String)
    /// No file, or not a regular file. A pipe or a device may have no end.
    case missing
    case outside
  }

  package init(_ path: String) {
    self.path = URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.path
  }

  /// Resolves a name. A relative path and `/var/task/`, Lambda's own path, both start in the folder.
  package func place(of name: String) -> Place {
    let task = "/var/task/"
    let inner = name.hasBytePrefix(task) ? String(name.dropFirst(bytes: task.utf8.count)) : name
    return place(at: inner.hasBytePrefix("/") ? inner : path + "/" + inner)
  }

  /// Resolves an absolute path of this machine.
  package func place(at whole: String) -> Place {
    guard let resolved = inner(whole) else { return .outside }
    let type = try? FileManager.default.attributesOfItem(atPath: resolved)[.type] as? FileAttributeType
    return type == .typeRegular ? .file(resolved) : .missing
  }

  /// Returns an absolute path with all links resolved; `nil` for one that is not below the folder.
  package func inner(_ whole: String) -> String? {
    // Resolves links first: `link/..` is the parent of the link's target.
    let resolved = URL(fileURLWithPath: whole).resolvingSymlinksInPath().standardizedFileURL.path
    return resolved.utf8.starts(with: (path == "/" ? path : path + "/").utf8) ? resolved : nil
  }
}
