internal import Templates
internal import Foundation

extension ShippedFunction {
  /// Detects the function of a package, by its configuration file or else by a text that only `identity` contains.
  package init(of package: DeploymentPackage) {
    let files = Self.allCases.map { package.file($0.fileName) != nil }
    if files[0] != files[1] {
      self = files[0] ? .authorizer : .identity
    } else {
      let bytes = package.file("bootstrap").map { Data($0.bytes) }
      self = bytes?.range(of: Data(Self.identityRoute.utf8)) == nil ? .authorizer : .identity
    }
  }

  private static let identityRoute = "/auth/apple/notifications"
}
