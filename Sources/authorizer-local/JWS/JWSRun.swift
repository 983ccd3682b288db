internal import Bytes
internal import JOSE

/// What `jws verify` is told on the command line.
struct JWSOptions: Sendable {
  /// The file with one token per line; `-` is standard input.
  var file = "-"
  var keys: Keys
  /// The accepted algorithms; none for all those of a key set.
  var algorithms: [Algorithm] = []

  /// What signatures are verified with.
  enum Keys: Sendable {
    /// A file with a key set.
    case set(String)
    /// A file whose bytes are the secret.
    case secretFile(String)
    /// A variable that contains the secret.
    case secretVariable(String)
  }
}

/// One run of `jws verify`: prints a line of JSON for each line with a token.
struct JWSRun {
  let options: JWSOptions
  let machine: Machine

  /// - Throws: `CommandFailure` if nothing can be verified, and `CommandExit` if a signature is invalid.
  func run() throws {
    var verification = SignatureVerification(
      material: try material(), only: options.algorithms)
    var reader = LineReader(try machine.files.reading(options.file), limit: CompactJWS.maximumBytes)
    var output = LineOutput(machine.terminal)
    var areAllValid = true
    var count = 0
    while output.isRead, let line = try reader.next(beforeWaiting: { output.flush() }) {
      let reason = verification.rejection(of: line)
      count += 1
      areAllValid = areAllValid && reason == nil
      output.add(reason.map { #"{"valid":false,"reason":"\#($0.rawValue)"}"# } ?? #"{"valid":true}"#)
    }
    output.flush()
    // An empty input must fail: in a pipe, the command before may have failed.
    guard count > 0 else {
      throw CommandFailure(
        .usage, "there is no token to check", hint: "pipe tokens in, or give a file with one token per line"
      )
    }
    if !areAllValid { throw CommandExit.unmet }
  }

  private func material() throws(CommandFailure) -> VerificationMaterial {
    if case .set(let path) = options.keys {
      let keys = try KeySetFile.read(path, on: machine)
      KeySetFile.note(keys.unusable, of: path, on: machine.terminal)
      return .keys(keys)
    }
    let bytes = try secretBytes()
    do throws(SharedSecret.Flaw) {
      return .secret(try SharedSecret(bytes, for: options.algorithms))
    } catch {
      throw CommandFailure(.usage, "the secret cannot be used: " + error.description)
    }
  }

  private func secretBytes() throws(CommandFailure) -> [UInt8] {
    switch options.keys {
    case .set: return []
    case .secretFile(let path):
      var bytes = try machine.files.bytes(at: path)
      if bytes.last == .lineFeed { bytes.removeLast() }
      if bytes.last == .carriageReturn { bytes.removeLast() }
      return bytes
    case .secretVariable(let name):
      guard let text = machine.environment[name], !text.isEmpty else {
        throw CommandFailure(.usage, "the variable \(name) is not set", hint: "export it first")
      }
      return Array(text.utf8)
    }
  }
}
