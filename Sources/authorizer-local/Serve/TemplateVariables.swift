internal import LambdaEmulator

/// The variables of a template's function for a program that is not the template's own.
///
/// On Lambda they take effect in the author's own sandbox. Here the program runs with the user's rights, and the
/// template may be a stranger's. Loaders, interpreters, version managers and build tools each have variables that decide
/// what a program loads, so no list of them is complete: without the user's trust, none is passed on.
struct TemplateVariables: Equatable {
  /// Which program gets the variables.
  enum Receiver: CaseIterable {
    /// `bootstrap` or `identity` of this project, or a program in place of one. It gets the variables that configure
    /// these functions: they read them as data, and `serve` checks the files that they name.
    case shippedFunction
    /// A command or a handler of the user.
    case program
  }

  /// The variables that the program gets.
  let kept: [String: String]
  /// The names of the variables that it does not get, sorted.
  let leftOut: [String]
  private let isTrusted: Bool

  /// - Parameter isTrusted: whether the user trusts the template. The program then gets what a handler of the template
  ///   gets.
  init(_ variables: [String: String], for receiver: Receiver, isTrusted: Bool) {
    let kept: [String: String] =
      if isTrusted {
        HandlerFunction.allowed(variables)
      } else if receiver == .shippedFunction {
        variables.filter { Self.configuresShippedFunction($0.key) }
      } else {
        [:]
      }
    leftOut = variables.keys.filter { kept[$0] == nil }.sorted()
    (self.kept, self.isTrusted) = (kept, isTrusted)
  }

  private static func configuresShippedFunction(_ name: String) -> Bool {
    name.utf8.starts(with: "AUTHORIZER_".utf8) || name.utf8.elementsEqual("IDENTITY_CONFIG".utf8)
  }

  /// Returns a note that names what the function `name` does not get; none if it gets everything.
  ///
  /// - Parameter besides: the names of variables that it gets in another way.
  func notes(for name: String, besides: Set<String>) -> [String] {
    let names = leftOut.filter { !besides.contains($0) }
    guard !names.isEmpty else { return [] }
    let cure =
      isTrusted
      ? "Lambda reserves these names, or they lead an AWS SDK to credentials of this machine"
      : "--template-variables passes them on, if you trust the template"
    return [
      Printable.text(
        "\(name) runs without \(names.joined(separator: ", ")) of the template: \(cure); --env NAME=VALUE sets one"
      )
    ]
  }
}
