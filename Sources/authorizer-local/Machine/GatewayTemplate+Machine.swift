internal import Templates

extension GatewayTemplate {
  /// Puts this project's authorizer in the place of the only Lambda authorizer, if that one is outside of the template,
  /// not taken by another program, and there is a configuration: the given one, or one in the template's folder.
  ///
  /// - Returns: the name of the function and the path of the configuration; `nil` if nothing was changed.
  mutating func adoptAuthorizer(
    configuredBy config: String?, in folder: String, on machine: Machine,
    unless isTaken: (String) -> Bool = { _ in false }
  ) -> (name: String, config: String)? {
    let beside = folder + "/" + ShippedFunction.authorizer.fileName
    guard let name = onlyExternalAuthorizer, !isTaken(name),
      let config = config ?? (machine.files.exists(beside) ? beside : nil)
    else { return nil }
    adoptAuthorizer()
    return (name, config)
  }
}
