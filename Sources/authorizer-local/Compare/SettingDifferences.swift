internal import Authorizer
internal import JOSE
internal import JSON
internal import RuleAnalysis
internal import Text

/// The differences of two configurations that are no rules, and so are named but not compared.
struct SettingDifferences {
  /// Words for each of them.
  let lines: [String]

  /// Members that have nothing to do with who gets in, or that are compared.
  private static let compared: Set = [
    "$schema", "issuers", "rules", "default", "anonymous", "decisionLog", "metrics", "verdictCache",
  ]
  private static let comparedOfIssuer: Set = ["requiredScopes", "requiredClaims"]
  private static let defaults: [String: JSONTree] = [
    "gatewayCache": .string("token"), "tokenSources": .array([.string("header:authorization")]),
    "allowQueryTokens": .boolean(false), "routeArnIsConcrete": .boolean(false),
    "unauthorized": .string("error"),
    "httpApiAnswer": .string("policy"), "expiryCondition": .boolean(false), "leewaySeconds": .number("60"),
    "proofOfPossession": .string("refuse"),
  ]

  init(_ old: ComparedConfiguration, _ new: ComparedConfiguration, _ issuers: IssuerPairs) {
    var lines = Self.members(old.original, new.original, besides: Self.compared, prefix: "")
    lines += issuers.onlyNew.map { "issuers: only NEW accepts tokens of \($0)" }
    lines += issuers.onlyOld.map { "issuers: only OLD accepts tokens of \($0)" }
    let (before, after) = (old.original.list("issuers"), new.original.list("issuers"))
    // Revocations name issuers.
    let left = Self.comparedOfIssuer.union(new.original["revocation"] == nil ? ["name"] : [])
    var files = [("fetch.certificateAuthorities", old.original["fetch"], new.original["fetch"])]
    for (_, first, second) in issuers.pairs {
      let prefix = "issuers[\(new.settings.issuers[second].profile.name)]."
      lines += Self.members(before[first], after[second], besides: left, prefix: prefix)
      guard after[second]["keys"]?["pinned"] == .boolean(true) else { continue }
      files.append((prefix + "keys.seed", before[first]["keys"], after[second]["keys"]))
    }
    for (name, before, after) in files {
      let member = name.hasByteSuffix("seed") ? "seed" : "certificateAuthorities"
      guard let path = after?.word(member), before?.word(member) == path else { continue }
      if let one = old.contents(of: path), let other = new.contents(of: path) {
        if one != other { lines.append("\(name): \(path) beside OLD is not the file beside NEW") }
      } else {
        lines.append("\(name): \(path) cannot be read beside both configurations")
      }
    }
    for (name, side) in [("OLD", old), ("NEW", new)] where side.settings.comparesTimes {
      lines.append("rules: \(name) compares exp, iat or nbf with a number, which is examined for now only")
    }
    if old.settings.rules?.whenNoRule == .deny, new.settings.rules?.whenNoRule != .deny {
      lines.append(
        "default: NEW does not deny, and so allows paths with two dots, %2e, %25 or %00 that OLD refuses")
    }
    self.lines = lines
  }

  private static func members(
    _ old: JSONTree, _ new: JSONTree, besides left: Set<String>, prefix: String
  ) -> [String] {
    var names: [String] = []
    for case .object(let members) in [old, new] {
      for member in members where !left.contains(member.name) && !names.contains(member.name) {
        names.append(member.name)
      }
    }
    return names.compactMap { name in
      let (before, after) = (old[name] ?? defaults[name], new[name] ?? defaults[name])
      let areEqual = before.flatMap { one in after.map { one.equalsIgnoringOrder($0) } } ?? false
      return areEqual ? nil : prefix + name + ": OLD \(text(before)), NEW \(text(after))"
    }
  }

  private static func text(_ tree: JSONTree?) -> String {
    tree.map { String(decoding: $0.bytes(), as: UTF8.self) } ?? "has none"
  }
}
