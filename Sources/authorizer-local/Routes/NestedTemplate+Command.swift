internal import GatewayModel
internal import Templates
internal import Text

extension NestedTemplate {
  /// Returns what is said about it, and the command that reads it by itself, one line each.
  ///
  /// - Parameters:
  ///   - command: the command, such as `serve`.
  ///   - template: the path of the template that has it.
  func lines(_ command: String, in template: String) -> [String] {
    [finding.line(in: template)]
      + [self.command(command, in: template)].compactMap { $0 }.map { "  " + $0 }
  }

  /// Returns the command; `nil` if its template is not on this machine.
  func command(_ command: String, in template: String) -> String? {
    guard let location else { return nil }
    let folder = template.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(template[...$0]) } ?? ""
    let path = location.hasBytePrefix("/") ? location : folder + location
    let values = parameters.sorted { $0.key < $1.key }.map { name, value in
      " --parameter " + ShellWord.assignment(name, value ?? "VALUE")
    }
    return "authorizer-local " + command + " --template " + ShellWord.path(path, or: "FILE") + values.joined()
  }
}

extension TemplateError {
  /// Returns what to do about a refused template.
  ///
  /// - Parameters:
  ///   - command: the command that reads templates, such as `serve`.
  ///   - template: the path of the template.
  ///   - advice: what to do about any other mistake.
  func hint(_ command: String, in template: String, otherwise advice: String) -> String {
    if needsValues { return "only these values are missing: give them with --parameter, as the lines say" }
    let nested = Set(nestedTemplates.map(\.finding))
    let commands = nestedTemplates.compactMap { $0.command(command, in: template) }
    let lines = (findings.allSatisfy(nested.contains) && !commands.isEmpty ? [] : [advice]) + commands
    return lines.map { Printable.text($0) }.joined(separator: "\n  ")
  }
}
