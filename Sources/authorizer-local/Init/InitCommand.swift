internal import Text
internal import ArgumentParser
internal import TestTokens

struct InitCommand: LocalCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Writes a new project: template, configuration, events with expectations, and a CI workflow.",
    discussion: """
      --for selects the API of the template:
        http       an HTTP API with the routes GET /me and GET /orders
        rest       a REST API with the same routes
        websocket  a WebSocket API
        sign-in    an HTTP API and Sign in with Apple: users and revocation in a DynamoDB table
        mcp        a REST API with an MCP server in Python, to which MCP clients log their users in
        capture    no API: two files, for Node.js and Python, with which another authorizer writes its events

      The command creates the folder if it does not exist. It never changes a file: if one of its files exists, it \
      lists all of them and writes nothing. A .gitignore of yours is kept.

      --issuer, --audience and --keys are the short form of authorizer.json. Without them the project accepts tokens \
      of Sign in with Apple for com.example.app, and with --for mcp those of an example issuer. Change authorizer.json \
      later as you need.

      Examples:
        authorizer-local init demo
        authorizer-local init --for rest --issuer auth0:example.eu.auth0.com --audience https://api.example.com api
        authorizer-local init --for sign-in --audience com.example.journal app

      Then, in the new folder:
        authorizer-local doctor && authorizer-local test && authorizer-local serve

      Exit codes: 0 written, 64 usage error or a file exists, 69 the starter files are missing. Unless the exit code \
      is 0, nothing was written.
      """)

  @Argument(help: "Folder of the project; . for this one.", completion: .directory)
  var directory: String?

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("Kind of project: http, rest, websocket, sign-in, mcp or capture.", valueName: "kind"),
    completion: .list(StarterKind.allCases.map(\.rawValue)))
  var kindName = StarterKind.http.rawValue

  @Option(
    help: ArgumentHelp(
      "A preset, such as auth0:example.eu.auth0.com, or an https issuer. Default: apple.",
      valueName: "issuer"))
  var issuer: String?

  @Option(
    help: ArgumentHelp(
      "Accepted audiences, separated by commas. Default for apple: \(StarterIssuer.sampleAudience).",
      valueName: "audiences"))
  var audience: String?

  @Option(help: ArgumentHelp("Address of the key set. Required for an https issuer.", valueName: "url"))
  var keys: String?

  func run(on machine: Machine) throws {
    guard let kind = StarterKind(rawValue: kindName) else {
      throw CommandFailure(
        .usage, "--for: there is no kind \(kindName)",
        hint: NearestName.hint(for: kindName, among: StarterKind.allCases.map(\.rawValue)))
    }
    guard let directory, !directory.isEmpty else {
      throw CommandFailure(
        .usage, "name a folder for the project",
        hint: "for example authorizer-local init --for \(kind.rawValue) demo, or . for this folder")
    }
    guard kind.isProject || [issuer, audience, keys].allSatisfy({ $0 == nil }) else {
      throw CommandFailure(options: "--for capture has no issuer: omit --issuer, --audience and --keys")
    }
    let isSample = kind == .mcp && [issuer, audience, keys].allSatisfy { $0 == nil }
    let starter = isSample ? kind.sample : try StarterIssuer(issuer, audience: audience, keys: keys)
    try InitRun(directory: directory, kind: kind, issuer: starter, machine: machine).run()
  }
}
