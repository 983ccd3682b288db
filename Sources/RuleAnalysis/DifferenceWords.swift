internal import Authorizer
internal import JOSE

/// Who is let in and why others are not, in words.
struct DifferenceWords {
  private let sides: [IssuerAnalysis.Side]
  private let refusing: Int
  private let allowing: Int
  /// The words of each rule, by side.
  private let rules: [[[String]]]

  /// Rules that are named one by one.
  private static let maximumNamed = 3

  init(_ sides: [IssuerAnalysis.Side], refusing: Int, allowing: Int) {
    self.sides = sides
    self.refusing = refusing
    self.allowing = allowing
    rules = sides.map { ($0.rules?.rules ?? []).map { Self.parts($0.requirement) } }
  }

  /// Returns who may call the routes, by this rule, or by all rules that match.
  func who(_ rule: Int?, _ match: RuleMatch) -> String {
    let parts = needed(rule, match)
    let isOwner = rule.map { index in
      sides[allowing].rules?.rules[index].routes.contains { $0.isOwnership } ?? false
        && match.rules[index]?.contains([]) == false
    }
    let caller = isOwner == true ? "each caller on their own path" : "anyone"
    return parts.isEmpty
      ? caller + " with a valid token" : "\(caller) with " + parts.joined(separator: " and ")
  }

  private func needed(_ rule: Int?, _ match: RuleMatch) -> [String] {
    let matching = rule.map { [$0] } ?? match.rules.keys.sorted()
    return Self.parts(sides[allowing].issuer.requirement) + matching.flatMap { rules[allowing][$0] }
  }

  private static func parts(_ requirement: Requirement) -> [String] {
    requirement.conditions.map { "`\($0)`" }
  }

  /// Why the other configuration refuses them.
  func refusal(_ rule: Int?, _ match: RuleMatch, _ allowed: RuleMatch) -> String {
    let matching = match.rules.keys.sorted()
    guard !matching.isEmpty else { return "has no rule for it" }
    let held = needed(rule, allowed)
    var texts: [String] = []
    for index in matching.prefix(Self.maximumNamed) {
      let words = rules[refusing][index]
      let more = words.filter { !held.contains($0) }
      let isOwner = match.rules[index]?.contains([]) == false
      var text = more.joined(separator: " and ")
      if isOwner { text += (text.isEmpty ? "" : " and ") + "that it is the caller's own path" }
      if text.isEmpty { text = words.joined(separator: " and ") }
      let includesAll = more.count < words.count || words.isEmpty
      texts.append((includesAll && !held.isEmpty && !more.isEmpty ? "also needs " : "needs ") + text)
    }
    if matching.count > Self.maximumNamed {
      texts.append("what \(matching.count - Self.maximumNamed) more rules need")
    }
    return texts.joined(separator: sides[refusing].rules?.whenNoRule == .deny ? ", or " : ", and ")
  }

  /// Why the issuer's entry in the other configuration refuses them.
  var refusalOfIssuer: String {
    "needs \(Self.parts(sides[refusing].issuer.requirement).joined(separator: " and ")) of every token of"
      + " `\(sides[refusing].issuer.profile.name)`"
  }
}
