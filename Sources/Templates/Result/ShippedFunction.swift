internal import Text
internal import GatewayModel

/// A function of this project. Each is the `bootstrap` of its own package.
package enum ShippedFunction: String, Sendable, CaseIterable {
  /// Authorizes requests.
  case authorizer
  /// Signs users in.
  case identity

  /// The name of its configuration file in the deployment folder.
  package var fileName: String { rawValue + ".json" }

  /// The variable that names another configuration file or contains the configuration.
  package var variable: String {
    switch self {
    case .authorizer: "AUTHORIZER_CONFIG"
    case .identity: "IDENTITY_CONFIG"
    }
  }

  /// The variables that can configure it without a file.
  package var configuringVariables: [String] {
    switch self {
    case .authorizer: [variable, "AUTHORIZER_ISSUER"]
    case .identity: [variable]
    }
  }

  /// The name of the function that `build-NAME` of the Makefile builds.
  package var resourceName: String {
    switch self {
    case .authorizer: "AuthorizerFunction"
    case .identity: "IdentityFunction"
    }
  }

  /// Finds the function that a resource is, by its name or its configuration variables, whatever invokes it.
  init?(resource name: String, hasVariable: (String) -> Bool) {
    func fits(_ function: ShippedFunction) -> Bool {
      name == function.resourceName || function.configuringVariables.contains(where: hasVariable)
    }
    // Variables of the authorizer do not make it of a sign-in function.
    if fits(.identity) {
      self = .identity
    } else if fits(.authorizer) {
      self = .authorizer
    } else {
      return nil
    }
  }
}

extension TemplateFunction {
  private var shipped: ShippedFunction? {
    if isAdopted { return .authorizer }
    return isExternal ? nil : ShippedFunction(resource: name) { variables[$0] != nil }
  }

  /// Whether this is the authorizer, by its name or its configuration variables, whatever invokes it.
  var isNamedAuthorizer: Bool { shipped == .authorizer }

  /// Whether it has the name or a variable of a function of this project.
  package var belongsToProject: Bool {
    signsIn || isNamedAuthorizer || variables.keys.contains { $0.hasBytePrefix("AUTHORIZER_") }
  }

  /// Whether this is the sign-in function, by its name or its configuration variable.
  package var signsIn: Bool { shipped == .identity }
}

extension GatewayTemplate {
  /// The names of the sign-in functions, sorted.
  package var identityFunctions: [String] {
    functions.values.filter { $0.signsIn && !authorizerFunctions.contains($0.name) }.map(\.name).sorted()
  }
}
