internal import Authorizer
internal import JOSE

/// A requirement in words that follow "anyone with" or "needs".
struct RequirementWords {
  let parts: [String]

  init(_ requirement: Requirement) {
    var parts: [String] = []
    if !requirement.issuers.isEmpty {
      parts.append("a token of " + requirement.issuers.map { "`\($0)`" }.joined(separator: " or "))
    }
    if !requirement.scopes.isEmpty {
      let scopes = requirement.scopes.map { "`\(String(decoding: $0, as: UTF8.self))`" }
      parts.append((scopes.count == 1 ? "the scope " : "the scopes ") + scopes.joined(separator: ", "))
    }
    parts += requirement.claims.map { "the claim `\($0.claim.text)`: \($0.condition.text)" }
    if let seconds = requirement.authenticatedWithinSeconds {
      parts.append("a login at most \(seconds) s ago")
    }
    if !requirement.any.isEmpty {
      let members = requirement.any.map { "(" + RequirementWords($0).text + ")" }
      parts.append(members.count == 1 ? members[0] : "one of " + members.joined(separator: " or "))
    }
    parts += requirement.not.map { "not (" + RequirementWords($0).text + ")" }
    self.parts = parts
  }

  var text: String { parts.joined(separator: " and ") }
}
