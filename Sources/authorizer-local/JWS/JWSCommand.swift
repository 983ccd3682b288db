internal import ArgumentParser
internal import Foundation
internal import JOSE
internal import JSON

struct JWSCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "jws",
    abstract: "Verifies signatures of JWS.",
    discussion: """
      Example:
        authorizer-local jws verify --jwks apple.json tokens.txt
      """,
    subcommands: [Verify.self])

  struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Verifies signatures only: reads one token per line, prints one line of JSON for each.",
      discussion: """
        Reads compact JWS (RFC 7515 section 7.1) and prints {"valid":true} or {"valid":false,"reason":"…"} for each, \
        in order and without delay. Claims are not checked; explain makes all checks.

        Examples:
          authorizer-local token good | authorizer-local jws verify --jwks "$(authorizer-local keys make)"
          authorizer-local jws verify --jwks apple.json --algorithm RS256 tokens.txt
          authorizer-local jws verify --secret-env JWT_SECRET --algorithm HS256 tokens.txt

        Exit codes: 0 all are valid, 1 at least one is not, 64 the keys or the file cannot be read, \
        or there is no token.
        """)

    @Argument(help: "File with one token per line, or - for standard input.")
    var file = "-"

    @Option(help: ArgumentHelp("Key set to verify with.", valueName: "file"))
    var jwks: String?

    @Option(
      help: ArgumentHelp(
        "Secret to verify with: the bytes of the file, without a line break at the end.", valueName: "file"))
    var secretFile: String?

    @Option(
      help: ArgumentHelp("Environment variable that contains the secret to verify with.", valueName: "name"))
    var secretEnv: String?

    @Option(
      help: "Accepted algorithm. Required for a secret, optional for a key set. Repeatable.")
    var algorithm: [String] = []

    func validate() throws {
      guard [jwks, secretFile, secretEnv].count(where: { $0 != nil }) == 1 else {
        throw ValidationError("give exactly one of --jwks, --secret-file and --secret-env")
      }
      for name in algorithm where Algorithm(rawValue: name) == nil {
        let known = Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("--algorithm must be one of \(known), found \(name)")
      }
      if jwks == nil, algorithm.isEmpty {
        throw ValidationError("a secret needs its --algorithm: HS256, HS384 or HS512")
      }
    }

    func run() throws {
      var verification = SignatureVerification(
        material: try material(), only: algorithm.compactMap { Algorithm(rawValue: $0) })
      var reader = LineReader(try FileSystem.reading(file), limit: CompactJWS.maximumBytes)
      var output = LineOutput()
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
      if !areAllValid { throw CommandExit.unmet.exit }
    }

    private func material() throws(CommandFailure) -> VerificationMaterial {
      if let jwks {
        let keys = try KeySetFile.read(jwks)
        KeySetFile.note(keys.unusable, of: jwks)
        return .keys(keys)
      }
      let bytes = try secretBytes()
      do throws(SharedSecret.Flaw) {
        return .secret(try SharedSecret(bytes, for: algorithm.compactMap { Algorithm(rawValue: $0) }))
      } catch {
        throw CommandFailure(.usage, "the secret cannot be used: " + error.description)
      }
    }

    private func secretBytes() throws(CommandFailure) -> [UInt8] {
      if let secretFile {
        var bytes = try FileSystem.bytes(at: secretFile)
        if bytes.last == 0x0A { bytes.removeLast() }
        if bytes.last == 0x0D { bytes.removeLast() }
        return bytes
      }
      let name = secretEnv ?? ""
      guard let text = ProcessInfo.processInfo.environment[name], !text.isEmpty else {
        throw CommandFailure(.usage, "the variable \(name) is not set", hint: "export it first")
      }
      return Array(text.utf8)
    }
  }
}

/// Verifies the signatures of JWS, and nothing about their content.
struct SignatureVerification {
  private let material: VerificationMaterial
  private let algorithms: [Algorithm]
  private var checker = SignatureChecker()

  /// - Parameter only: the accepted algorithms among those of the material; empty for all of them.
  init(material: VerificationMaterial, only: [Algorithm]) {
    self.material = material
    let fitting: [Algorithm] =
      switch material {
      case .keys(let keys): keys.keys.flatMap(\.algorithms)
      case .secret(let secret): secret.algorithms
      }
    algorithms =
      only.isEmpty
      ? fitting : fitting.filter { algorithm in only.contains { $0.isSameSignature(as: algorithm) } }
  }

  /// Returns why the signature of a line is invalid; `nil` if it is valid.
  mutating func rejection(of line: LineReader.Line) -> TokenRejection.Code? {
    guard case .text(let text) = line else { return .malformedToken }
    do throws(TokenRejection) {
      try check(text)
      return nil
    } catch {
      return error.code
    }
  }

  private mutating func check(_ text: [UInt8]) throws(TokenRejection) {
    let jws = try CompactJWS(parsing: text)
    guard algorithms.contains(where: { $0.isSameSignature(as: jws.header.algorithm) }) else {
      throw .algorithmNotAllowed(found: jws.header.algorithm.rawValue)
    }
    switch material {
    case .keys(let keys):
      guard let key = keys.key(for: jws.header) else { throw .unknownKey }
      guard checker.verifies(jws, with: key) else { throw .signatureMismatch }
    case .secret(let secret):
      guard checker.verifies(jws, with: secret) else { throw .signatureMismatch }
    }
  }
}
