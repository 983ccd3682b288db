internal import Templates

/// What `package` is told on the command line.
struct PackageOptions: Sendable {
  /// The name of the function, its ZIP file and its configuration.
  var name = ShippedFunction.authorizer.rawValue
  /// The programs; `nil` for those of this release.
  var bootstrap: String?
  var fetchKeys: String?
  var callDynamoDB: String?
  /// The configuration; without it, variables configure the function.
  var config: String?
  /// The folder of key sets.
  var keys: String?
  /// The folder for the package.
  var output = "dist"
  /// The event that the packed function is started with.
  var event: String?
  /// The command line that starts the packed program.
  var emulator: String?

  /// The event of the authorizer if none is given.
  static let authorizerEvent = "events/rest-token-good.json"

  /// The function of this project with this name; `nil` for another function.
  var shipped: ShippedFunction? { ShippedFunction(rawValue: name) }
}
