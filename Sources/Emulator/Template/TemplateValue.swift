/// A value of a template after its intrinsic functions have been replaced by what they stand for.
struct TemplateValue {
  /// Line of the file, counted from 1.
  let line: Int
  let content: Content

  enum Content {
    /// Any scalar as text: CloudFormation takes `"true"` and `true`, `"300"` and `300` alike.
    case text(String)
    case list([TemplateValue])
    case map([Member])
    case null
  }

  struct Member {
    let name: String
    let value: TemplateValue
  }

  var text: String? { if case .text(let text) = content { text } else { nil } }
  var list: [TemplateValue]? { if case .list(let list) = content { list } else { nil } }
  var members: [Member]? { if case .map(let members) = content { members } else { nil } }

  /// For people: what kind of value was found.
  var kindName: String {
    switch content {
    case .text: "text"
    case .list: "a list"
    case .map: "a map"
    case .null: "nothing"
    }
  }
}

/// Reads the members of one map by name and reports those that nobody asked for.
///
/// The rule that nothing is passed over hangs on it: a reader that does not call `finish` is wrong.
struct PropertyReader {
  let path: String
  let line: Int
  let report: TemplateReport
  private var members: [TemplateValue.Member]

  /// `nil`, with a finding, where the value is no map.
  init?(_ value: TemplateValue, at path: String, _ report: TemplateReport) {
    guard let members = value.members else {
      report.refuse(
        value.line, path, "must be a map, found \(value.kindName)", cure: "write NAME: VALUE lines under it")
      return nil
    }
    self.path = path
    line = value.line
    self.report = report
    self.members = members
  }

  func path(of name: String) -> String { path + "." + name }

  /// Takes a member out; `nil` where there is none or it says nothing.
  mutating func take(_ name: String) -> TemplateValue? {
    guard let place = members.firstIndex(where: { $0.name == name }) else { return nil }
    let value = members.remove(at: place).value
    if case .null = value.content { return nil }
    return value
  }

  /// Line of a member that has not been taken yet; the map's own where there is none.
  func line(of name: String) -> Int { members.first { $0.name == name }?.value.line ?? line }

  /// Takes all that is left, for maps whose names the author chooses.
  mutating func takeAll() -> [TemplateValue.Member] {
    defer { members = [] }
    return members
  }

  mutating func text(_ name: String) -> String? {
    guard let value = take(name) else { return nil }
    if let text = value.text { return text }
    report.refuse(
      value.line, path(of: name), "must be text, found \(value.kindName)", cure: "write one value")
    return nil
  }

  mutating func requiredText(_ name: String, cure: String) -> String? {
    guard let value = take(name) else {
      report.refuse(line, path(of: name), "is missing", cure: cure)
      return nil
    }
    if let text = value.text { return text }
    report.refuse(value.line, path(of: name), "must be text, found \(value.kindName)", cure: cure)
    return nil
  }

  mutating func boolean(_ name: String) -> Bool? {
    guard let value = take(name) else { return nil }
    switch value.text {
    case "true", "True": return true
    case "false", "False": return false
    default:
      report.refuse(value.line, path(of: name), "must be true or false", cure: "write true or false")
      return nil
    }
  }

  mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
    guard let value = take(name) else { return nil }
    if let number = value.text.flatMap({ Int($0) }), range.contains(number) { return number }
    report.refuse(
      value.line, path(of: name), "must be a whole number from \(range.lowerBound) to \(range.upperBound)",
      cure: "write such a number")
    return nil
  }

  /// A word of a closed list.
  mutating func word<Word: RawRepresentable & CaseIterable>(_ name: String, _: Word.Type) -> Word?
  where Word.RawValue == String {
    guard let value = take(name) else { return nil }
    if let word = value.text.flatMap({ Word(rawValue: $0) }) { return word }
    let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
    report.refuse(
      value.line, path(of: name), "is not emulated: \(value.text ?? value.kindName)",
      cure: "known are \(known)")
    return nil
  }

  /// A list of texts; one text counts as a list of one.
  mutating func texts(_ name: String) -> [String]? {
    guard let value = take(name) else { return nil }
    if let text = value.text { return [text] }
    let texts = value.list?.map(\.text)
    if let texts, !texts.contains(nil) { return texts.compactMap { $0 } }
    report.refuse(value.line, path(of: name), "must be a list of texts", cure: "write [ONE, TWO]")
    return nil
  }

  /// A map from names to texts, in order.
  mutating func textMap(_ name: String) -> [(name: String, text: String, line: Int)] {
    guard let value = take(name) else { return [] }
    guard var reader = PropertyReader(value, at: path(of: name), report) else { return [] }
    return reader.takeAll().compactMap { member in
      if let text = member.value.text { return (member.name, text, member.value.line) }
      report.refuse(
        member.value.line, reader.path(of: member.name), "must be text, found \(member.value.kindName)",
        cure: "write one value")
      return nil
    }
  }

  mutating func reader(_ name: String) -> PropertyReader? {
    take(name).flatMap { PropertyReader($0, at: path(of: name), report) }
  }

  /// Members that decide about no request.
  mutating func pass(over names: String...) {
    members.removeAll { names.contains($0.name) }
  }

  /// Members that AWS acts on beside the single request: told at the start.
  mutating func note(_ problem: String, _ names: String...) {
    for member in members where names.contains(member.name) {
      report.note(member.value.line, path(of: member.name), problem)
    }
    members.removeAll { names.contains($0.name) }
  }

  /// Members that would change what happens, each with its cure.
  mutating func refuse(_ names: String..., cure: String) {
    for member in members where names.contains(member.name) {
      report.refuse(member.value.line, path(of: member.name), "is not emulated", cure: cure)
    }
    members.removeAll { names.contains($0.name) }
  }

  /// Reports every member that nobody took.
  mutating func finish(
    cure: String = "take it out, or test it on AWS: serve acts on nothing that it does not know"
  ) {
    for member in takeAll() {
      report.refuse(member.value.line, path(of: member.name), "is not known", cure: cure)
    }
  }
}
