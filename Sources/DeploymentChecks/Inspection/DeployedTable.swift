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
    TableAction(readsBatches ? "dynamodb:BatchGetItem" : "dynamodb:GetItem", key: "revocation#")
  }
}
