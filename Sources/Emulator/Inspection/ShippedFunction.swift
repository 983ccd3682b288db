internal import Foundation

/// The functions of this project, each of which is the `bootstrap` of a package of its own.
public enum ShippedFunction: String, Sendable, CaseIterable {
  /// It says who may enter.
  case authorizer
  /// It signs users in.
  case identity

  /// Its configuration in the folder of the deployment.
  public var fileName: String { rawValue + ".json" }

  /// The variable that names another configuration, or holds it.
  public var variable: String {
    switch self {
    case .authorizer: "AUTHORIZER_CONFIG"
    case .identity: "IDENTITY_CONFIG"
    }
  }

  /// The variables, one of which configures it where the file is not there.
  public var configuringVariables: [String] {
    switch self {
    case .authorizer: [variable, "AUTHORIZER_ISSUER"]
    case .identity: [variable]
    }
  }

  /// Which of them a package holds: by its configuration, else by a text that only the one program has.
  public init(of package: DeploymentPackage) {
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

/// A table of DynamoDB that a configuration names.
public struct DeployedTable: Equatable, Sendable {
  /// `table`.
  public let name: String
  /// `region`; `nil` for the function's own.
  public let region: String?

  /// A table.
  public init(name: String, region: String?) {
    self.name = name
    self.region = region
  }
}

extension TemplateFunction {
  /// What `build-IdentityFunction` of the Makefile builds.
  static let identityName = "IdentityFunction"

  /// Whether it signs users in: by its name, or because it is configured to.
  public var signsIn: Bool {
    name == Self.identityName || variables[ShippedFunction.identity.variable] != nil
  }
}

extension GatewayTemplate {
  /// Names of the functions that sign users in, in the order of their names.
  public var identityFunctions: [String] {
    functions.values.filter { $0.signsIn && !authorizerFunctions.contains($0.name) }.map(\.name).sorted()
  }
}
