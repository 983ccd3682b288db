internal import Bytes
internal import Text

/// A Cognito user pool.
package struct UserPool: Equatable, Sendable {
  /// The ID, such as `eu-central-1_Example01`.
  package let identifier: String
  /// The `iss` of its tokens (Amazon Cognito Developer Guide, "Verifying JSON web tokens").
  package let issuer: String

  /// Reads `arn:aws:cognito-idp:REGION:ACCOUNT:userpool/ID`; `nil` for any other text.
  package init?(arn: String) {
    let parts = arn.splitBytes(at: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 6, parts[0] == "arn", ["aws", "aws-us-gov"].contains(parts[1]),
      parts[2] == "cognito-idp", Self.isName(parts[3]), parts[5].hasBytePrefix("userpool/")
    else { return nil }
    let pool = String(parts[5].dropFirst(bytes: "userpool/".utf8.count))
    guard Self.isName(pool) else { return nil }
    identifier = pool
    issuer = "https://cognito-idp.\(parts[3]).amazonaws.com/\(pool)"
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { $0.isLetterOrDigit || $0 == .hyphen || $0 == .underscore }
  }
}

extension TokenAuthorizer {
  /// The issuers whose tokens it accepts.
  package func issuers(_ stageVariables: [String: String]) -> [String] {
    switch kind {
    case .jwt(let issuer, _): [issuer].filter { !$0.isEmpty }
    case .restJWT(let trust): trust.issuers.map(\.name)
    case .userPools(let arns):
      arns.compactMap { UserPool(arn: ParameterSource.filled($0, with: stageVariables))?.issuer }
    }
  }
}
