import JSON

/// The answer to API Gateway: an IAM policy for the bearer of one token.
///
/// API Gateway keeps the policy under the token and evaluates it again for every route, so it is made from the token
/// and the stage alone, never from the route that happened to be asked first.
struct Policy {
  let principalID: [UInt8]
  let stagePrefix: [UInt8]
  let access: Access
  /// When an Allow ends, in Unix seconds, where the policy shall say so.
  var expiresAt: Int64?
  /// The API key of a usage plan (REST APIs with `apiKeySource` AUTHORIZER).
  var usageIdentifierKey: [UInt8]?

  /// `Resource` may have 512 characters (API Gateway, "Output from an API Gateway Lambda authorizer").
  static let maximumResourceBytes = 512
  /// A WebSocket API takes an authorizer's result of 8 KB (API Gateway, "Quotas for configuring and running a WebSocket
  /// API in API Gateway").
  static let maximumWebSocketBytes = 8192

  /// The answer as JSON; `nil` where its context is over its limit.
  func bytes(context: ContextMembers) -> [UInt8]? {
    var writer = JSONWriter(
      capacity: 400 + principalID.count + access.patterns.count * (stagePrefix.count + 48))
    writer.beginObject()
    writer.name("principalId")
    writer.string(utf8: principalID)
    writer.name("policyDocument")
    writer.beginObject()
    writer.name("Version")
    writer.string("2012-10-17")
    writer.name("Statement")
    writer.beginArray()
    let escapes = access.refusesEscapes ? Access.escapes : []
    switch access.whenNoRule {
    case .allow:
      statement(&writer, .allow, [[RoutePattern.wildcard]])
      if !access.patterns.isEmpty { statement(&writer, .deny, access.patterns + escapes) }
    case .deny where access.patterns.isEmpty:
      // A policy without a statement is none; what is refused is said.
      statement(&writer, .deny, [[RoutePattern.wildcard]])
    case .deny:
      statement(&writer, .allow, access.patterns)
      if !escapes.isEmpty { statement(&writer, .deny, escapes) }
    }
    writer.endArray()
    writer.endObject()
    writer.name("context")
    guard context.write(to: &writer) else { return nil }
    if let usageIdentifierKey {
      writer.name("usageIdentifierKey")
      writer.string(utf8: usageIdentifierKey)
    }
    writer.endObject()
    return writer.bytes
  }

  private enum Effect: String {
    case allow = "Allow"
    case deny = "Deny"
  }

  private func statement(_ writer: inout JSONWriter, _ effect: Effect, _ patterns: [[UInt8]]) {
    writer.beginObject()
    writer.name("Action")
    writer.string("execute-api:Invoke")
    writer.name("Effect")
    writer.string(effect.rawValue)
    writer.name("Resource")
    writer.beginArray()
    for pattern in patterns { writer.string(utf8: stagePrefix + pattern) }
    writer.endArray()
    // A Deny has no end.
    if let expiresAt, effect == .allow {
      writer.name("Condition")
      writer.beginObject()
      writer.name("DateLessThan")
      writer.beginObject()
      writer.name("aws:EpochTime")
      writer.string(expiresAt.description)
      writer.endObject()
      writer.endObject()
    }
    writer.endObject()
  }
}
