internal import Text

/// A condition key that API Gateway documents ("AWS condition keys that can be used in API Gateway resource policies").
///
/// AWS has no such page for authorizer policies; whether API Gateway evaluates the keys there too is not documented.
package struct ConditionKey: Equatable, Sendable {
  /// The key in AWS's spelling; names are not case-sensitive.
  package let name: String
  package let kind: Kind
  let presence: Presence
  /// Whether a request can have several values for the key.
  package let isMultivalued: Bool

  /// The type of its values, which decides the operators that apply.
  package enum Kind: Equatable, Sendable {
    case text, arn, address, boolean, number, date
    /// `aws:EpochTime`, for date and numeric operators.
    case epoch
  }

  enum Presence: Equatable, Sendable {
    case always
    /// If the client sent it, or if the API is private.
    case sometimes
    /// Only in requests signed with IAM credentials, which a Lambda authorizer never sees.
    case signedRequestsOnly
  }
}

extension ConditionKey {
  /// Creates the key of this name; `nil` for one that API Gateway does not document.
  package init?(_ text: String) {
    let lower = text.lowercased()
    if let tag = Self.tagPrefix(of: lower) {
      self.init(
        name: Self.tagKeys + text.dropFirst(bytes: tag.utf8.count), kind: .text,
        presence: .signedRequestsOnly,
        isMultivalued: false)
      return
    }
    guard let row = Self.table.first(where: { $0.name.lowercased() == lower }) else { return nil }
    self.init(
      name: row.name, kind: row.kind, presence: row.presence,
      isMultivalued: row.name == "aws:PrincipalOrgPaths")
  }

  private static let tagKeys = "aws:PrincipalTag/"

  private static func tagPrefix(of lower: String) -> String? {
    let prefix = tagKeys.lowercased()
    return lower.rest(after: prefix)?.isEmpty == false ? prefix : nil
  }

  private static let table: [(name: String, kind: Kind, presence: Presence)] = [
    ("aws:CurrentTime", .date, .always), ("aws:EpochTime", .epoch, .always),
    ("aws:SecureTransport", .boolean, .always), ("aws:SourceIp", .address, .always),
    ("aws:Referer", .text, .sometimes), ("aws:UserAgent", .text, .sometimes),
    ("aws:SourceArn", .arn, .sometimes), ("aws:SourceVpc", .text, .sometimes),
    ("aws:SourceVpce", .text, .sometimes), ("aws:VpcSourceIp", .address, .sometimes),
    ("aws:TokenIssueTime", .date, .signedRequestsOnly),
    ("aws:MultiFactorAuthPresent", .boolean, .signedRequestsOnly),
    ("aws:MultiFactorAuthAge", .number, .signedRequestsOnly),
    ("aws:PrincipalAccount", .text, .signedRequestsOnly), ("aws:PrincipalArn", .arn, .signedRequestsOnly),
    ("aws:PrincipalOrgID", .text, .signedRequestsOnly),
    ("aws:PrincipalOrgPaths", .text, .signedRequestsOnly),
    ("aws:PrincipalType", .text, .signedRequestsOnly), ("aws:userid", .text, .signedRequestsOnly),
    ("aws:username", .text, .signedRequestsOnly),
  ]

  package static var names: [String] { table.map(\.name) + [tagKeys + "TAG"] }
}
