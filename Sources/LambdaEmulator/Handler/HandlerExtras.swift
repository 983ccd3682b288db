internal import Text
internal import Foundation
internal import JSON

/// What a handler has on this machine besides its own code, as the third argument of its `HandlerLoop`.
struct HandlerExtras {
  var layers: [String] = []
  /// The folders in which the user has packages for all programs, with the AWS SDK for JavaScript among them.
  var packages: [String] = []
  /// The addresses that are answered with the development key set; `nil` for none.
  var keySets: AnsweredKeySets?

  /// The JSON that the loops read.
  var text: String {
    func list(_ texts: [String]) -> JSONTree { .array(texts.map { .string($0) }) }
    let tree = JSONTree.members([
      "layers": list(layers), "packages": list(packages),
      "keySets": keySets.map { .members(["file": .string($0.file), "addresses": list($0.addresses)]) },
    ])
    return String(decoding: tree.bytes(), as: UTF8.self)
  }

  /// Returns the folders with the AWS SDK for JavaScript that Node.js itself does not search from a function on: those of
  /// the user's `NODE_PATH`, and that of npm's global packages (npm documentation, "folders").
  ///
  /// - Parameter node: the path of Node.js.
  static func packages(of node: String, inheriting environment: [String: String]) -> [String] {
    var folders = (environment["NODE_PATH"] ?? "").splitBytes(at: ":").map(String.init)
    let configured = ["NPM_CONFIG_PREFIX", "npm_config_prefix"].compactMap { environment[$0] }
    let parent = URL(fileURLWithPath: node).deletingLastPathComponent().deletingLastPathComponent().path
    folders += (configured + [prefix(in: environment["HOME"]), parent, "/usr/local"].compactMap(\.self)).map {
      $0 + "/lib/node_modules"
    }
    var found: [String] = []
    for folder in folders where folder.hasBytePrefix("/") && !found.contains(folder) {
      if ["@aws-sdk", "aws-sdk"].contains(where: { FileManager.default.fileExists(atPath: folder + "/" + $0) }
      ) {
        found.append(folder)
      }
    }
    return found
  }

  /// The `prefix` of a user's `.npmrc`; `nil` without one.
  private static func prefix(in home: String?) -> String? {
    guard let home, let text = try? String(contentsOfFile: home + "/.npmrc", encoding: .utf8) else {
      return nil
    }
    for line in text.split(whereSeparator: \.isNewline) {
      let parts = line.splitBytes(at: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      guard parts.count == 2, parts[0] == "prefix" else { continue }
      let path = parts[1].replacingBytes(of: "${HOME}", with: home)
      return path.hasBytePrefix("~/") ? home + path.dropFirst(bytes: 1) : path
    }
    return nil
  }
}

/// Key sets of issuers that a handler gets as the development key set, although it asks for the issuer's own address.
package struct AnsweredKeySets: Equatable, Sendable {
  package let file: String
  /// The `https` addresses, as the handler writes them.
  package let addresses: [String]

  package init(file: String, addresses: [String]) {
    (self.file, self.addresses) = (file, addresses)
  }
}
