internal import LambdaEmulator
internal import AuthorizerContract
internal import Templates
internal import JSON

/// Starts a packaged identity function, as `PackageTrial` starts the authorizer.
struct IdentityTrial {
  /// Path of the package.
  let archive: String
  /// An API Gateway request event; `nil` for a request for a nonce.
  let start: StartingEvent?
  /// Starts the program; `nil` to start it directly.
  let emulator: EmulatorCommand?
  let machine: Machine

  /// - Throws: `CommandExit` if the function does not answer as expected.
  func run(_ configuration: PackagedConfiguration) async throws {
    let folder = try FunctionPackage.folder(of: archive, machine.files)
    let name = start?.path ?? "POST /auth/nonce"
    let body = start?.bytes ?? Array(Self.nonceRequest.utf8)
    let development = try development()
    try await send(body, named: name, in: folder, development, "with development keys")
    guard configuration.isThere else { return }
    // SQLite would create a database on this machine, at the path of the deployment.
    guard configuration.table != nil else {
      return machine.terminal.answer(
        "not started with its own configuration, which would store users on this machine's disk")
    }
    try await send(body, named: name, in: folder, configuration.standIns, "with its own configuration")
  }

  /// A request that needs no key and no table.
  private static let nonceRequest = """
    {"version":"2.0","routeKey":"POST /auth/nonce","rawPath":"/auth/nonce","headers":{},"requestContext":\
    {"http":{"method":"POST","path":"/auth/nonce"},"stage":"$default"},"isBase64Encoded":false}
    """

  /// Returns a configuration that issues nonces and stores users in the package's folder, which is removed
  /// afterwards.
  private func development() throws(CommandFailure) -> [String: String] {
    let secret = "IDENTITY_NONCE_SECRET"
    let configuration = JSONTree.members([
      "audiences": .array([.string("com.example.app")]),
      "keys": .members([
        "seed": .string(try machine.development.keySetPath()), "pinned": .boolean(true),
      ]),
      "nonce": .members(["secret": .members(["environment": .string(secret)])]),
      "store": .members(["sqlite": .members(["path": .string("identity.sqlite3")])]),
    ])
    return [
      "AUTHORIZER_DEVELOPMENT": "1", secret: LocalSecrets.secret,
      ShippedFunction.identity.variable: String(decoding: configuration.bytes(), as: UTF8.self),
    ]
  }

  private func send(
    _ body: [UInt8], named name: String, in folder: String, _ variables: [String: String],
    _ circumstance: String
  ) async throws {
    let found = try await PackageTrial.outcome(
      of: body, named: name, in: folder, variables, emulator, on: machine)
    guard case .response(let bytes) = found.result.answer,
      let status = (try? JSONTree(parsing: bytes))?.integer("statusCode"), status < 500
    else {
      found.showLog(on: machine.terminal)
      machine.terminal.error(
        "started \(circumstance), but \(name) was not answered", hint: found.evaluation.explanation)
      throw found.exitWhenUnmet
    }
    machine.terminal.answer(
      "started \(circumstance): \(name) returned \(status), \(found.result.microseconds) µs")
  }
}
