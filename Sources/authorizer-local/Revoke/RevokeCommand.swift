internal import ArgumentParser

struct RevokeCommand: LocalCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke",
    abstract: "Withdraws the tokens of a user, of a session, or one token, before they expire.",
    discussion: """
      Writes to the table or file of "revocation" in the configuration, and prints how long answers may still be \
      cached, and the commands that empty the caches of API Gateway. The table needs AWS_REGION and credentials in \
      the environment, with the rights dynamodb:UpdateItem and, to undo, dynamodb:DeleteItem.

      A user's tokens are refused if they were issued until --at; sessions, tokens and lineages always. In a \
      file that the identity function writes, --undo holds only until its next write.

      Examples:
        authorizer-local revoke --issuer acme --sub 4711 --config authorizer.json
        authorizer-local revoke --issuer acme --sid 08a5019c --config authorizer.json --table revocations
        authorizer-local revoke --issuer acme --sub 4711 --config authorizer.json --undo

      Exit codes: 0 written, 1 the configuration does not look it up (withdrawalNotLookedUp), 64 an option or file is \
      wrong, 69 the table cannot be written.
      """)

  @Option(help: ArgumentHelp("Name of the issuer in the configuration.", valueName: "name"))
  var issuer: String

  @Option(help: "Claim of the user.")
  var sub: String?

  @Option(help: "Claim of the session.")
  var sid: String?

  @Option(help: "Claim of the token.")
  var jti: String?

  @Option(help: "Claim of all tokens from one login, as Cognito writes it.")
  var originJti: String?

  @Option(help: ArgumentHelp("Configuration of the authorizer.", valueName: "file"), completion: .file())
  var config: String

  @Option(
    parsing: .unconditional,
    help:
      "Time of the event: 2026-11-21T10:00:00Z, -10m or, to lock a user out until then, +1d. Default: now.")
  var at: String?

  @Option(help: "File to write instead of the configured store.", completion: .file())
  var file: String?

  @Option(help: ArgumentHelp("Table to write instead of the configured store.", valueName: "name"))
  var table: String?

  @Option(help: "Region of the table. Default: that of the configuration, else AWS_REGION.")
  var region: String?

  @Flag(help: "Deletes the withdrawal.")
  var undo = false

  func run(on machine: Machine) throws { try RevokeRun(command: self, machine: machine).run() }
}
