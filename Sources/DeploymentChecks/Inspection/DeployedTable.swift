/// A DynamoDB table that a configuration names.
package struct DeployedTable: Equatable, Sendable {
  /// `table`.
  package let name: String
  /// `region`; `nil` for the function's own region.
  package let region: String?
  /// Whether an authorizer reads several of its items together.
  package let readsBatches: Bool

  package init(name: String, region: String?, readsBatches: Bool = false) {
    self.name = name
    self.region = region
    self.readsBatches = readsBatches
  }

  /// The right by which an authorizer looks up revocations in it (docs/dynamodb.md).
  var lookup: TableAction {
    readsBatches ? TableAction("dynamodb:BatchGetItem", key: "revocation#") : Self.single
  }

  /// The rights that an authorizer may have for it. A version with another configuration, to which a deployment is
  /// rolled back, reads single items, which are the same.
  var lookups: [TableAction] { readsBatches ? [lookup, Self.single] : [lookup] }

  private static let single = TableAction("dynamodb:GetItem", key: "revocation#")
}
