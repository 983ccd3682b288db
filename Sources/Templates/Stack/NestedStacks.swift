internal import GatewayModel
internal import Bytes
internal import Text
internal import Yams

/// Adds the resources of nested stacks to the document of their template, if theirs are beside it. A stack that is not
/// read stays a `NestedTemplate`.
///
/// The stacks are read together because they change the APIs of each other: a method of a nested stack may guard what the
/// API of its parent leaves open.
struct NestedStacks {
  private(set) var document: TemplateDocument
  private let place: AWSLocation
  /// The names of the stacks, which begin those of their resources.
  private var scopes: Set<String> = []

  /// A stack that may be read, and the templates in which it is nested.
  private struct Stack {
    let resource: TemplateDocument.Resource
    let outer: [String]
  }

  init(_ document: TemplateDocument, _ place: AWSLocation) {
    self.document = document
    self.place = place
  }

  /// The maximum number of nested stacks that are read: our limit. CloudFormation has none but that of all stacks of an
  /// account.
  static let maximumStacks = 100

  /// The maximum number of resources of all stacks: our limit, ten times that of a stack ("CloudFormation quotas", 500).
  static let maximumResources = 5000

  static let type = "AWS::CloudFormation::Stack"

  /// Reads the stacks, also those within stacks.
  ///
  /// - Parameter report: the report about the whole template.
  mutating func merge(_ report: Diagnostics) {
    var waiting = Self.stacks(of: document.resources, outer: [])
    var (next, read) = (0, 0)
    while next < waiting.count {
      let stack = waiting[next]
      next += 1
      do throws(TemplateFiles.Problem) {
        guard let location = try location(of: stack.resource) else { continue }
        read += 1
        guard read <= Self.maximumStacks else {
          return report.refuse(
            stack.resource.line, "Resources.\(stack.resource.name)",
            "is one of over \(Self.maximumStacks) nested stacks",
            cure: "serve the template of a nested stack by itself")
        }
        if stack.outer.contains(location) {
          throw TemplateFiles.Problem("it is nested in its own template")
        }
        let root = try document.sources.node(of: location).get()
        let template = try StackTemplate(
          root, of: stack.resource, scope: scope(of: stack.resource), includes: document.includes)
        add(template, of: stack.resource)
        waiting += Self.stacks(of: template.resources, outer: stack.outer + [location])
      } catch {
        document.unreadStacks[stack.resource.name] = error.text
      }
      guard document.resources.count <= Self.maximumResources else {
        return report.refuse(
          stack.resource.line, "Resources",
          "has over \(Self.maximumResources) resources in all stacks",
          cure: "serve the template of a nested stack by itself")
      }
    }
  }

  private static func stacks(of resources: [TemplateDocument.Resource], outer: [String]) -> [Stack] {
    resources.filter { $0.type == type }.map { Stack(resource: $0, outer: outer) }
  }

  /// Returns the path of a stack's template; `nil` for one that is not beside this one, or does not exist.
  private func location(
    of stack: TemplateDocument.Resource
  ) throws(TemplateFiles.Problem) -> String? {
    let functions = IntrinsicFunctions(document, TemplateNames(place, resources: document.resources))
    if let condition = stack.condition,
      case .holds(false) = functions.decision(about: condition, line: stack.line)
    {
      return nil
    }
    let url = stack.properties?["TemplateURL"].flatMap { functions.value(of: $0, at: stack.name) }
    switch document.built.asset(of: stack, in: ["TemplateURL"], at: url) {
    case .here(let written, _): return written
    case .refused(let reason): throw TemplateFiles.Problem(reason)
    case nil: return url?.text.flatMap { $0.containsBytes(of: "://") ? nil : $0 }
    }
  }

  /// Returns the name of a stack for those of its resources: that of its construct in CDK, whose logical ID is long.
  private mutating func scope(of stack: TemplateDocument.Resource) -> String {
    let ending = ".NestedStackResource"
    var name = stack.name
    if let last = (stack.constructPath ?? "").splitBytes(at: "/").last, last.hasByteSuffix(ending) {
      let construct = last.dropLast(bytes: ending.utf8.count)
      let isName = !construct.isEmpty && construct.utf8.allSatisfy(\.isLetterOrDigit)
      if isName, !scopes.contains(String(construct)) { name = String(construct) }
    }
    while !scopes.insert(name).inserted { name += "-" }
    return name
  }

  private mutating func add(_ template: StackTemplate, of stack: TemplateDocument.Resource) {
    document.readStacks.insert(stack.name)
    document.resources += template.resources
    document.secrets += template.secrets
    document.conditions.merge(template.conditions) { first, _ in first }
    document.definitions.merge(template.definitions) { first, _ in first }
    guard !template.mappings.isEmpty else { return }
    let all = (document.mappings?.mapping ?? [:]).map { ($0.key, $0.value) } + template.mappings
    document.mappings = .mapping(Node.Mapping(all))
  }
}
