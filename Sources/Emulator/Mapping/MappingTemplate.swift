internal import JSON

/// A mapping template of a REST API. It supports the part of the Velocity language that templates around an
/// authorizer need: text, `$context.…`, `$stageVariables.…`, `#set`, `##` comments, `$util.escapeJavaScript(…)` and
/// `.replaceAll(…)`.
///
/// Everything else is refused when the template is parsed.
struct MappingTemplate: Equatable, Sendable {
  private let statements: [Statement]

  private enum Statement: Equatable, Sendable {
    case text(String)
    case output(Expression)
    case set(String, Expression)
  }

  indirect enum Expression: Equatable, Sendable {
    case literal(String)
    case context(String)
    case stageVariable(String)
    case variable(String)
    case escapeJavaScript(Expression)
    case replace(Expression, of: String, by: String)
  }

  /// A part of the template that is not supported.
  struct Unknown: Error, Equatable {
    /// The zero-based line in the template.
    let lineOffset: Int
    let problem: String
  }

  init(_ text: String) throws(Unknown) {
    var reader = MappingTemplateReader(text)
    var statements: [Statement] = []
    var known: Set<String> = []
    while let piece = try reader.next(knownVariables: known) {
      switch piece {
      case .text(let text): statements.append(.text(text))
      case .output(let expression): statements.append(.output(expression))
      case .set(let name, let expression):
        known.insert(name)
        statements.append(.set(name, expression))
      }
    }
    self.statements = statements
  }

  func filled(from source: ParameterSource) -> String {
    var variables: [String: String] = [:]
    var result = ""
    for statement in statements {
      switch statement {
      case .text(let text): result += text
      case .output(let expression): result += Self.value(of: expression, variables, source)
      case .set(let name, let expression): variables[name] = Self.value(of: expression, variables, source)
      }
    }
    return result
  }

  private static func value(
    of expression: Expression, _ variables: [String: String], _ source: ParameterSource
  ) -> String {
    switch expression {
    case .literal(let text): text
    case .context(let name): source.variables[name]
    case .stageVariable(let name): source.stageVariables[name] ?? ""
    case .variable(let name): variables[name] ?? ""
    case .escapeJavaScript(let inner): escapedForJavaScript(value(of: inner, variables, source))
    case .replace(let inner, let old, let new):
      value(of: inner, variables, source).replacing(old, with: new)
    }
  }

  /// Escapes like Apache Commons Text, including apostrophes.
  static func escapedForJavaScript(_ text: String) -> String {
    var result = ""
    for unit in text.utf16 {
      switch unit {
      case 0x22: result += #"\""#
      case 0x27: result += #"\'"#
      case 0x2F: result += #"\/"#
      case 0x5C: result += #"\\"#
      case 0x08: result += #"\b"#
      case 0x09: result += #"\t"#
      case 0x0A: result += #"\n"#
      case 0x0C: result += #"\f"#
      case 0x0D: result += #"\r"#
      case 0x20...0x7E: result.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
      default:
        let digits = String(unit, radix: 16, uppercase: true)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return result
  }
}

extension MockIntegration {
  /// Returns `statusCode` of the output of the request template. AWS accepts output that is not strict JSON; this
  /// does not.
  static func statusCode(in text: String) -> Int? {
    guard let tree = try? JSONTree(parsing: Array(text.utf8)), case .number(let number)? = tree["statusCode"]
    else { return nil }
    return Int(number)
  }
}
