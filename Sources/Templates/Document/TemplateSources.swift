internal import GatewayModel
internal import Text
internal import Yams

/// The texts of a template: its own, and the files that it includes.
///
/// The lines of a file continue after those of the texts before it, so a line number tells the file too.
final class TemplateSources {
  private let files: TemplateFiles
  /// The texts that were read.
  private(set) var texts: [String]
  /// The name of each file and the number of lines before it, in order.
  private var places: [(file: String, linesBefore: Int)] = []
  private var lines: Int
  private var read: [String: Result<Node, TemplateFiles.Problem>] = [:]

  init(template: String, _ files: TemplateFiles) {
    self.files = files
    texts = [template]
    lines = Self.count(template)
  }

  /// The maximum number of included files: our limit. Each is read once.
  static let maximumFiles = 100

  /// The maximum number of lines of the template and its files: our limit, because each file is parsed behind as many
  /// empty lines as the texts before it have.
  static let maximumLines = 2_000_000

  /// Returns the root of a file, in YAML or JSON.
  func node(of location: String) -> Result<Node, TemplateFiles.Problem> {
    if let known = read[location] { return known }
    let result = Result { () throws(TemplateFiles.Problem) in try parsed(location) }
    read[location] = result
    return result
  }

  private func parsed(_ location: String) throws(TemplateFiles.Problem) -> Node {
    guard read.count < Self.maximumFiles else {
      throw TemplateFiles.Problem("the template includes over \(Self.maximumFiles) files")
    }
    let text = try files.text(of: location)
    guard lines + Self.count(text) <= Self.maximumLines else {
      throw TemplateFiles.Problem("the template and its files have over \(Self.maximumLines) lines")
    }
    let before = lines
    switch TemplateText.node(of: String(repeating: "\n", count: before) + text) {
    case .success(let node):
      places.append((location, before))
      lines += Self.count(text)
      texts.append(text)
      return node
    case .failure(let problem):
      throw TemplateFiles.Problem("\(location):\(max(1, problem.line - before)): \(problem.text)")
    }
  }

  /// Returns the finding with its file and the line in that file.
  func located(_ finding: Diagnostic) -> Diagnostic {
    guard let place = places.last(where: { $0.linesBefore < finding.line }) else { return finding }
    return Diagnostic(
      SourceLocation(file: place.file, line: finding.line - place.linesBefore, path: finding.path),
      problem: finding.problem, cure: finding.cure, isGivable: finding.isGivable)
  }

  private static func count(_ text: String) -> Int { text.lineFeeds + 1 }
}
