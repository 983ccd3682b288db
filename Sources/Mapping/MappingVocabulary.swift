internal import Text

/// The variables and methods that templates may use. A name that is not here could have a value on AWS, so a template
/// with it is refused.
enum MappingVocabulary {
  /// Returns what is not known of a reference, or `nil`.
  static func problem(of reference: MappingReference) -> String? {
    let rest: ArraySlice<MappingReference.Step>
    switch reference.root {
    case "input":
      if let problem = inputProblem(reference) { return problem }
      rest = reference.steps.dropFirst()
    case "util":
      guard case .call(let name, let arguments)? = reference.steps.first, utilities.contains(name),
        arguments.count == 1
      else { return "$util has \(utilities.sorted().joined(separator: ", ")), each with one value" }
      rest = reference.steps.dropFirst()
    case "context":
      if let problem = contextProblem(reference.names) { return problem }
      rest = reference.steps[...]
    default: rest = reference.steps[...]
    }
    return rest.lazy.compactMap { problem(of: $0) }.first
  }

  private static let utilities: Set<String> = [
    "escapeJavaScript", "parseJson", "urlEncode", "urlDecode", "base64Encode", "base64Decode",
  ]

  private static func inputProblem(_ reference: MappingReference) -> String? {
    switch reference.steps.first {
    case .property("body")?: return nil
    case .call("params", let arguments)? where arguments.count <= 1: return nil
    case .call(let name, let arguments)? where (name == "json" || name == "path") && arguments.count == 1:
      guard let path = literal(arguments[0]) else { return nil }
      do throws(JSONPath.Unknown) {
        _ = try JSONPath(path)
        return nil
      } catch {
        return error.problem
      }
    default: return "$input has body, json(PATH), path(PATH), params() and params(NAME)"
    }
  }

  private static func contextProblem(_ names: [String]) -> String? {
    let name = names.joined(separator: ".")
    let overrides: Set<String> = [
      "requestOverride.header", "requestOverride.path", "requestOverride.querystring",
      "responseOverride.header",
    ]
    if overrides.contains(names.prefix(2).joined(separator: ".")) || name == "responseOverride.status" {
      return nil
    }
    if name == "authorizer" || ContextVariables.isKnown(name, withErrors: false) { return nil }
    return "$context.\(name) is not known"
  }

  private static func problem(of step: MappingReference.Step) -> String? {
    switch step {
    case .property("class"): return ".class is not known"
    case .property, .index: return nil
    case .call(let name, let arguments):
      guard let counts = methods[name] else { return ".\(name)(…) is not known" }
      guard counts.contains(arguments.count) else {
        return ".\(name)(…) does not take \(arguments.count) values"
      }
      guard patternMethods.contains(name), let text = literal(arguments[0]) else { return nil }
      do throws(RegularExpression.Unknown) {
        _ = try RegularExpression(text)
        return nil
      } catch {
        return error.problem
      }
    }
  }

  private static func literal(_ expression: MappingExpression) -> String? {
    switch expression {
    case .text(let text): return text
    case .interpolated(let nodes):
      if nodes.isEmpty { return "" }
      guard nodes.count == 1, case .text(let text) = nodes[0] else { return nil }
      return text
    default: return nil
    }
  }

  /// The methods whose first value is a regular expression.
  private static let patternMethods: Set<String> = ["replaceAll", "replaceFirst", "matches", "split"]

  /// The methods of texts, numbers, lists, maps, their entries and `$foreach`, with the numbers of their values.
  private static let methods: [String: ClosedRange<Int>] = [
    "toString": 0...0, "equals": 1...1, "compareTo": 1...1,
    // Texts.
    "length": 0...0, "isEmpty": 0...0, "contains": 1...1, "startsWith": 1...1, "endsWith": 1...1,
    "indexOf": 1...2, "lastIndexOf": 1...1, "substring": 1...2, "charAt": 1...1, "split": 1...2,
    "replaceAll": 2...2, "replaceFirst": 2...2, "replace": 2...2, "matches": 1...1, "concat": 1...1,
    "toLowerCase": 0...0, "toUpperCase": 0...0, "trim": 0...0, "equalsIgnoreCase": 1...1,
    // Numbers.
    "intValue": 0...0, "longValue": 0...0, "doubleValue": 0...0, "parseInt": 1...1,
    // Lists. `count` is in an example of the developer guide.
    "size": 0...0, "count": 0...0, "get": 1...1, "add": 1...2, "addAll": 1...1, "set": 2...2,
    "remove": 1...1, "subList": 2...2, "clear": 0...0,
    // Maps and entries.
    "put": 2...2, "putAll": 1...1, "containsKey": 1...1, "containsValue": 1...1, "keySet": 0...0,
    "values": 0...0, "entrySet": 0...0, "getKey": 0...0, "getValue": 0...0, "getOrDefault": 2...2,
    // $foreach.
    "stop": 0...0, "hasNext": 0...0,
  ]
}
