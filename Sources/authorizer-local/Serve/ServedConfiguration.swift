internal import Text
internal import DeploymentChecks
internal import Foundation
internal import JSON

/// The configuration of one of the project's functions, read from a template and prepared for a process of this
/// machine.
///
/// A template may be untrusted: files that it names must be in the folder of the deployment. Files that the user
/// names with `--config`, `--env` or their own environment may be anywhere.
struct ServedConfiguration {
  /// The configuration as JSON.
  private(set) var tree: JSONTree
  /// The folder of relative file names.
  private(set) var folder: ConfinedFolder
  private let label: String
  private let isOwn: Bool
  private let machine: Machine

  /// Reads the configuration from a function's variable; `nil` if the variable is empty or missing.
  ///
  /// - Parameters:
  ///   - text: the value of the variable, JSON or a path.
  ///   - label: variable and function, for messages.
  ///   - isOwn: whether the user set the variable.
  ///   - taskRoot: the folder of the function's files.
  ///   - folders: the folders that a template's path may refer to; the first one with the file is used.
  init?(
    _ text: String?, _ label: String, isOwn: Bool, taskRoot: String, folders: [String],
    on machine: Machine
  ) throws(CommandFailure) {
    guard let text, let first = text.utf8.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else {
      return nil
    }
    self.label = label
    self.machine = machine
    self.isOwn = isOwn
    if first == UInt8(ascii: "{") {
      folder = ConfinedFolder(taskRoot)
      tree = try JSONTree(configuration: Array(text.utf8), of: label)
      return
    }
    var path = text.hasBytePrefix("/") ? text : taskRoot + "/" + text
    folder = ConfinedFolder(taskRoot)
    if !isOwn {
      (folder, path) = try Self.file(text, in: folders.map(ConfinedFolder.init), label, machine.files)
    }
    tree = try machine.files.configuration(at: path, named: label)
  }

  private static func file(
    _ name: String, in folders: [ConfinedFolder], _ label: String, _ files: FileSystem
  ) throws(CommandFailure) -> (ConfinedFolder, String) {
    let places = folders.map { ($0, $0.place(of: name)) }
    // The user may add the file.
    for folder in folders { files.onLook?(folder.path + "/" + PackagedConfiguration.relative(name)) }
    for case (let folder, .file(let path)) in places { return (folder, path) }
    let isOutside = places.allSatisfy { $0.1 == .outside }
    let searched = folders.map(\.path).joined(separator: " and ")
    throw CommandFailure(
      .usage,
      "\(label) names \(Printable.text(name)), which \(isOutside ? "is outside of" : "is not in") \(searched)",
      hint:
        "serve reads only files in the template's folder; give another one with --config FILE or --env NAME=VALUE"
    )
  }

  /// Replaces the configuration by the result of a closure.
  mutating func change(_ change: (JSONTree) -> JSONTree) { tree = change(tree) }

  /// The members of either function's configuration that name files to read.
  private static let filePaths = [
    ["issuers", "*", "keys", "seed"], ["issuers", "*", "keys", "secret", "file"], ["keys", "seed"],
    ["nonce", "secret", "file"], ["fetch", "certificateAuthorities"], ["revocation", "file"],
  ]

  /// Returns the configuration for the function. Every file that it names is in its folder or in the folder of the
  /// development keys.
  ///
  /// - Parameter fetches: whether keys are fetched. If not, certificates outside of the folder are removed.
  func text(fetches: Bool) throws(CommandFailure) -> String {
    var tree = tree
    if !isOwn {
      if !fetches, case .string(let name)? = tree["fetch"]?["certificateAuthorities"],
        folder.place(of: name) == .outside
      {
        tree["fetch"]?["certificateAuthorities"] = nil
      }
    }
    for path in Self.filePaths { tree = try confined(tree, path[...], path) }
    return String(decoding: tree.bytes(), as: UTF8.self)
  }

  private func confined(
    _ tree: JSONTree, _ rest: ArraySlice<String>, _ path: [String]
  ) throws(CommandFailure) -> JSONTree {
    guard let name = rest.first else {
      guard case .string(let file) = tree else { return tree }
      return .string(try confined(file, path.filter { $0 != "*" }.joined(separator: ".")))
    }
    if name == "*" {
      guard case .array(let elements) = tree else { return tree }
      var changed: [JSONTree] = []
      for element in elements { changed.append(try confined(element, rest.dropFirst(), path)) }
      return .array(changed)
    }
    guard let member = tree[name] else { return tree }
    var tree = tree
    tree[name] = try confined(member, rest.dropFirst(), path)
    return tree
  }

  private func confined(_ file: String, _ member: String) throws(CommandFailure) -> String {
    if LocalStore.isOurs(file, in: machine.development.path) { return file }
    // The function reads that of revocations again and again.
    if member != "revocation.file" {
      machine.files.onLook?(file.hasBytePrefix("/") ? file : folder.path + "/" + file)
    }
    if isOwn { return file }
    switch folder.place(of: file) {
    case .file(let path): return path
    // The function reports that the file is missing, by its name on this machine.
    case .missing:
      return file.hasBytePrefix("/") ? folder.path + "/" + PackagedConfiguration.relative(file) : file
    case .outside:
      throw CommandFailure(
        .usage, "\(label): \(member) names \(Printable.text(file)), which is outside of \(folder.path)",
        hint:
          "serve reads only files in the template's folder; use --config FILE for a configuration of your own"
      )
    }
  }
}
