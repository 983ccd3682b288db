import Foundation
import TestSupport

/// The files of this repository by their relative paths, for the rules.
struct Repository: Sendable {
  let files: [String: String]
  /// Sorted by their paths.
  private let texts: [(path: String, text: String)]
  private let code: [(path: String, code: SwiftCode)]

  init(files: [String: String]) {
    self.files = files
    texts = files.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    code = texts.filter { $0.path.hasSuffix(".swift") }.map { ($0.path, SwiftCode($0.text)) }
  }

  /// The checkout, read once for all rules.
  static let checkedOut = Result { try readCheckedOut() }

  /// Excludes fetched and built files.
  private static func readCheckedOut() throws -> Repository {
    var files: [String: String] = [:]
    let tops = try FileManager.default.contentsOfDirectory(atPath: root.path)
    for top in tops where !notOurs.contains(top[...]) {
      for path in try paths(below: top) where isOurs(path) {
        // Of a picture in pixels, only the name counts.
        files[path] =
          kind(of: path) == "png" ? "" : try String(contentsOf: root.appending(path: path), encoding: .utf8)
      }
    }
    return Repository(files: files)
  }

  static let root = Checkout.root

  func files(under folders: String...) -> [(path: String, text: String)] {
    texts.filter { file in folders.contains { file.path.hasPrefix($0) } }
  }

  func swift(under folders: String...) -> [(path: String, code: SwiftCode)] {
    code.filter { file in folders.contains { file.path.hasPrefix($0) } }
  }

  private static func isOurs(_ path: String) -> Bool {
    kinds.contains(kind(of: path)) && notOurs.isDisjoint(with: path.split(separator: "/"))
  }

  private static let notOurs: Set<Substring> = [
    ".git", ".build", ".swiftpm", ".aws-sam", ".development", ".terraform", ".vectors", "dist", "LICENSE",
  ]

  /// The extensions of our files; the empty one is for `Makefile` and the scripts.
  private static let kinds: Set = [
    "", "swift", "md", "json", "yaml", "yml", "tf", "h", "c", "modulemap", "swift-format",
    "dockerignore", "pins", "svg", "png",
  ]

  private static func kind(of path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    return name.contains(".") ? String(name.split(separator: ".").last ?? "") : ""
  }

  private static func paths(below top: String) throws -> [String] {
    guard try isFolder(top) else { return [top] }
    let below = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: top).path)
    return try below.map { "\(top)/\($0)" }.filter { try !isFolder($0) }
  }

  private static func isFolder(_ path: String) throws -> Bool {
    try root.appending(path: path).resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true
  }
}
