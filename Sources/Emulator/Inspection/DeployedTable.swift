/// A DynamoDB table that a configuration names.
public struct DeployedTable: Equatable, Sendable {
  /// `table`.
  public let name: String
  /// `region`; `nil` for the function's own region.
  public let region: String?

  /// Creates a table.
  public init(name: String, region: String?) {
    self.name = name
    self.region = region
  }
}
