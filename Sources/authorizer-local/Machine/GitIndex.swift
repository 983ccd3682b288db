internal import Text
internal import Bytes
internal import Foundation

/// The paths that a git repository tracks (git-index-format, versions 2 and 3).
///
/// Not read by `git ls-files`: it may run commands of `.git/config` in an unpacked project (`core.sshCommand`, for a
/// sparse index whose trees are missing), waits for pipes, and git may not be installed.
struct GitIndex {
  /// The root of the working tree.
  let top: String
  /// The contents of the index, and of the files that it shares entries with.
  private var parts: [Data] = []

  /// The limit for all files of an index together, in bytes. An entry has 62 bytes and its path (git-index-format), so a
  /// million paths of 64 characters fit.
  private static let maximumBytes = 128 << 20
  /// The limit for `.git` in place of a folder, in bytes: it has one path, and Linux has at most 4,096 bytes for one
  /// (`PATH_MAX`).
  private static let maximumLinkBytes = 8 << 10

  /// Reads the index of the repository around a folder; returns `nil` if there is none.
  ///
  /// A `.git` of another user is not used, and git does not use it either: anyone can create `/tmp/.git`.
  ///
  /// - Throws: `CommandFailure` if the index cannot be read, because it could list every path.
  init?(around folder: String) throws(CommandFailure) {
    var top = URL(fileURLWithPath: folder).standardizedFileURL
    while FileStatus.owner(of: Self.mark(of: top)) != FileStatus.currentUser {
      let parent = top.deletingLastPathComponent().standardizedFileURL
      guard parent.path != top.path else { return nil }
      top = parent
    }
    self.top = top.path
    guard let git = try Self.folder(of: top) else { return nil }
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: git) else {
      throw Self.unreadable(git)
    }
    // A repository without an index tracks nothing yet.
    var size = 0
    for name in names where name == "index" || name.hasBytePrefix("sharedindex.") {
      let part = try Self.part(git + "/" + name, after: size)
      size += part.count
      parts.append(part)
    }
  }

  /// Whether the repository tracks a file; its path is that below ``top``.
  func tracks(_ path: String) -> Bool {
    let name = Self.folded(Data("\(path)\0".utf8))
    // The flags before a path have its length in their lowest twelve bits.
    let length = min(name.count - 1, 0xfff)
    return parts.contains { part in
      let text = Self.folded(part)
      var start = text.startIndex
      while let match = text.range(of: name, in: start..<text.endIndex) {
        if Self.isEntry(part, at: match.lowerBound, length) { return true }
        start = match.lowerBound + 1
      }
      return false
    }
  }

  /// Whether a path of this length begins here, and not the end of a longer one. Version 3 may have two more octets
  /// between the flags and the path, and then sets bit 14.
  private static func isEntry(_ part: Data, at start: Int, _ length: Int) -> Bool {
    [(2, length), (4, length | 0x4000)].contains { distance, expected in
      let flags = start - distance
      return flags >= 12 && (Int(part[flags]) << 8 | Int(part[flags + 1])) & 0x4fff == expected
    }
  }

  /// The usual volume of macOS does not distinguish capital letters, so a path in the repository may have others.
  private static func folded(_ text: Data) -> Data {
    #if os(macOS)
      return Data(text.lowercase)
    #else
      return text
    #endif
  }

  private static func mark(of top: URL) -> String { top.appendingPathComponent(".git").path }

  /// Returns git's own folder. That of a submodule or a linked worktree is elsewhere, and `.git` is a file with its path.
  private static func folder(of top: URL) throws(CommandFailure) -> String? {
    let place = URL(fileURLWithPath: mark(of: top)).resolvingSymlinksInPath().path
    guard FileStatus.kind(of: place) == .file else { return place }
    guard let data = try contents(of: place, limit: maximumLinkBytes) else {
      throw unreadable(place, because: "it has more than \(maximumLinkBytes) bytes")
    }
    let text = String(decoding: data, as: UTF8.self)
    let start = "gitdir: "
    // Without this line, git takes the folder for no repository.
    guard text.hasBytePrefix(start) else { return nil }
    let path = text.dropFirst(bytes: start.utf8.count).trimmingCharacters(in: .newlines)
    return path.hasBytePrefix("/") ? path : top.path + "/" + path
  }

  /// - Parameter size: how many bytes the other files of the index have.
  private static func part(_ path: String, after size: Int) throws(CommandFailure) -> Data {
    guard let data = try contents(of: path, limit: maximumBytes - size) else {
      throw unreadable(path, because: "the index has more than \(maximumBytes) bytes")
    }
    guard data.count >= 12, data.prefix(4) == Data("DIRC".utf8) else { throw unreadable(path) }
    guard data[4..<8] == Data([0, 0, 0, 2]) || data[4..<8] == Data([0, 0, 0, 3]) else {
      throw CommandFailure(
        .usage, Printable.text("\(path) does not have version 2 or 3, so it is not known what git tracks"),
        hint: "git update-index --index-version 2")
    }
    return data
  }

  /// Returns the bytes of a file; `nil` if they are more than the limit.
  ///
  /// An unpacked project may contain anything here. A pipe would never end, nor would a link to a device.
  private static func contents(of path: String, limit: Int) throws(CommandFailure) -> Data? {
    let place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    guard FileStatus.kind(of: place) == .file, let handle = FileHandle(forReadingAtPath: place) else {
      throw unreadable(path)
    }
    defer { try? handle.close() }
    guard let data = try? handle.read(upToCount: limit + 1) ?? Data() else { throw unreadable(path) }
    return data.count > limit ? nil : data
  }

  private static func unreadable(_ path: String, because reason: String? = nil) -> CommandFailure {
    let reason = reason.map { ": " + $0 } ?? ""
    return CommandFailure(
      .usage, Printable.text("cannot read \(path)\(reason), so it is not known what git tracks"),
      hint: "check its permissions, and that git status works here")
  }
}
