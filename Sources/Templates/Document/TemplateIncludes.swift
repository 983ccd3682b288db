internal import GatewayModel
internal import Text
internal import Yams

/// `AWS::Include`, the only macro within a template that is emulated: the members of a file are inserted beside those of
/// the map with the call.
///
/// This happens before anything else reads the template, `Globals` and SAM too: CloudFormation runs the macros of parts
/// before those of the `Transform` section ("Macros overview").
final class TemplateIncludes {
  private let sources: TemplateSources
  private let parameters: [String: TemplateValue.Content]
  /// The number of members that may still be merged: our limit, because a few bytes repeat a file.
  private var left = TemplateText.maximumValues

  /// Why a call is not replaced.
  private struct Problem: Error {
    let text: String
    let cure: String
    /// The finding of a parameter without a value, in place of both.
    var finding: Diagnostic?
  }

  /// - Parameter parameters: the values of the template's parameters, which may name a file.
  init(_ sources: TemplateSources, _ parameters: [String: TemplateValue.Content]) {
    self.sources = sources
    self.parameters = parameters
  }

  private static let name = "Fn::Transform"

  /// Returns a part of the template with files in place of the calls that name them. The other calls remain, in the long
  /// form, and `finding(in:at:)` tells why.
  func expanded(_ node: Node) -> Node { changed(node) ?? node }

  /// Returns `nil` if there is no call in the node.
  private func changed(_ node: Node) -> Node? {
    switch node {
    case .scalar, .alias: return nil
    case .sequence(var elements):
      var isChanged = false
      for index in elements.indices {
        guard let element = changed(elements[index]) else { continue }
        elements[index] = element
        isChanged = true
      }
      return isChanged ? .sequence(elements) : nil
    case .mapping(let written):
      let isShort = written.tag.description == "!Transform"
      var members = isShort ? Self.longForm(written) : written
      var isChanged = isShort
      for index in members.indices where members[index].key.scalar?.string != Self.name {
        guard let value = changed(members[index].value) else { continue }
        members[index] = (members[index].key, value)
        isChanged = true
      }
      guard Self.call(in: members) != nil else { return isChanged ? .mapping(members) : nil }
      return (try? merged(members)) ?? .mapping(members)
    }
  }

  /// Returns the finding of a map whose call could not be replaced; `nil` for any other node.
  func finding(in node: Node, at path: String) -> Diagnostic? {
    guard case .mapping(let members) = node, let call = Self.call(in: members) else { return nil }
    do throws(Problem) {
      _ = try merged(members)
      // "You can't use AWS::Include to reference a template snippet that also uses AWS::Include" ("AWS::Include
      // transform").
      return Diagnostic(
        line: call.line, path: path, problem: "is in a file that is included itself",
        cure: "include both files in the template: CloudFormation includes no file in another")
    } catch {
      return error.finding
        ?? Diagnostic(line: call.line, path: path, problem: error.text, cure: error.cure)
    }
  }

  // MARK: Calls

  /// `!Transform {…}` as `{Fn::Transform: {…}}`.
  private static func longForm(_ members: Node.Mapping) -> Node.Mapping {
    var argument = members
    argument.tag = .implicit
    return Node.Mapping(
      [(.scalar(Node.Scalar(name, .implicit, .any, members.mark)), .mapping(argument))], .implicit, .any,
      members.mark)
  }

  /// The name of a call in a map, for its line, and the argument.
  private static func call(in members: Node.Mapping) -> (line: Int, argument: Node)? {
    members.indices.first { members[$0].key.scalar?.string == name }.map {
      (members[$0].key.line, members[$0].value)
    }
  }

  /// Returns a map with the members of the files that its call names.
  private func merged(_ members: Node.Mapping) throws(Problem) -> Node {
    guard let call = Self.call(in: members) else { return .mapping(members) }
    let others = members.filter { $0.key.scalar?.string != Self.name }
    // A list names several files.
    let macros = call.argument.sequence.map { Array($0) } ?? [call.argument]
    if macros.isEmpty { throw Problem(text: "names no macro", cure: "write the name of a macro") }
    if others.isEmpty, macros.count == 1 { return .mapping(try file(of: macros[0]).members) }
    var pairs = others.map { ($0.key, $0.value) }
    var names = Set(pairs.map { ByteString($0.0.scalar?.string ?? "") })
    for macro in macros {
      let (location, members) = try file(of: macro)
      left -= members.count
      guard left >= 0 else {
        throw Problem(
          text: "the template includes over \(TemplateText.maximumValues) members beside others",
          cure: "repeat included files less often")
      }
      for (key, value) in members {
        let name = key.scalar?.string ?? ""
        // Which of the two counts is not documented.
        guard names.insert(ByteString(name)).inserted else {
          throw Problem(text: "\(name) is here and in \(location)", cure: "write it in one of the two places")
        }
        pairs.append((key, value))
      }
    }
    return .mapping(Node.Mapping(pairs, .implicit, .any, members.mark))
  }

  /// Returns the file that a call of a macro includes.
  private func file(of macro: Node) throws(Problem) -> (location: String, members: Node.Mapping) {
    let name = macro["Name"]?.scalar?.string
    guard name == "AWS::Include" else {
      throw Problem(
        text: "the macro \(name ?? "without a name") is not emulated",
        cure: "put the template through that macro first, and serve the result")
    }
    guard let node = macro["Parameters"]?["Location"] else {
      throw Problem(text: "has no Location", cure: "write Parameters: { Location: FILE }")
    }
    let location = try location(node)
    switch sources.node(of: location) {
    case .success(.mapping(let members)): return (location, members)
    case .success:
      throw Problem(text: "the file \(location) is not a map", cure: "write lines of NAME: VALUE")
    case .failure(let problem):
      throw Problem(text: "the file \(location) is not read: \(problem.text)", cure: TemplateFiles.cure)
    }
  }

  /// Returns the text of a location: parameters are known before macros run, resources are not.
  private func location(_ node: Node) throws(Problem) -> String {
    let call = FunctionCall(node)
    switch (call?.name, (call?.argument ?? node).scalar?.string) {
    case (nil, let text?): return text
    case ("Ref", let name?): return try text(ofParameter: name)
    case ("Sub", let text?):
      var result = text
      for name in parameters.keys.sorted() where result.containsBytes(of: "${\(name)}") {
        result = result.replacingBytes(of: "${\(name)}", with: try self.text(ofParameter: name))
      }
      return result
    default:
      throw Problem(
        text: "has a Location that is not known before CloudFormation evaluates functions",
        cure: "write the path of the file, or a parameter")
    }
  }

  private func text(ofParameter name: String) throws(Problem) -> String {
    switch parameters[name] {
    case .text(let text)?: return text
    case .unknown(let finding)?: throw Problem(text: "", cure: "", finding: finding)
    case .list, .map, .null, nil:
      throw Problem(text: "\(name) is not a parameter with a text", cure: "write the path of the file")
    }
  }
}
