internal import GatewayModel
internal import Text
internal import Foundation
internal import Yams

/// The functions that look a value up or take a string apart.
extension IntrinsicFunctions {
  package func lookup(_ call: FunctionCall, at path: String) -> TemplateValue? {
    let parts = call.argument.sequence.map { Array($0) } ?? []
    let keys = parts.prefix(3).compactMap { value(of: $0, at: path) }
    if let finding = keys.compactMap(\.finding).first { return .unknown(finding, call.line) }
    let names = keys.compactMap(\.text)
    var found = document.mappings
    for name in names {
      // A file that is not read may have the value.
      if let finding = found.flatMap({ document.includes.finding(in: $0, at: path) }) {
        return .unknown(finding, call.line)
      }
      found = found?.value(ofMember: name)
    }
    guard let found, names.count == 3 else {
      // "Fn::FindInMap enhancements" of AWS::LanguageExtensions.
      if let other = parts.dropFirst(3).first?["DefaultValue"] { return value(of: other, at: path) }
      return unknown(call.line, path, "FindInMap finds no value", cure: "check the spelling of map and keys")
    }
    // "You can't include parameters, pseudo parameters, or intrinsic functions in the Mappings section"
    // (CloudFormation, "Mappings"), so no mapping can refer to itself.
    guard isLiteral(found) else {
      return unknown(
        found.line, "Mappings." + names.joined(separator: "."), "is neither a string nor a list of strings",
        cure: "write the value itself: a mapping cannot contain functions")
    }
    return value(of: found, at: path)
  }

  private func isLiteral(_ node: Node) -> Bool {
    guard FunctionCall(node) == nil else { return false }
    switch node {
    case .scalar: return true
    case .sequence(let elements): return elements.allSatisfy { $0.scalar != nil && FunctionCall($0) == nil }
    case .mapping, .alias: return false
    }
  }

  package func split(_ call: FunctionCall, at path: String) -> TemplateValue {
    let parts = call.argument.sequence.map { Array($0) } ?? []
    let values = parts.compactMap { value(of: $0, at: path) }
    if let finding = values.compactMap(\.finding).first { return .unknown(finding, call.line) }
    guard values.count == 2, let separator = values[0].text, !separator.isEmpty, let text = values[1].text
    else {
      return unknown(
        call.line, path, "Split needs a separator and a string", cure: "write !Split [\",\", TEXT]")
    }
    // Before the work, which grows with both.
    let (work, overflows) = text.utf8.count.multipliedReportingOverflow(by: separator.utf8.count)
    if let excess = excess(overflows ? .max : work, call.line, path) { return excess }
    let pieces = text.splitBytes(atEach: separator)
    if let excess = excess(Self.elementCost * pieces.count, call.line, path) { return excess }
    return TemplateValue(
      line: call.line,
      content: .list(pieces.map { TemplateValue(line: call.line, content: .text(String($0))) }))
  }

  /// What an element of a list counts, in bytes: about the size of its value.
  private static let elementCost = 32

  /// Returns the value of `Ref` of an alias or a version: the ARN of the function with a qualifier ("AWS::Lambda::Alias",
  /// "AWS::Lambda::Version", "Return values"). `nil` for any other name.
  func qualifiedFunction(_ name: String, _ line: Int, _ path: String) -> TemplateValue? {
    guard names.isQualifiedFunction(name),
      let properties = document.resources.first(where: { $0.name == name })?.properties,
      let function = properties["FunctionName"].flatMap({ value(of: $0, at: path) })
    else { return nil }
    guard let text = function.text else { return TemplateValue(line: line, content: function.content) }
    guard names.isFunction(text) || text.hasBytePrefix("arn:") else { return nil }
    let arn = names.isFunction(text) ? names.functionARN(text) : text
    // A number of AWS's own choice for a version.
    let qualifier = properties["Name"].flatMap { value(of: $0, at: path) }?.text ?? "1"
    let parts = arn.splitBytes(at: ":", omittingEmptySubsequences: false).prefix(7) + [qualifier[...]]
    return TemplateValue(line: line, content: .text(parts.joined(separator: ":")))
  }

  func imported(_ call: FunctionCall, at path: String) -> TemplateValue {
    guard let name = value(of: call.argument, at: path) else {
      return unknown(call.line, path, "ImportValue needs a name", cure: "write the name of an export")
    }
    if let finding = name.finding { return .unknown(finding, call.line) }
    guard let text = name.text else {
      return unknown(call.line, path, "ImportValue needs a name", cure: "write the name of an export")
    }
    return TemplateValue(line: call.line, content: external.imported(text, line: call.line, path))
  }

  package func base64(_ call: FunctionCall, at path: String) -> TemplateValue {
    let argument = value(of: call.argument, at: path)
    if let finding = argument?.finding { return .unknown(finding, call.line) }
    guard let text = argument?.text else {
      return unknown(call.line, path, "Base64 needs a string", cure: "write !Base64 TEXT")
    }
    if let excess = excess(text.utf8.count, call.line, path) { return excess }
    return TemplateValue(line: call.line, content: .text(Base64Text.encoded(Array(text.utf8))))
  }

  /// Returns three zones, as most regions have. No request meets them.
  func zones(_ call: FunctionCall) -> TemplateValue {
    let region = call.argument.scalar.map(\.string).flatMap { $0.isEmpty ? nil : $0 } ?? names.place.region
    return TemplateValue(
      line: call.line,
      content: .list(["a", "b", "c"].map { TemplateValue(line: call.line, content: .text(region + $0)) }))
  }

  /// Returns the contents of a file with its functions replaced; unknown for a file that cannot be read.
  package func file(_ location: TemplateValue, line: Int, _ path: String) -> TemplateValue? {
    if let finding = location.finding { return .unknown(finding, line) }
    guard let text = location.text else {
      return unknown(
        line, path, "is not the name of a file", cure: "write the path of a file beside the template")
    }
    switch document.sources.node(of: text) {
    case .success(let node): return value(of: node, at: text)
    case .failure(let problem):
      return unknown(line, path, "the file \(text) is not read: \(problem.text)", cure: TemplateFiles.cure)
    }
  }
}
