internal import GatewayModel
internal import IAMPolicy
internal import Text

/// A reader for the members of one map by name. It reports the members that were not read.
///
/// Every reader must call `finish`; otherwise unsupported members would be ignored.
package struct PropertyReader {
  let path: String
  let line: Int
  let report: Diagnostics
  private var members: [TemplateValue.Member]
  /// The names that were read, for a finding about a misspelled one.
  private var known: Set<String> = []

  /// Returns `nil` and reports a finding if the value is not a map.
  init?(_ value: TemplateValue, at path: String, _ report: Diagnostics) {
    guard let members = value.members else {
      report.refuse(
        value, path, "must be a map, found \(value.kindName)", cure: "write lines of NAME: VALUE below it")
      return nil
    }
    self.path = path
    line = value.line
    self.report = report
    self.members = members
  }

  /// Returns a reader of the same members that adds findings to another report.
  func reporting(to report: Diagnostics) -> PropertyReader { PropertyReader(self, report) }

  private init(_ other: PropertyReader, _ report: Diagnostics) {
    path = other.path
    line = other.line
    members = other.members
    known = other.known
    self.report = report
  }

  func path(of name: String) -> String { path + "." + name }

  /// Whether there is such a member, even a null one.
  func has(_ name: String) -> Bool { members.contains { $0.name == name } }

  /// Removes and returns a member; `nil` if it is absent or null.
  mutating func take(_ name: String) -> TemplateValue? {
    known.insert(name)
    guard let place = members.firstIndex(where: { $0.name == name }) else { return nil }
    let value = members.remove(at: place).value
    switch value.content {
    case .null:
      if Self.guards.contains(name) {
        report.refuse(
          value.line, path(of: name), "is empty", cure: "write a value: an absent one may open the route")
      }
      return nil
    case .text(let text):
      let finding = ExternalValues.finding(in: text, value.line, path(of: name))
      return finding.map { TemplateValue(line: value.line, content: .unknown($0)) } ?? value
    case .list, .map, .unknown: return value
    }
  }

  /// What decides who gets in and how often. CloudFormation refuses a template with null values ("Null values are not
  /// allowed in templates"), so an empty one never means "no guard".
  private static let guards: Set<String> = [
    "Auth", "Authorizers", "DefaultAuthorizer", "Authorizer", "ApiKeyRequired", "AuthorizationType",
    "AuthorizerId", "AuthorizationScopes", "security", "securitySchemes", "securityDefinitions",
    "x-amazon-apigateway-auth", "Policy", "ResourcePolicy",
    "x-amazon-apigateway-policy", "DisableExecuteApiEndpoint", "disableExecuteApiEndpoint",
    "EndpointConfiguration", "x-amazon-apigateway-endpoint-configuration", "Identity", "ValidationExpression",
    "IdentityValidationExpression", "identityValidationExpression", "UsagePlan", "Throttle", "Quota",
    "MethodSettings", "DefaultRouteSettings", "RouteSettings", "ThrottlingRateLimit", "ThrottlingBurstLimit",
    "RateLimit", "BurstLimit", "Limit", "HttpMethod", "ResourcePath",
  ]

  /// Whether there is no such member, or an empty one: null, or an empty map or list.
  func lacks(_ name: String) -> Bool {
    switch members.first(where: { $0.name == name })?.value.content {
    case nil, .null?: true
    case .map(let members)?: members.isEmpty
    case .list(let list)?: list.isEmpty
    case .text(let text)?: text.isEmpty
    case .unknown?: false
    }
  }

  /// Returns the line of a remaining member, or the line of the map if there is none.
  func line(of name: String) -> Int { members.first { $0.name == name }?.value.line ?? line }

  /// Returns the text of a remaining member; `nil` if it is absent or no text.
  func peek(_ name: String) -> String? { members.first { $0.name == name }?.value.text }

  /// Removes and returns all remaining members, for maps with arbitrary names.
  mutating func takeAll() -> [TemplateValue.Member] {
    defer { members = [] }
    return members
  }

  mutating func text(_ name: String) -> String? {
    guard let value = take(name) else { return nil }
    if let text = value.text { return text }
    report.refuse(value, path(of: name), "must be a string, found \(value.kindName)", cure: "write one value")
    return nil
  }

  mutating func requiredText(_ name: String, cure: String) -> String? {
    guard let value = take(name) else {
      refuse(member: name, "is missing", cure: cure)
      return nil
    }
    if let text = value.text { return text }
    report.refuse(value, path(of: name), "must be a string, found \(value.kindName)", cure: cure)
    return nil
  }

  mutating func boolean(_ name: String) -> Bool? {
    guard let value = take(name) else { return nil }
    switch value.text {
    case "true", "True": return true
    case "false", "False": return false
    default:
      report.refuse(value, path(of: name), "must be true or false", cure: "write true or false")
      return nil
    }
  }

  mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
    guard let value = take(name) else { return nil }
    if let number = value.text.flatMap({ Int($0) }), range.contains(number) { return number }
    report.refuse(
      value, path(of: name), "must be a whole number from \(range.lowerBound) to \(range.upperBound)",
      cure: "write an integer in this range")
    return nil
  }

  /// Reads a value of an enumeration.
  mutating func word<Word: RawRepresentable & CaseIterable>(_ name: String, _: Word.Type) -> Word?
  where Word.RawValue == String {
    word(name, among: Word.allCases.map(\.rawValue)).flatMap(Word.init(rawValue:))
  }

  mutating func word(_ name: String, among words: [String]) -> String? {
    guard let value = take(name) else { return nil }
    if let text = value.text, words.containsText(text) { return text }
    report.refuse(
      value, path(of: name), "is not emulated: \(value.text ?? value.kindName)",
      cure: "use one of \(words.joined(separator: ", "))")
    return nil
  }

  /// Reads a text that has a meaning; reports any other one, in its own line.
  mutating func parsed<Value>(
    _ name: String, _ problem: String = "is not known", cure: String, _ parse: (String) -> Value?
  ) -> Value? {
    let line = line(of: name)
    guard let text = text(name) else { return nil }
    if let value = parse(text) { return value }
    report.refuse(line, path(of: name), "\(problem): \(text)", cure: cure)
    return nil
  }

  /// Reads a list of strings.
  ///
  /// - Parameter allowsOne: whether a single string is a list of one, unlike for SAM.
  mutating func texts(_ name: String, orOne allowsOne: Bool = true) -> [String]? {
    guard let value = take(name) else { return nil }
    if allowsOne, let text = value.text { return [text] }
    let texts = value.list?.map(\.text)
    if let texts, !texts.contains(nil) { return texts.compactMap { $0 } }
    report.refuse(value, path(of: name), "must be a list of strings", cure: "write [ONE, TWO]")
    return nil
  }

  /// Reads a list of strings that must have an element.
  mutating func requiredTexts(_ name: String, cure: String) -> [String] {
    let isPresent = members.contains { member in
      if case .null = member.value.content { false } else { member.name == name }
    }
    let texts = texts(name)
    // A value that cannot be read has its own finding.
    if texts?.isEmpty ?? !isPresent { report.refuse(line, path(of: name), "is missing", cure: cure) }
    return texts ?? []
  }

  /// Reads a map of strings, in order.
  mutating func textMap(_ name: String) -> [(name: String, text: String, line: Int)] {
    guard let value = take(name) else { return [] }
    guard var reader = PropertyReader(value, at: path(of: name), report) else { return [] }
    return reader.takeAll().compactMap { member in
      if let text = member.value.text { return (member.name, text, member.value.line) }
      report.refuse(
        member.value, reader.path(of: member.name), "must be a string, found \(member.value.kindName)",
        cure: "write one value")
      return nil
    }
  }

  /// Reads a map of strings.
  mutating func dictionary(_ name: String) -> [String: String] {
    Dictionary(textMap(name).map { ($0.name, $0.text) }) { first, _ in first }
  }

  mutating func reader(_ name: String) -> PropertyReader? {
    take(name).flatMap { PropertyReader($0, at: path(of: name), report) }
  }

  /// Skips members that affect no request.
  mutating func pass(over names: String...) {
    known.formUnion(names)
    members.removeAll { names.contains($0.name) }
  }

  /// Adds a note for members that affect AWS, but no single request.
  mutating func note(_ problem: String, _ names: String...) {
    known.formUnion(names)
    for member in members where names.contains(member.name) {
      report.note(member.value.line, path(of: member.name), problem)
    }
    members.removeAll { names.contains($0.name) }
  }

  /// Reports members that would change the behavior and are not emulated.
  mutating func refuse(_ names: String..., cure: String) {
    known.formUnion(names)
    for member in members where names.contains(member.name) { refuse(member, "is not emulated", cure: cure) }
    members.removeAll { names.contains($0.name) }
  }

  /// Reports a member, in the line of the map.
  func refuse(member name: String, _ problem: String, cure: String) {
    report.refuse(line, path(of: name), problem, cure: cure)
  }

  /// Reports a member of arbitrary name, in its own line.
  func refuse(_ member: TemplateValue.Member, _ problem: String, cure: String) {
    report.refuse(member.value.line, path(of: member.name), problem, cure: cure)
  }

  /// Warns of every member that was not read, where SAM looks up the names that it knows and ignores others.
  mutating func warnOfOthers() {
    for member in takeAll() {
      let path = path(of: member.name)
      guard TemplateText.duplicate(member.name) == nil else {
        report.refuse(member.value.line, path, "is not known", cure: "remove it")
        continue
      }
      let meant = NearestName.of(member.name, among: known)
      report.warn(
        member.value.line, path, "is not known, and SAM ignores it",
        cure: meant.map { "did you mean \($0)?" } ?? "remove it")
    }
  }

  /// Reports every member that was not read.
  mutating func finish(cure: String = "remove it, or test it on AWS: serve does not support it") {
    for member in takeAll() {
      // To remove a misspelled guard would open the route.
      let meant = NearestName.of(member.name, among: known)
      refuse(member, "is not known", cure: meant.map { "did you mean \($0)?" } ?? cure)
    }
  }
}
