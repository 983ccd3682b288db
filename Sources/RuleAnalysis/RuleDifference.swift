internal import Authorizer
package import JSON

/// What one configuration allows and another one refuses, for one group of callers and for one reason.
package struct RuleDifference: Sendable, Equatable {
  /// The routes, as rules write them.
  package internal(set) var routes: [String]
  /// Who may call them, in words that follow "lets".
  package let who: String
  /// What the other configuration says, in words that follow its name.
  package let refusal: String
  /// The values of `iss` whose tokens it concerns, if not those of all issuers; empty for guests.
  package internal(set) var issuers: [String] = []
  /// A request and a caller.
  package let example: RequestExample

  /// The difference at one request.
  struct Part {
    let who: String
    let refusal: String
    let request: RequestPoint
    let verbs: [String]
    let words: Glob
    /// The words for the paths.
    let label: String
    let token: JSONTree?
    let issuer: String?
  }
}

/// A request, and who sends it.
package struct RequestExample: Sendable, Equatable {
  /// `nil` for `$connect` of a WebSocket API.
  package let method: String?
  /// The path after the stage, or `$connect`.
  package let path: String
  /// `Mcp-Method` and the decoded `Mcp-Name`, if the request has the headers of MCP.
  package let mcpMethod: String?
  package let mcpName: String?
  /// The recipe of the token, an entry of `tokens.json`; `nil` for a request without any credential.
  package let token: JSONTree?

  init(_ point: RequestPoint, token: JSONTree?) {
    method = point.verb
    path = String(decoding: point.path, as: UTF8.self)
    mcpMethod = point.call.map { $0.kind?.method ?? "tools/list" }
    mcpName = point.call.flatMap { $0.kind == nil ? nil : String(decoding: $0.name, as: UTF8.self) }
    self.token = token
  }
}

/// Collects differences, and groups those of the same callers and the same reason.
struct DifferenceList {
  private struct Group {
    let first: RuleDifference.Part
    var parts: [RuleDifference.Part]
  }

  private var groups: [Group] = []
  private var places: [[String]: Int] = [:]
  private let issuers: Int

  init(issuers: Int) { self.issuers = issuers }

  mutating func add(_ part: RuleDifference.Part) {
    let key = [part.who, part.refusal]
    if let place = places[key] {
      groups[place].parts.append(part)
    } else {
      places[key] = groups.count
      groups.append(Group(first: part, parts: [part]))
    }
  }

  var differences: [RuleDifference] {
    groups.map { group in
      let named = Set(group.parts.compactMap(\.issuer))
      // The widest path is the best example.
      let routes = Self.routes(group.parts)
      let first = group.parts.first { $0.label == routes.first?.label }
      let example = first ?? group.first
      return RuleDifference(
        routes: routes.map(\.text), who: group.first.who, refusal: group.first.refusal,
        issuers: named.count == issuers ? [] : named.sorted(),
        example: RequestExample(example.request, token: example.token))
    }
  }

  /// Returns the routes in words, without those that others of them cover.
  private static func routes(_ parts: [RuleDifference.Part]) -> [(text: String, label: String)] {
    var order: [String] = []
    var verbs: [String: Set<String>] = [:]
    var globs: [String: Glob] = [:]
    for part in parts {
      let label = part.label
      if verbs[label] == nil { order.append(label) }
      verbs[label, default: []].formUnion(part.verbs)
      if globs[label] == nil { globs[label] = part.words }
    }
    let kept = order.filter { label in
      !order.contains { wider in
        guard wider != label, let one = globs[wider], let other = globs[label] else { return false }
        let isParent = one.bytes.suffix(2).elementsEqual("/*".utf8) && other.bytes == one.bytes.dropLast(2)
        return (isParent || one.covers(other)) && !other.covers(one)
          && verbs[wider]?.isSuperset(of: verbs[label] ?? []) == true
      }
    }
    return kept.map { label in
      let own = verbs[label] ?? []
      let text =
        own.isEmpty
        ? label
        : (own.count == Route.allVerbs.count
          ? "*" : Route.allVerbs.filter(own.contains).joined(separator: ","))
          + " " + label
      return (text, label)
    }
  }
}
