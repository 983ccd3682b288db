internal import Text
internal import Templates
internal import FunctionHost
internal import Identity
internal import JSON

/// `config check` for the identity function.
extension ConfigCheck {
  private static let shipped = ShippedFunction.identity

  func checkIdentity() throws {
    let source = try identitySource()
    do throws(ConfigurationError) {
      let settings = try IdentitySettings(reading: source)
      if command.json {
        machine.terminal.answer(json: Self.json([], []))
      } else {
        Self.lines(settings, document(source)).forEach { machine.terminal.answer($0) }
      }
    } catch {
      try refuse(error)
    }
  }

  private func identitySource() throws(CommandFailure) -> LocalSource {
    var variables = variables
    // Lambda sets AWS_REGION ("Defined runtime environment variables"). The check works with any region.
    variables["AWS_REGION"] = variables["AWS_REGION"] ?? "us-east-1"
    let name = Self.shipped.variable
    let nearest =
      variables[name] == nil
      ? machine.files.nearest(Self.shipped.fileName, from: machine.files.currentDirectory) : nil
    guard let path = command.file ?? nearest else {
      guard variables[name] != nil else {
        throw CommandFailure(
          .usage, "no configuration to check",
          hint: "name a file: authorizer-local config check --identity FILE")
      }
      return LocalSource(variables: variables, taskRoot: machine.files.currentDirectory)
    }
    let text = String(decoding: try machine.files.bytes(at: path), as: UTF8.self)
    variables[name] = path == "-" ? text : machine.files.absolute(path)
    return LocalSource(variables: variables, taskRoot: machine.files.directory(of: path))
  }

  private func document(_ source: LocalSource) -> JSONTree? {
    let text = source.variable(Self.shipped.variable) ?? ""
    let bytes = text.hasBytePrefix("/") ? try? machine.files.bytes(at: text) : Array(text.utf8)
    return bytes.flatMap { try? JSONTree(parsing: $0, limits: .configuration) }
  }

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
