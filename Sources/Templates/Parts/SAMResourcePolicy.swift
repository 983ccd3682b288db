internal import GatewayModel
internal import IAMPolicy
internal import JSON

/// `Auth.ResourcePolicy` of `AWS::Serverless::Api`, and the policy document that SAM makes of it.
///
/// For each path and list, SAM adds an Allow for all callers and a Deny with the condition, or for accounts an Allow or
/// a Deny alone (`add_resource_policy` of SAM's translator).
struct SAMResourcePolicy: Equatable {
  /// `CustomStatements`, as they are.
  var customStatements: [JSONTree] = []
  /// `AwsAccountWhitelist` and `AwsAccountBlacklist`.
  var accounts = Lists()
  /// `IpRangeWhitelist` and `IpRangeBlacklist`.
  var addresses = Lists()
  /// `vpc-…` of `SourceVpcWhitelist` and `SourceVpcBlacklist`, and `IntrinsicVpc…`.
  var networks = Lists()
  /// `vpce-…` of the same lists, and `IntrinsicVpce…`.
  var endpoints = Lists()

  /// Whom a property allows and whom another denies; `nil` for an absent property.
  struct Lists: Equatable {
    var allowed: [String]?
    var denied: [String]?
  }

  /// Returns the document with these statements; `nil` without any, which is no policy.
  static func document(_ statements: [JSONTree]) -> JSONTree? {
    guard !statements.isEmpty else { return nil }
    return .members(["Version": .string("2012-10-17"), "Statement": .array(statements)])
  }

  /// Returns the statements.
  ///
  /// - Parameters:
  ///   - routes: the routes of the API, or of the path of an event.
  ///   - stage: the name of the stage.
  func statements(routes: [GatewayRoute], stage: String) -> [JSONTree] {
    var statements: [JSONTree] = []
    func add(_ statement: JSONTree) { if !statements.contains(statement) { statements.append(statement) } }
    for resources in Self.resources(of: routes, stage) {
      for (list, effect) in [(accounts.allowed, "Allow"), (accounts.denied, "Deny")] {
        guard let list, !list.isEmpty else { continue }
        add(Self.statement(effect, resources, principal: .members(["AWS": Self.texts(list)])))
      }
      for condition in conditions {
        add(Self.statement("Allow", resources, principal: .string("*")))
        add(Self.statement("Deny", resources, principal: .string("*"), condition))
      }
    }
    return statements + customStatements
  }

  /// The conditions of the Denies. Networks and endpoints of one list are in one condition, which both must meet.
  private var conditions: [JSONTree] {
    let keys: [(comparison: String, values: [(key: String, values: [String]?)])] = [
      ("NotIpAddress", [("aws:SourceIp", addresses.allowed)]),
      ("IpAddress", [("aws:SourceIp", addresses.denied)]),
      ("StringEquals", [("aws:SourceVpc", networks.denied), ("aws:SourceVpce", endpoints.denied)]),
      ("StringNotEquals", [("aws:SourceVpc", networks.allowed), ("aws:SourceVpce", endpoints.allowed)]),
    ]
    return keys.compactMap { comparison, lists in
      let members = lists.compactMap { key, values in
        values.flatMap { $0.isEmpty ? nil : JSONTree.Member(name: key, value: Self.texts($0)) }
      }
      return members.isEmpty ? nil : .object([.init(name: comparison, value: .object(members))])
    }
  }

  /// The resources of each path in SAM's form: parameters are `*`, and so is `ANY`.
  private static func resources(of routes: [GatewayRoute], _ stage: String) -> [[String]] {
    var paths: [(pattern: PathPattern, resources: [String])] = []
    for route in routes {
      guard case .path(let method, let pattern) = route.match else { continue }
      let path = pattern.segments.map { segment in
        if case .literal(let text) = segment { "/" + text } else { "/*" }
      }.joined()
      let resource = "execute-api:/\(stage)/\(method ?? "*")\(path.isEmpty ? "/" : path)"
      if let place = paths.firstIndex(where: { $0.pattern == pattern }) {
        paths[place].resources.append(resource)
      } else {
        paths.append((pattern, [resource]))
      }
    }
    return paths.map(\.resources)
  }

  private static func statement(
    _ effect: String, _ resources: [String], principal: JSONTree, _ condition: JSONTree? = nil
  ) -> JSONTree {
    .members([
      "Effect": .string(effect), "Action": .string(PolicyEvaluator.invoke), "Resource": texts(resources),
      "Principal": principal, "Condition": condition,
    ])
  }

  private static func texts(_ list: [String]) -> JSONTree { .array(list.map { .string($0) }) }
}
