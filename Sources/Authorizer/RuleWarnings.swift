/// Warnings on rules that are valid but may surprise their author.
extension AccessRules {
  /// Returns the warnings.
  ///
  /// - Parameters:
  ///   - issuers: how many issuers the configuration has.
  ///   - isRouteARNConcrete: whether ARNs of HTTP APIs contain paths; `nil` if not configured.
  func warnings(issuers: Int, isRouteARNConcrete: Bool?) -> [ConfigurationProblem] {
    var warnings: [ConfigurationProblem] = []
    if needsConcretePath, isRouteARNConcrete == nil {
      warnings.append(
        ConfigurationProblem(
          path: Settings.routeARNIsConcrete,
          message:
            "missing: with these rules every event of an HTTP API fails (5xx), since its routeArn may contain a route's"
            + " template; REST and WebSocket APIs work. Set true after checking that it contains paths, or"
            + " false if no HTTP API uses this",
          isLoggedAtStart: true))
    }
    if whenNoRule == .allow {
      warnings.append(
        ConfigurationProblem(
          path: "default",
          message:
            "\"allow\": another spelling of a path (//, %2F, letter case, a slash at"
            + " the end) may bypass its rule; \"deny\" has no such gap"))
    }
    for (index, rule) in rules.enumerated() {
      for (routeIndex, route) in rule.routes.enumerated() {
        let path = "rules[\(index)].routes[\(routeIndex)]"
        if whenNoRule == .deny, let example = route.surprisingPath {
          warnings.append(
            ConfigurationProblem(
              path: path, message: "\(route.text) crosses segments, so it also reaches \(example)"))
        }
        if route.isOwnership, issuers > 1, rule.requirement.issuers.count != 1 {
          warnings.append(
            ConfigurationProblem(
              path: path,
              message: "two issuers may use the same value for different users; require one issuer:"
                + " \"require\": { \"issuers\": [ … ] }"))
        }
      }
    }
    return warnings
  }
}

extension AnswerStyles {
  /// The warnings on answers.
  var warnings: [ConfigurationProblem] {
    guard hasExpiryCondition, isSimpleOnHTTP2 else { return [] }
    return [
      ConfigurationProblem(
        path: "expiryCondition",
        message: "simple answers have no condition: no effect on HTTP APIs 2.0")
    ]
  }
}

extension Route {
  /// An example of a path that a wildcard matches unexpectedly; `nil` if the only wildcard is a whole last segment,
  /// whose effect is clear.
  var surprisingPath: String? {
    let bytes = Array(text.utf8)
    guard let blank = bytes.firstIndex(of: 0x20) else { return nil }
    var segments: [String] = []
    var surprises = false
    let parts = bytes[(blank + 1)...].dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      let (example, isOpen, isGreedy) = Self.example(part)
      let isWhole = part.allSatisfy { $0 == RoutePattern.wildcard } || isGreedy
      if isOpen, !(isWhole && index == parts.count - 1) { surprises = true }
      segments.append(example)
    }
    return surprises ? (verbs.first ?? "") + " /" + segments.joined(separator: "/") : nil
  }

  /// Returns a segment in which two segments replace each wildcard.
  private static func example(_ part: ArraySlice<UInt8>) -> (text: String, isOpen: Bool, isGreedy: Bool) {
    var text: [UInt8] = []
    var rest = part
    var isOpen = false
    var isGreedy = false
    while let byte = rest.first {
      let isVariable = byte == 0x7B && text.last != 0x24
      if isVariable || byte == RoutePattern.wildcard {
        isOpen = true
        text += Array("a/b".utf8)
        let end = isVariable ? rest.firstIndex(of: 0x7D) ?? rest.startIndex : rest.startIndex
        if end > rest.startIndex, rest[end - 1] == 0x2B { isGreedy = true }
        rest = rest[(end + 1)...]
      } else {
        text.append(byte)
        rest.removeFirst()
      }
    }
    return (String(decoding: text, as: UTF8.self), isOpen, isGreedy)
  }
}
