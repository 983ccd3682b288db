internal import Authorizer
internal import JOSE
internal import JSON

/// The differences of two configurations that are no rules, and so are named but not compared.
struct SettingDifferences {
  /// Words for each of them.
  let lines: [String]

  /// Members that have nothing to do with who gets in, or that are compared.
  private static let compared: Set = [
    "$schema", "issuers", "rules", "default", "anonymous", "decisionLog", "metrics", "verdictCache", "fetch",
  ]
  private static let comparedOfIssuer: Set = ["name", "requiredScopes", "requiredClaims"]
  private static let defaults: [String: JSONTree] = [
    "gatewayCache": .string("token"), "tokenSources": .array([.string("header:authorization")]),
    "allowQueryTokens": .boolean(false), "routeArnIsConcrete": .boolean(false),
    "unauthorized": .string("error"),
    "httpApiAnswer": .string("policy"), "expiryCondition": .boolean(false), "leewaySeconds": .number("60"),
    "proofOfPossession": .string("refuse"),
  ]

  init(_ old: ComparedConfiguration, _ new: ComparedConfiguration) {
    var lines = Self.members(old.original, new.original, besides: Self.compared, prefix: "")
    let (before, after) = (Self.issuers(old), Self.issuers(new))
    for (name, entry, texts) in after {
      let pair = before.first { !Set($0.texts).isDisjoint(with: texts) }
      guard let pair else {
        lines.append("issuers: only NEW accepts tokens of \(name)")
        continue
      }
      for text in texts where !pair.texts.contains(text) {
        lines.append("issuers: only NEW accepts tokens of \(name) with the iss \(text)")
      }
      lines += Self.members(pair.entry, entry, besides: Self.comparedOfIssuer, prefix: "issuers[\(name)].")
    }
    for (name, _, texts) in before where !after.contains(where: { !Set($0.texts).isDisjoint(with: texts) }) {
      lines.append("issuers: only OLD accepts tokens of \(name)")
    }
    self.lines = lines
  }

  private static func issuers(
    _ configuration: ComparedConfiguration
  ) -> [(name: String, entry: JSONTree, texts: [String])] {
    zip(configuration.settings.issuers, configuration.original.list("issuers")).map { settings, entry in
      (settings.profile.name, entry, settings.profile.issuers)
    }
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
