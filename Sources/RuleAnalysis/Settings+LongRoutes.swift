package import Authorizer

extension Settings {
  /// The bytes of the longest `arn:…:execute-api:…/stage/`: names of stages have at most 128 characters (API Gateway
  /// quotas).
  private static let longestStagePrefixBytes =
    "arn:aws-us-gov:execute-api:ap-southeast-1:123456789012:a1b2c3d4e5/".utf8.count + 128 + 1

  /// The routes whose patterns are longer than a `Resource` of a policy may be on a stage with the longest ARN. Those of
  /// grants are then left out of the policy.
  package var longRoutes: [String] {
    let routes = routes + (guests?.routes ?? [])
    let room = RoutePattern.maximumResourceBytes - Self.longestStagePrefixBytes
    return routes.filter { $0.widestPatterns.contains { $0.count > room } }.map(\.text)
  }
}
