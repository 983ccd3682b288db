internal import GatewayModel
internal import Text

/// The functions that are not in the template: of another stack, another account, or a nested application. `serve` runs a
/// program of the user in their place, never a function of this project by itself.
final class ExternalFunctions {
  /// Where an authorizer's function is.
  enum Address {
    /// An ARN, or the URI that API Gateway invokes.
    case text(String)
    /// An ARN that is not known.
    case unknown(Diagnostic)
  }

  /// The address of each function, by name.
  private var addresses: [String: String] = [:]
  /// The functions that no permission of the template lets API Gateway call.
  var withoutPermission: Set<String> = []

  var names: [String] { addresses.keys.sorted() }

  func contains(_ name: String) -> Bool { addresses[name] != nil }

  /// Adds a function.
  ///
  /// - Returns: whether the name is not that of another function.
  func add(_ name: String, at address: String) -> Bool {
    let first = addresses[name] ?? address
    addresses[name] = first
    return first == address
  }

  /// Returns the name in the ARN of a function, or in a URI with it; `nil` for any other text.
  static func name(in text: String) -> String? {
    guard let parts = TemplateNames.functionParts(of: text), parts[0] == "arn", parts[2] == "lambda",
      parts[5] == "function", parts[4].count == 12, parts[6...].allSatisfy(isName)
    else { return nil }
    return String(parts[6])
  }

  /// Returns a name for a function whose ARN is a missing value: the last part of the value's name, such as `Arn` of
  /// `app.Outputs.Arn`.
  static func name(ofMissing value: String) -> String? {
    let last = value.utf8.split(whereSeparator: { ".:/".utf8.contains($0) }).last.map { Substring($0) }
    return last.flatMap { isName($0) ? String($0) : nil }
  }

  /// The maximum length of the name of a function in bytes (Lambda API Reference, `FunctionName` of "Invoke").
  private static let maximumNameBytes = 170

  private static func isName(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.count <= maximumNameBytes
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D, 0x24: true
        default: false
        }
      }
  }
}

extension TemplateReader {
  /// Returns the function of an authorizer: one of this template, or an external one with a note.
  func authorizerFunction(
    _ address: ExternalFunctions.Address, line: Int, path: String, _ report: Diagnostics
  ) -> String? {
    let (key, name): (String, String?)
    switch address {
    case .text(let text):
      if let own = names.function(text) { return own }
      let hasVariable = FunctionCall.missingSubstitution(in: text) != nil
      (key, name) = (text, hasVariable ? nil : ExternalFunctions.name(in: text))
      if name == nil { return function(text, line: line, path: path, report) }
    case .unknown(let finding):
      let missing = ExternalValues.missingName(in: finding)
      (key, name) = (missing ?? "", missing.flatMap(ExternalFunctions.name(ofMissing:)))
      if name == nil { report.refuse(finding) }
    }
    guard let name, external(name, at: key, line: line, path: path, report) else { return nil }
    self.report.note(
      line, path,
      "calls \(name), which is not in this template; without a program each of its requests is a 500: run it with --run"
        + " \(ShellWord.assignment(name, "COMMAND")), or this project's authorizer with --config FILE"
    )
    return name
  }

  /// Returns the function of an integration: one of this template, or an external one.
  func backendFunction(_ address: String, line: Int, path: String, _ report: Diagnostics) -> String? {
    guard names.function(address) == nil, FunctionCall.missingSubstitution(in: address) == nil,
      let name = ExternalFunctions.name(in: address)
    else { return function(address, line: line, path: path, report) }
    return external(name, at: address, line: line, path: path, report) ? name : nil
  }

  /// Adds an external function, or reports why its name cannot be used.
  private func external(
    _ name: String, at key: String, line: Int, path: String, _ report: Diagnostics
  ) -> Bool {
    if !names.isResource(name), externals.add(name, at: key) { return true }
    report.refuse(
      line, path, "calls the function \(key), whose name \(name) is that of another function or resource",
      cure: "rename the resource in a local copy of the template")
    return false
  }
}
