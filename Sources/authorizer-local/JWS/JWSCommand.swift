internal import ArgumentParser
internal import JOSE

struct JWSCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "jws",
    abstract: "Verifies signatures of JWS.",
    discussion: """
      Example:
        authorizer-local jws verify --jwks apple.json tokens.txt
      """,
    subcommands: [Verify.self])

  struct Verify: LocalCommand {
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

    @Argument(help: "File with one token per line, or - for standard input.", completion: .file())
    var file = "-"

    @Option(help: ArgumentHelp("Key set to verify with.", valueName: "file"), completion: .file())
    var jwks: String?

    @Option(
      help: ArgumentHelp(
        "Secret to verify with: the bytes of the file, without a line break at the end.", valueName: "file"),
      completion: .file())
    var secretFile: String?

    @Option(
      help: ArgumentHelp("Environment variable that contains the secret to verify with.", valueName: "name"))
    var secretEnv: String?

    @Option(
      help: "Accepted algorithm. Required for a secret, optional for a key set. Repeatable.")
    var algorithm: [String] = []

    func options() throws(CommandFailure) -> JWSOptions {
      var algorithms: [Algorithm] = []
      let keys: [JWSOptions.Keys] = [
        jwks.map { .set($0) }, secretFile.map { .secretFile($0) }, secretEnv.map { .secretVariable($0) },
      ].compactMap { $0 }
      guard keys.count == 1 else {
        throw CommandFailure(options: "give exactly one of --jwks, --secret-file and --secret-env")
      }
      for name in algorithm {
        guard let known = Algorithm(rawValue: name) else {
          let names = Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
          throw CommandFailure(options: "--algorithm must be one of \(names), found \(name)")
        }
        algorithms.append(known)
      }
      if jwks == nil, algorithm.isEmpty {
        throw CommandFailure(options: "a secret needs its --algorithm: \(Algorithm.symmetricNames)")
      }
      return JWSOptions(file: file, keys: keys[0], algorithms: algorithms)
    }

    func run(on machine: Machine) throws {
      try JWSRun(options: try options(), machine: machine).run()
    }
  }
}
