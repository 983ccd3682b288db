import JSON

/// The answer to API Gateway: an IAM policy for the bearer of one token.
///
/// API Gateway keeps the policy under the token and evaluates it again for every route, so it is made from the token
/// and the stage alone, never from the route that happened to be asked first.
struct Policy {
  let principalID: [UInt8]
  let stagePrefix: [UInt8]
  /// The configured name of the issuer: a subject is unique within its issuer alone (OpenID Connect Core section 5.7), so
  /// the backend needs both.
  let issuerName: String

  /// `Resource` may have 512 characters (API Gateway, "Output from an API Gateway Lambda authorizer").
  static let maximumResourceBytes = 512

  /// The policy as JSON; `nil` where the ARN's stage is too long for a `Resource`.
  var bytes: [UInt8]? {
    guard stagePrefix.count < Self.maximumResourceBytes else { return nil }
    var writer = JSONWriter(capacity: 320 + principalID.count)
    writer.beginObject()
    writer.name("principalId")
    writer.string(utf8: principalID)
    writer.name("policyDocument")
    writer.beginObject()
    writer.name("Version")
    writer.string("2012-10-17")
    writer.name("Statement")
    writer.beginArray()
    writer.beginObject()
    writer.name("Action")
    writer.string("execute-api:Invoke")
    writer.name("Effect")
    writer.string("Allow")
    writer.name("Resource")
    writer.beginArray()
    writer.string(utf8: stagePrefix + [0x2A])
    writer.endArray()
    writer.endObject()
    writer.endArray()
    writer.endObject()
    writer.name("context")
    writer.beginObject()
    writer.name("issuer")
    writer.string(issuerName)
    writer.endObject()
    writer.endObject()
    return writer.bytes
  }
}
