/// A DynamoDB table that a configuration names.
package struct DeployedTable: Equatable, Sendable {
  /// `table`.
  package let name: String
  /// `region`; `nil` for the function's own region.
  package let region: String?

  package init(name: String, region: String?) {
    self.name = name
    self.region = region
  }
}
