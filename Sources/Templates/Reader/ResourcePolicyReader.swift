internal import Text
internal import GatewayModel
internal import IAMPolicy
internal import JSON

/// A reader for the resource policy of a REST API.
///
/// A policy that cannot be evaluated is a finding, which closes the API: a Deny in it would have no effect.
struct ResourcePolicyReader {
  let reader: TemplateReader
  /// The report about the API.
  let report: Diagnostics

  /// Reads `Policy` of `AWS::ApiGateway::RestApi`, or `x-amazon-apigateway-policy`; `nil` without one, or with a finding
  /// that closes the API.
  ///
  /// - Parameter identifier: the ID of the API.
  func document(_ value: TemplateValue?, of identifier: String, at path: String) -> PolicyDocument? {
    guard let value, isKnown(value) else { return nil }
    check(value["Statement"], at: path)
    return document(value.json, of: identifier, line: value.line, path)
  }

  /// One `Auth.ResourcePolicy` of SAM, of an API or of an event.
  struct Part {
    let value: TemplateValue
    let path: String
    /// The routes for which SAM writes its statements.
    let routes: [GatewayRoute]
    /// The stage in their resources.
    let stage: String
  }

  /// Reads `Auth.ResourcePolicy` of `AWS::Serverless::Api` and its events; `nil` also if they have no statement.
  ///
  /// - Parameter identifier: the ID of the API.
  func document(ofSAM parts: [Part], of identifier: String) -> PolicyDocument? {
    var statements: [JSONTree] = []
    for part in parts {
      for statement in self.statements(of: part) where !statements.contains(statement) {
        statements.append(statement)
      }
    }
    guard let first = parts.first, let tree = SAMResourcePolicy.document(statements) else { return nil }
    return document(tree, of: identifier, line: first.value.line, first.path)
  }

  private func statements(of part: Part) -> [JSONTree] {
    guard isKnown(part.value), var properties = PropertyReader(part.value, at: part.path, report) else {
      return []
    }
    check(part.value["CustomStatements"], at: part.path)
    var policy = SAMResourcePolicy()
    switch properties.take("CustomStatements")?.json {
    case .array(let statements)?: policy.customStatements = statements
    case let statement?: policy.customStatements = [statement]
    case nil: break
    }
    policy.accounts.allowed = properties.texts("AwsAccountWhitelist")
    policy.accounts.denied = properties.texts("AwsAccountBlacklist")
    policy.addresses.allowed = properties.texts("IpRangeWhitelist")
    policy.addresses.denied = properties.texts("IpRangeBlacklist")
    (policy.networks.allowed, policy.endpoints.allowed) = sources(&properties, "Whitelist")
    (policy.networks.denied, policy.endpoints.denied) = sources(&properties, "Blacklist")
    properties.finish()
    return policy.statements(routes: part.routes, stage: part.stage)
  }

  /// Reports an action or a resource that no request has: a Deny with it would deny nothing.
  private func check(_ statements: TemplateValue?, at path: String) {
    for statement in statements?.elements ?? [] {
      for name in ["Action", "NotAction", "Resource", "NotResource"] {
        for value in statement[name]?.elements ?? [] {
          guard let text = value.text, !text.containsBytes(of: "*"), !text.containsBytes(of: "?") else {
            continue
          }
          let isAction = name.hasByteSuffix("Action")
          if text.lowercased().hasBytePrefix("execute-api:") || !isAction && text.hasBytePrefix("arn:") {
            continue
          }
          report.refuse(
            value.line, path, "the resource policy has a statement about no request: \(name) \(text)",
            cure: isAction ? "write execute-api:Invoke" : "write execute-api:/STAGE/METHOD/PATH")
        }
      }
    }
  }

  /// Whether all values of a policy are known; reports those that are not.
  private func isKnown(_ value: TemplateValue) -> Bool {
    report.refuse(value.findings)
    if let line = value.lineOfNull {
      report.refuse(line, "Policy", "has an empty value", cure: "write the value, or remove the line")
      return false
    }
    return value.findings.isEmpty
  }

  /// Returns the networks and the endpoints of the three lists with this ending.
  private func sources(
    _ properties: inout PropertyReader, _ ending: String
  ) -> (networks: [String]?, endpoints: [String]?) {
    let mixed = properties.texts("SourceVpc" + ending) ?? []
    let networks = properties.texts("IntrinsicVpc" + ending) ?? []
    let endpoints = properties.texts("IntrinsicVpce" + ending) ?? []
    for name in mixed where !name.hasBytePrefix("vpc-") && !name.hasBytePrefix("vpce-") {
      report.refuse(
        properties.line, properties.path(of: "SourceVpc" + ending), "\(name) is no VPC and no VPC endpoint",
        cure: "write vpc-… or vpce-…")
    }
    return (
      mixed.filter { $0.hasBytePrefix("vpc-") } + networks,
      mixed.filter { $0.hasBytePrefix("vpce-") } + endpoints
    )
  }

  private func document(
    _ tree: JSONTree, of identifier: String, line: Int, _ path: String
  ) -> PolicyDocument? {
    do throws(PolicyError) {
      return try ResourcePolicy.document(tree, prefix: reader.names.place.policyPrefix(ofAPI: identifier))
    } catch {
      report.refuse(
        line, path, "the resource policy cannot be evaluated: \(error.description)",
        cure: "correct the policy, or test the API on AWS")
      return nil
    }
  }
}

extension TemplateValue {
  /// The line of the first value that is null. CloudFormation refuses it; read as absent, it could take a condition away.
  fileprivate var lineOfNull: Int? {
    switch content {
    case .null: line
    case .list(let list): list.lazy.compactMap(\.lineOfNull).first
    case .map(let members): members.lazy.compactMap(\.value.lineOfNull).first
    case .text, .unknown: nil
    }
  }

  /// The value as JSON. Scalars are strings, which policies accept for numbers and booleans too.
  fileprivate var json: JSONTree {
    switch content {
    case .text(let text): .string(text)
    case .list(let list): .array(list.map(\.json))
    case .map(let members): .object(members.map { .init(name: $0.name, value: $0.value.json) })
    case .null, .unknown: .null
    }
  }
}
