internal import GatewayEmulator
internal import Text
internal import JSON

/// What differs between two decisions, member by member.
struct DecisionDifference {
  /// One value that differs, with its path as a JSON pointer (RFC 6901).
  struct Change: Equatable {
    let path: String
    let before: JSONTree?
    let after: JSONTree?
  }

  private(set) var changes: [Change] = []

  /// The most changes that are listed: our choice.
  private static let maximum = 200

  init(from before: DecisionText, to after: DecisionText) {
    compare(Self.document(before), Self.document(after), at: "")
  }

  init(from before: JSONTree, to after: JSONTree) { compare(before, after, at: "") }

  var tree: JSONTree {
    .array(
      changes.map {
        .members(["path": .string($0.path), "before": $0.before ?? .null, "after": $0.after ?? .null])
      })
  }

  /// The members that tell two decisions apart. IDs and times always do.
  private static func document(_ text: DecisionText) -> JSONTree {
    let summary = JSONTree.object(text.summary)
    var context = text.context
    // A measurement, and no part of the decision.
    context?["integrationLatency"] = nil
    return .members([
      "status": summary["status"], "outcome": summary["outcome"], "reason": summary["reason"],
      "decision": summary["decision"], "authorizer": summary["authorizer"], "route": summary["route"],
      "claims": text.credentials.token.map { text.redactor.tree($0.claims, byName: false) },
      "statement": text.statement, "policy": text.policy, "context": context,
    ])
  }

  private mutating func compare(_ before: JSONTree?, _ after: JSONTree?, at path: String) {
    guard changes.count < Self.maximum else { return }
    switch (before, after) {
    case (.object(let left)?, .object(let right)?):
      for member in left {
        compare(member.value, after?[member.name], at: path + "/" + Self.escaped(member.name))
      }
      for member in right where before?[member.name] == nil {
        compare(nil, member.value, at: path + "/" + Self.escaped(member.name))
      }
    case (.array(let left)?, .array(let right)?):
      for index in 0..<max(left.count, right.count) {
        compare(
          index < left.count ? left[index] : nil, index < right.count ? right[index] : nil,
          at: path + "/\(index)")
      }
    case (let before?, let after?) where before.equalsIgnoringOrder(after): return
    case (nil, nil): return
    default: changes.append(Change(path: path, before: before, after: after))
    }
  }

  private static func escaped(_ name: String) -> String {
    name.replacingBytes(of: "~", with: "~0").replacingBytes(of: "/", with: "~1")
  }
}
