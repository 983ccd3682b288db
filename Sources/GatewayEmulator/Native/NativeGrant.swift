internal import JSON

/// What an authorizer of API Gateway itself passes on to the backend.
package enum NativeGrant: Equatable, Sendable {
  /// A JWT authorizer of an HTTP API. The scopes are `nil` for a route without scopes.
  case jwt(claims: [Claim], scopes: [String]?)
  /// A JWT authorizer of a REST API: claims keep their types.
  case restJWT(claims: [Claim])
  /// A Cognito authorizer of a REST API.
  case userPool(claims: [Claim])
  case signature(SignedCaller)

  package struct Claim: Equatable, Sendable {
    package let name: String
    /// The value in `$context`.
    package let value: String
    /// The value in events; `nil` for the same string.
    var tree: JSONTree?
  }

  /// The claims of a token; none of a signature.
  package var claims: [Claim] {
    switch self {
    case .jwt(let claims, _), .restJWT(let claims), .userPool(let claims): claims
    case .signature: []
    }
  }

  /// The values of `$context.authorizer.…`.
  var variables: [String: String] {
    Dictionary(claims.map { ("claims." + $0.name, $0.value) }) { _, last in last }
  }

  /// `requestContext.authorizer` of REST APIs and payload 1.0; `nil` for signed requests, whose caller is in
  /// `requestContext.identity`.
  var textContext: JSONTree? {
    switch self {
    case .jwt(let claims, let scopes): Self.context(claims, scopes)
    case .restJWT(let claims), .userPool(let claims): .members(["claims": Self.tree(claims)])
    case .signature: nil
    }
  }

  /// `requestContext.authorizer` of payload 2.0.
  var typedContext: JSONTree {
    switch self {
    case .jwt(let claims, let scopes): .members(["jwt": Self.context(claims, scopes)])
    case .restJWT(let claims), .userPool(let claims): .members(["jwt": Self.context(claims, nil)])
    case .signature(let caller): .members(["iam": caller.context])
    }
  }

  private static func context(_ claims: [Claim], _ scopes: [String]?) -> JSONTree {
    .members([
      "claims": tree(claims), "scopes": scopes.map { JSONTree.array($0.map { .string($0) }) } ?? .null,
    ])
  }

  private static func tree(_ claims: [Claim]) -> JSONTree {
    .object(claims.map { .init(name: $0.name, value: $0.tree ?? .string($0.value)) })
  }
}

package struct SignedCaller: Equatable, Sendable {
  let accessKey: String
  let account: String
  let userID: String
  let userName: String
  let userARN: String

  /// The user of the development credentials.
  init(accessKey: String, partition: String, account: String) {
    self.accessKey = accessKey
    self.account = account
    userID = "LOCALDEVELOPMENTUSER"
    userName = "development"
    userARN = "arn:\(partition):iam::\(account):user/\(userName)"
  }

  /// The members of `requestContext.identity` and `$context.identity` that a signed request has.
  var identity: [String: String] {
    [
      "accessKey": accessKey, "accountId": account, "caller": userID, "user": userID, "userArn": userARN,
    ]
  }

  /// `requestContext.authorizer.iam`.
  fileprivate var context: JSONTree {
    .members([
      "accessKey": .string(accessKey), "accountId": .string(account), "callerId": .string(userID),
      "cognitoIdentity": .null,
      // The text that AWS sends for an account without an organization.
      "principalOrgId": .string("aws:PrincipalOrgID"),
      "userArn": .string(userARN), "userId": .string(userID),
    ])
  }
}
