internal import Text
internal import JSON
internal import TestTokens

/// A contract test of the console, as files of the user's project.
struct SavedTest {
  /// The folder of the template.
  let folder: String
  let files: FileSystem
  /// This program, and the option `--config` of `serve`, for the command.
  let program: String
  var config: String?

  /// The command that runs the tests beside a saved one, in any folder.
  func command(_ saved: [String]) -> String {
    let folder = ShellWord.path(files.directory(of: saved.first ?? ""), or: "FOLDER")
    let option = config.map { " --config " + ShellWord.path(files.absolute($0), or: "FILE") } ?? ""
    return "\(program) test \(folder)\(option)"
  }

  /// Adds the event and the expectation to the nearest folder `events`, and the recipe of the token to the `tokens.json`
  /// that `test` reads there. Nothing else of these files changes.
  ///
  /// - Parameter test: the member `test` of a decision.
  /// - Returns: the paths of the files.
  /// - Throws: `CommandFailure` if the test is there already, or if a file cannot be read or written.
  func write(_ test: JSONTree) throws(CommandFailure) -> [String] {
    let root = files.directory(of: files.nearest("events", from: folder) ?? folder + "/events")
    var paths: [String] = []
    let new = try [("event", "eventDocument"), ("expected", "expectedDocument")].map {
      path, document throws(CommandFailure) -> NewFiles.File in
      guard case .string(let path)? = test[path], let document = test[document] else {
        throw CommandFailure(.usage, "this decision cannot be a test")
      }
      paths.append("\(root)/\(path)")
      return NewFiles.File(path: path, bytes: document.bytes(indentedBy: 2) + [0x0A])
    }
    var tokens: (path: String, bytes: [UInt8])?
    if case .object(let recipes)? = test["tokens"] {
      let path = files.nearest(TokenFile.name, from: root + "/events") ?? "\(root)/events/\(TokenFile.name)"
      let old = files.exists(path) ? try files.bytes(at: path, limit: JSONLimits.configuration.bytes) : []
      tokens = (path, try Self.merged(recipes, into: old, path))
      paths.append(path)
    }
    _ = try NewFiles(in: root, new, files).write()
    if let tokens { try files.write(tokens.bytes, to: tokens.path) }
    return paths
  }

  /// Returns the text of a `tokens.json` with more recipes at its end. A recipe that is there already stays.
  private static func merged(
    _ recipes: [JSONTree.Member], into old: [UInt8], _ path: String
  ) throws(CommandFailure) -> [UInt8] {
    let known = try Result { () throws(TokenFileError) in
      old.isEmpty ? TokenRecipes() : try TokenRecipes(parsing: old)
    }.mapError {
      CommandFailure(.usage, "\(path): \($0.description)", hint: "correct it, then save the test again")
    }.get()
    let new = recipes.filter { known[$0.name] == nil }
    guard !new.isEmpty else { return old }
    let added = JSONTree.object(new).bytes(indentedBy: 2) + [0x0A]
    guard let end = old.lastIndex(of: UInt8(ascii: "}")),
      let last = old[..<end].lastIndex(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) })
    else { return added }
    // Within the braces of the file, which keeps its own form.
    let separator = old[last] == UInt8(ascii: "{") ? "" : ","
    return old[...last] + Array(separator.utf8) + added.dropFirst()
  }
}
