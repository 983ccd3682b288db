internal import GatewayModel
internal import LambdaEmulator
internal import TestTokens

/// Prepares handlers in Python and Node.js for processes of this machine.
struct LocalHandlers {
  let machine: Machine
  /// The addresses that they get as the development key set.
  var keySets: [String] = []

  /// Returns how the handler of an option is run.
  ///
  /// - Throws: `CommandFailure` if it cannot run here.
  func function(_ option: HandlerOption) throws(CommandFailure) -> HandlerFunction {
    try Result { () throws(HandlerRefusal) in
      try function(HandlerSource(path: machine.files.absolute(option.path), symbol: option.symbol))
    }.mapError {
      CommandFailure(
        $0.isMistake ? .usage : .unavailable,
        Printable.text("--handler: \(option.path):\(option.symbol): \($0.problem)"), hint: $0.hint)
    }.get()
  }

  /// Returns how the handler of a template's function is run.
  ///
  /// - Parameter folder: the folder of the template.
  func function(_ function: TemplateFunction, in folder: String) throws(HandlerRefusal) -> HandlerFunction {
    try self.function(HandlerSource(function, in: folder, unpacked: Self.unpack(machine.files)))
  }

  private func function(_ source: HandlerSource) throws(HandlerRefusal) -> HandlerFunction {
    let loops: String
    let key: HandlerFunction.AccessKey
    let answered: AnsweredKeySets?
    do throws(CommandFailure) {
      let credentials = try machine.development.credentials()
      key = HandlerFunction.AccessKey(
        identifier: credentials.accessKeyID, secret: credentials.secretAccessKey)
      loops = try FunctionPackage.folder(
        holding: Dictionary(uniqueKeysWithValues: HandlerLoop.all.map { ($0.fileName, $0.text) }))
      answered =
        keySets.isEmpty
        ? nil : AnsweredKeySets(file: try machine.development.keySetPath(), addresses: keySets)
    } catch {
      throw .folder(problem: error.message)
    }
    machine.forgetVariables()
    return try HandlerFunction(
      source, loops: loops, inheriting: machine.environment, key: key, keySets: answered)
  }

  private static func unpack(
    _ files: FileSystem
  ) -> (HandlerSource.Packed) throws(HandlerRefusal) -> String {
    { (packed) throws(HandlerRefusal) in
      switch packed {
      case .archive(let path):
        try Result { () throws(CommandFailure) in
          try FunctionPackage.folder(of: path, startsBootstrap: false, files)
        }.mapError { HandlerRefusal.archive(path, problem: $0.message) }.get()
      case .inline(let text, let fileName):
        try Result { () throws(CommandFailure) in try FunctionPackage.folder(holding: [fileName: text]) }
          .mapError { HandlerRefusal.folder(problem: $0.message) }.get()
      }
    }
  }
}
