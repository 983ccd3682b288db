import JSON

/// The answer to API Gateway: an IAM policy for the bearer of one token.
///
/// API Gateway caches the policy under the token and evaluates it again for every route. The policy therefore depends
/// on the token and the stage alone, never on the route of the first request.
struct Policy {
  let principalID: [UInt8]
  let stagePrefix: [UInt8]
  let access: Access
  /// When an Allow ends, in Unix seconds, if the policy should contain it.
  var expiresAt: Int64?
  /// The API key of a usage plan (REST APIs with `apiKeySource` AUTHORIZER).
  var usageIdentifierKey: [UInt8]?

  /// The maximum size of an authorizer's result for a WebSocket API: 8 KB (API Gateway, "Quotas for configuring and
  /// running a WebSocket API in API Gateway").
  static let maximumWebSocketBytes = 8192

  /// Returns the answer as JSON; `nil` if its context exceeds its limit.
  func bytes(context: borrowing ContextMembers) -> [UInt8]? {
    var writer = JSONWriter(
      capacity: 400 + principalID.count + access.patterns.count * (stagePrefix.count + 48))
    writer.beginObject()
    writer.name("principalId")
    writer.string(utf8: principalID)
    writer.name("policyDocument")
    writer.beginObject()
    writer.members(#""Version":"2012-10-17""#)
    writer.name("Statement")
    writer.beginArray()
    let refusals = access.refusals
    switch access.whenNoRule {
    case .allow:
      statement(&writer, .allow, [[RoutePattern.wildcard]])
      if !access.isWholeStage || !refusals.isEmpty { statement(&writer, .deny, access.patterns + refusals) }
    case .deny where access.patterns.isEmpty:
      // A policy needs at least one statement, so the refusal is explicit.
      statement(&writer, .deny, [[RoutePattern.wildcard]])
    case .deny:
      statement(&writer, .allow, access.patterns)
      if !refusals.isEmpty { statement(&writer, .deny, refusals) }
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
    return writer.takeBytes()
  }

  private enum Effect {
    case allow, deny

    /// The action and the effect of a statement in JSON. They never change, so that they are written at once.
    var members: StaticString {
      switch self {
      case .allow: #""Action":"execute-api:Invoke","Effect":"Allow""#
      case .deny: #""Action":"execute-api:Invoke","Effect":"Deny""#
      }
    }
  }

  private func statement(_ writer: inout JSONWriter, _ effect: Effect, _ patterns: [[UInt8]]) {
    writer.beginObject()
    writer.members(effect.members)
    writer.name("Resource")
    writer.beginArray()
    for pattern in patterns { writer.string(utf8: stagePrefix, then: pattern) }
    writer.endArray()
    // A Deny never expires.
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
