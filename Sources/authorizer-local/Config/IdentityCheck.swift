internal import Authorizer
internal import Emulator
internal import Foundation
internal import Identity
internal import JSON

/// `config check` for the identity function.
extension ConfigCommand.Check {
  private static let shipped = ShippedFunction.identity

  /// Whether to check a configuration of the identity function.
  var isIdentity: Bool {
    identity || file?.split(separator: "/").last.map(String.init) == Self.shipped.fileName
  }

  func checkIdentity() throws {
    let source = try identitySource()
    do throws(ConfigurationError) {
      let settings = try IdentitySettings(reading: source)
      if json {
        Terminal.answer(json: Self.json([], []))
      } else {
        Self.lines(settings, document(source)).forEach { Terminal.answer($0) }
      }
    } catch {
      try refuse(error)
    }
  }

  private func identitySource() throws(CommandFailure) -> LocalSource {
    // All variables, because a secret may be in any of them.
    var variables = ProcessInfo.processInfo.environment
    if development { variables["AUTHORIZER_DEVELOPMENT"] = "1" }
    // Lambda sets AWS_REGION ("Defined runtime environment variables"). The check works with any region.
    variables["AWS_REGION"] = variables["AWS_REGION"] ?? "us-east-1"
    let name = Self.shipped.variable
    let nearest =
      variables[name] == nil
      ? FileSystem.nearest(Self.shipped.fileName, from: FileSystem.currentDirectory) : nil
    guard let path = file ?? nearest else {
      guard variables[name] != nil else {
        throw CommandFailure(
          .usage, "no configuration to check",
          hint: "name a file: authorizer-local config check --identity FILE")
      }
      return LocalSource(variables: variables, taskRoot: FileSystem.currentDirectory)
    }
    let text = String(decoding: try FileSystem.bytes(at: path), as: UTF8.self)
    variables[name] = path == "-" ? text : FileSystem.absolute(path)
    return LocalSource(variables: variables, taskRoot: FileSystem.directory(of: path))
  }

  private func document(_ source: LocalSource) -> JSONTree? {
    let text = source.variable(Self.shipped.variable) ?? ""
    let bytes = text.hasPrefix("/") ? try? FileSystem.bytes(at: text) : Array(text.utf8)
    return bytes.flatMap { try? JSONTree(parsing: $0, limits: .configuration) }
  }

  /// Returns a summary of the settings.
  private static func lines(_ settings: IdentitySettings, _ document: JSONTree?) -> [String] {
    let audiences = (document?.list("audiences") ?? []).compactMap { audience in
      if case .string(let text) = audience { text } else { nil }
    }
    let store =
      switch settings.store {
      case .sqlite(let path, let revocations):
        "SQLite, \(path)" + (revocations.map { ", revocations in \($0)" } ?? "")
      case .dynamoDB(let table, let region): "DynamoDB, \(table) in \(region ?? "the function's own region")"
      }
    return [
      "valid", "  signs users in to \(audiences.joined(separator: " or "))", "  users: " + store,
      "  nonces: " + (document?["nonce"] == nil ? "made by the clients" : "issued by POST /auth/nonce"),
    ].map(Printable.text)
  }
}
