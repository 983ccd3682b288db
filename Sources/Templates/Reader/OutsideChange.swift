internal import GatewayModel
internal import Text
internal import Yams

/// What may change an API on AWS and is not read here: a nested stack without its template, or a custom resource, whose
/// function may call API Gateway. It closes the APIs whose ID it gets.
struct OutsideChange {
  private let finding: Diagnostic
  /// Whether it may get everything.
  private var getsAnything: Bool
  /// The texts that it gets.
  private var texts: [String] = []
  /// The texts in the expressions of what it gets, where the value is not known.
  private var words: [String] = []

  /// - Parameters:
  ///   - finding: the resource, and what to do.
  ///   - node: what it gets; `nil` for nothing.
  ///   - isMistake: whether what it gets is not what was meant.
  init(_ finding: Diagnostic, _ node: Node?, isMistake: Bool, _ functions: IntrinsicFunctions) {
    self.finding = finding
    getsAnything = isMistake
    if let node { add(node, functions) }
  }

  /// Returns `nil` for a resource that is no custom one.
  init?(custom resource: TemplateDocument.Resource, _ functions: IntrinsicFunctions) {
    guard resource.type.hasBytePrefix("Custom::") || resource.type == "AWS::CloudFormation::CustomResource"
    else { return nil }
    if let condition = resource.condition,
      case .holds(false) = functions.decision(about: condition, line: resource.line)
    {
      return nil
    }
    let finding = Diagnostic(
      line: resource.line, path: "Resources.\(resource.name)",
      problem: "is a custom resource, whose function is not run here",
      cure: "remove it in a local copy of the template if it changes no route and no authorizer")
    self.init(
      finding, resource.properties, isMistake: resource.properties == nil && !resource.unknown.isEmpty,
      functions)
    // Its function may get the API by its own environment.
    let token = resource.properties?["ServiceToken"].map(Self.scalars) ?? []
    for other in functions.document.resources
    where token.contains(where: { $0.containsBytes(of: other.name) }) {
      if let environment = other.properties?["Environment"] { add(environment, functions) }
    }
  }

  /// Returns why an API is closed; `nil` if this does not get its ID, or only the URL of the API.
  func closing(_ api: String, named name: String) -> Diagnostic? {
    let isReached = texts.contains {
      $0.replacingBytes(of: api + ".execute-api.", with: "").containsBytes(of: api)
    }
    let isPossible = getsAnything || words.contains { $0.containsBytes(of: name) }
    guard isReached || isPossible else { return nil }
    return Diagnostic(
      line: finding.line, path: finding.path,
      problem: (isReached ? "gets" : "may get")
        + " the ID of \(name), which it may change: it \(finding.problem)", cure: finding.cure)
  }

  private mutating func add(_ node: Node, _ functions: IntrinsicFunctions) {
    if functions.document.includes.finding(in: node, at: finding.path) != nil { getsAnything = true }
    if FunctionCall(node) == nil {
      if case .mapping(let members) = node {
        for (name, value) in members {
          texts.append(name.string ?? "")
          add(value, functions)
        }
        return
      }
      if case .sequence(let elements) = node {
        for element in elements { add(element, functions) }
        return
      }
    }
    guard let value = functions.value(of: node, at: finding.path) else { return }
    if value.findings.isEmpty {
      texts += value.texts
    } else {
      words += Self.words(in: node, functions.document)
    }
  }

  /// Returns the texts of an expression, and of the parameters and outputs of nested stacks in it.
  private static func words(in node: Node, _ document: TemplateDocument) -> [String] {
    var words = scalars(in: node)
    var left = document.definitions
    while let (name, definition) = left.first(where: { name, _ in
      words.contains { $0.containsBytes(of: name) || name.hasByteSuffix("." + $0) }
    }) {
      left[name] = nil
      if case .expression(let expression, _) = definition { words += scalars(in: expression) }
    }
    return words
  }

  private static func scalars(in node: Node) -> [String] {
    switch node {
    case .scalar(let scalar): [scalar.string]
    case .sequence(let elements): elements.flatMap(scalars)
    case .mapping(let members): members.flatMap { scalars(in: $0.key) + scalars(in: $0.value) }
    case .alias: []
    }
  }
}

extension TemplateValue {
  /// All texts within, and the names of members.
  var texts: [String] {
    switch content {
    case .text(let text): [text]
    case .list(let list): list.flatMap(\.texts)
    case .map(let members): members.flatMap { [$0.name] + $0.value.texts }
    case .null, .unknown: []
    }
  }
}
