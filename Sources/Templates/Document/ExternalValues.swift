internal import GatewayModel
internal import Text

/// The values that only a deployed account knows. They are given like parameters, by the names of the messages:
/// `import:NAME`, `ssm:NAME`, `secret:NAME`, `APPLICATION.Outputs.NAME`.
final class ExternalValues {
  /// Where a value comes from.
  enum Source: String {
    /// `Fn::ImportValue`.
    case importedValue = "import"
    /// `{{resolve:ssm:…}}`.
    case systemsManager = "ssm"
    /// `{{resolve:secretsmanager:…}}`.
    case secret
  }

  /// What the name of an output of a nested application or stack contains.
  static let outputMark = ".Outputs."

  private let given: [String: String]
  private var used: Set<String> = []

  /// - Parameter given: all values that the user gives, those of parameters too.
  init(_ given: [String: String]) {
    self.given = given.filter { name, _ in
      name.containsBytes(of: ":") || name.containsBytes(of: Self.outputMark)
    }
  }

  /// Whether a name is that of an external value.
  func contains(_ name: String) -> Bool { given[name] != nil }

  /// The given values that nothing in the template uses, sorted.
  var unused: [String] { given.keys.filter { !used.contains($0) }.sorted() }

  var secrets: [String] {
    given.filter { $0.key.hasBytePrefix(Source.secret.rawValue + ":") && !$0.value.isEmpty }.map(\.value)
  }

  /// Returns the value of `Fn::ImportValue`.
  func imported(_ name: String, line: Int, _ path: String) -> TemplateValue.Content {
    value("\(Source.importedValue.rawValue):\(name)", line: line, path)
  }

  /// Returns an external value, such as the output `APPLICATION.Outputs.NAME`.
  func value(_ name: String, line: Int, _ path: String) -> TemplateValue.Content {
    if let value = given[name] {
      used.insert(name)
      return .text(value)
    }
    return .unknown(Self.unknown(name, line, path))
  }

  /// Replaces the dynamic references whose values are given ("Get values stored in other services using dynamic
  /// references"). The others remain: a function gets them as they are.
  func resolved(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let (range, name) = Self.reference(in: rest) {
      result += rest[..<range.lowerBound] + (given[name] ?? String(rest[range]))
      if given[name] != nil { used.insert(name) }
      rest = rest[range.upperBound...]
    }
    return result + rest
  }

  /// The finding of a text with a dynamic reference, where the gateway needs the value.
  static func finding(in text: String, _ line: Int, _ path: String) -> Diagnostic? {
    reference(in: text[...]).map { unknown($0.name, line, path) }
  }

  /// The first dynamic reference, with the name of its value.
  private static func reference(in text: Substring) -> (range: Range<Substring.Index>, name: String)? {
    guard let start = text.firstByteRange(of: "{{resolve:"),
      let end = text[start.upperBound...].firstByteRange(of: "}}")
    else { return nil }
    let parts = text[start.upperBound..<end.lowerBound].splitBytes(at: ":", maxSplits: 1).map(String.init)
    let source = parts.first == "secretsmanager" ? Source.secret : .systemsManager
    return (start.lowerBound..<end.upperBound, "\(source.rawValue):\(parts.last ?? "")")
  }

  private static let problem = "only the account knows "

  /// The name of the value that a finding says is missing: an external value, or a parameter without a value.
  static func missingName(in finding: Diagnostic) -> String? {
    guard finding.isGivable else { return nil }
    if finding.problem.hasBytePrefix(problem) {
      return String(finding.problem.dropFirst(bytes: problem.utf8.count))
    }
    let parameters = "Parameters."
    return finding.path.hasBytePrefix(parameters)
      ? String(finding.path.dropFirst(bytes: parameters.utf8.count)) : nil
  }

  private static func unknown(_ name: String, _ line: Int, _ path: String) -> Diagnostic {
    Diagnostic(
      line: line, path: path, problem: problem + name,
      cure: "add --parameter \(ShellWord.assignment(name, "VALUE"))", isGivable: true)
  }
}
