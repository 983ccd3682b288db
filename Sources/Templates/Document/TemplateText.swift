internal import Text
internal import GatewayModel
internal import Yams

/// The text of a template or of an included file, as nodes.
enum TemplateText {
  /// Why a text has no nodes.
  struct Problem: Error {
    let line: Int
    /// In lower case.
    let text: String
    let cure: String
  }

  /// The maximum number of names and values with all aliases expanded: our limit, ten times that of a template of 1
  /// MB with 500 resources, CloudFormation's maximum ("CloudFormation quotas").
  static let maximumValues = 200_000

  /// The maximum number of duplicate names: our limit. The text is parsed again for each.
  static let maximumDuplicates = 20

  /// The default rules of Yams behind one that finds most texts with one search in place of seven. It changes no tag: a
  /// subscript of Yams compares with a node of the default rules.
  static let resolver: Resolver = {
    // No word of the default rules begins with one of these letters or has six; `Ty` is for Type.
    let beginnings = "^(?:[A-EG-MP-SU-XZa-eg-mp-su-xz]|[A-Za-z]{6}|Ty)"
    guard let text = try? Resolver.Rule(.str, beginnings) else { return .default }
    return Resolver.default.rules.reduce(Resolver.basic.appending(text)) { $0.appending($1) }
  }()

  /// Parses a map in YAML or JSON.
  ///
  /// Of duplicate names the last one counts, as for the AWS CLI and the SAM CLI. The others remain under another name,
  /// which a reader of the map does not know, so a duplicate closes what it decides about.
  static func node(of text: String) -> Result<Node, Problem> {
    var text = text
    for _ in 0...maximumDuplicates {
      do {
        guard let node = try Yams.compose(yaml: text, resolver), node.mapping != nil else {
          return .failure(
            Problem(
              line: 1, text: "is not a map", cure: "begin the template with a section such as Resources:"))
        }
        var left = maximumValues
        if node.isWithin(&left) { return .success(node) }
        return .failure(
          Problem(
            line: 1, text: "has more than \(maximumValues) values with all aliases expanded",
            cure: "write the values themselves: aliases of aliases multiply"))
      } catch let error as YamlError {
        guard case .duplicatedKeysInMapping(_, let context) = error,
          let other = renamed(at: context.mark, in: text)
        else {
          let (line, problem) = error.place
          if hasTab(line, of: text) {
            return .failure(
              Problem(line: line, text: "is indented with a tab, not YAML", cure: "indent with spaces"))
          }
          return .failure(Problem(line: line, text: "is not YAML: \(problem)", cure: "check the indentation"))
        }
        text = other
      } catch {
        break
      }
    }
    return .failure(
      Problem(line: 1, text: "cannot be read", cure: "save it as UTF-8, without duplicate names"))
  }

  /// Whether a tab is in the indentation of a line (YAML 1.2.2 section 6.1 forbids it).
  private static func hasTab(_ line: Int, of text: String) -> Bool {
    let lines = text.splitBytes(at: "\n", omittingEmptySubsequences: false)
    guard lines.indices.contains(line - 1) else { return false }
    return lines[line - 1].utf8.first { $0 != 0x20 } == 0x09
  }

  /// Returns the text with the first of two equal names, which is at the mark, renamed.
  private static func renamed(at mark: Mark, in text: String) -> String? {
    var lines = text.splitBytes(at: "\n", omittingEmptySubsequences: false).map { Array($0.unicodeScalars) }
    guard lines.indices.contains(mark.line - 1), lines[mark.line - 1].indices.contains(mark.column - 1) else {
      return nil
    }
    lines[mark.line - 1].insert(
      contentsOf: "\(duplicateMark)\(mark.line)-".unicodeScalars, at: mark.column - 1)
    return lines.map { String(String.UnicodeScalarView($0)) }.joined(separator: "\n")
  }

  /// What the other name of the first of two equal names begins with, before its line.
  private static let duplicateMark = "duplicate-"

  /// Returns the name that is there twice, and the line of the first; `nil` for any other name.
  static func duplicate(_ name: some StringProtocol) -> (name: String, line: Int)? {
    guard name.utf8.starts(with: duplicateMark.utf8) else { return nil }
    let parts = name.splitBytes(at: "-", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let line = Int(parts[1]) else { return nil }
    // A name in JSON, or a quoted one in YAML, is renamed with its quotation marks.
    return (String(parts[2]).filter { $0 != "\"" && $0 != "'" }, line)
  }

  /// Returns the finding about a name that is there twice, in place of one that does not know its other name.
  static func explained(_ finding: Diagnostic) -> Diagnostic {
    var path: [String] = []
    for part in finding.path.splitBytes(at: ".", omittingEmptySubsequences: false) {
      if let found = duplicate(part) {
        return Diagnostic(
          line: found.line, path: (path + [found.name]).joined(separator: "."),
          problem: "is there twice: the other one is below",
          cure: "remove one of the two; CloudFormation takes the last")
      }
      path.append(String(part))
    }
    return finding
  }
}

extension Node {
  /// The line in the text, starting at 1.
  package var line: Int { mark?.line ?? 1 }

  /// The value of a member by the text of its name, of several the last one: a subscript of Yams takes a name such as
  /// `123456789012` or `No` for a number or a truth value, and `'123456789012'` for another one.
  func value(ofMember name: String) -> Node? {
    mapping.flatMap { members in Array(members).last { $0.key.string?.hasSameBytes(as: name) == true }?.value
    }
  }

  /// Counts the values down and stops at zero, because nested aliases can expand to billions of values.
  fileprivate func isWithin(_ left: inout Int) -> Bool {
    left -= 1
    guard left >= 0 else { return false }
    switch self {
    case .scalar, .alias: return true
    case .sequence(let elements): return elements.allSatisfy { $0.isWithin(&left) }
    case .mapping(let members):
      return members.allSatisfy { $0.key.isWithin(&left) && $0.value.isWithin(&left) }
    }
  }
}

extension YamlError {
  /// The line and the problem as reported by the parser.
  fileprivate var place: (line: Int, problem: String) {
    switch self {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      (mark.line, problem)
    case .duplicatedKeysInMapping(let keys, let context):
      (
        context.mark.line,
        "duplicate names: \(keys.map { String(describing: $0) }.joined(separator: ", "))"
      )
    default: (1, "\(self)".splitBytes(at: "\n").first.map(String.init) ?? "not YAML")
    }
  }
}
