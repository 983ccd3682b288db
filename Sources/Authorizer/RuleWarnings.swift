/// What is sound in rules and may still surprise their author.
extension AccessRules {
  /// One line for each.
  ///
  /// - Parameters:
  ///   - issuers: how many issuers the configuration has.
  ///   - isRouteARNConcrete: whether the ARNs of HTTP APIs hold paths; `nil` where the configuration does not say.
  func warnings(issuers: Int, isRouteARNConcrete: Bool?) -> [ConfigurationProblem] {
    var warnings: [ConfigurationProblem] = []
    if needsConcretePath, isRouteARNConcrete == nil {
      warnings.append(
        ConfigurationProblem(
          path: Settings.routeARNIsConcrete,
          message:
            "missing: under these rules every event of an HTTP API fails (5xx), since its routeArn may hold a route's"
            + " template; REST and WebSocket APIs are served. Write true once you have seen that it holds paths, or"
            + " false where no HTTP API uses this",
          isSaidAtStart: true))
    }
    if whenNoRule == .allow {
      warnings.append(
        ConfigurationProblem(
          path: "default",
          message:
            "\"allow\": a route may be reached by another spelling of its path (//, %2F, letter case, a slash at"
            + " the end) that no rule names; \"deny\" has no such gap"))
    }
    for (index, rule) in rules.enumerated() {
      for (place, route) in rule.routes.enumerated() {
        let path = "rules[\(index)].routes[\(place)]"
        if whenNoRule == .deny, let example = route.surprisingPath {
          warnings.append(
            ConfigurationProblem(
              path: path, message: "\(route.text) crosses segments, so it also reaches \(example)"))
        }
        if route.isOwnership, issuers > 1, rule.requirement.issuers.count != 1 {
          warnings.append(
            ConfigurationProblem(
              path: path,
              message: "two issuers may give the same claim to different people; require one issuer, by"
                + " \"require\": { \"issuers\": [ … ] }"))
        }
      }
    }
    return warnings
  }
}

extension AnswerStyles {
  /// One line for each.
  var warnings: [ConfigurationProblem] {
    guard hasExpiryCondition, isSimpleOnHTTP2 else { return [] }
    return [
      ConfigurationProblem(
        path: "expiryCondition",
        message: "a simple answer holds no condition: on HTTP APIs 2.0 it has no effect")
    ]
  }
}

extension Route {
  /// A path that a wildcard inside reaches besides those that its author sees; `nil` where the only wildcard is a whole last
  /// segment, which says what it does.
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

  /// A segment with two segments in the place of each wildcard.
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
