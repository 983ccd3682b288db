internal import ArgumentParser
internal import Foundation
internal import TestTokens

struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Writes a new project: template, configuration, events with expectations, and a CI workflow.",
    discussion: """
      --for selects the API of the template:
        http       an HTTP API with the routes GET /me and GET /admin
        rest       a REST API with the same routes
        websocket  a WebSocket API
        sign-in    an HTTP API and Sign in with Apple: users and revocation in a DynamoDB table

      The command creates the folder if it does not exist. It never changes a file: if one of its files exists, it \
      lists all of them and writes nothing.

      --issuer, --audience and --keys are the short form of authorizer.json. Without them the project accepts tokens \
      of Sign in with Apple for com.example.app. Change authorizer.json later as you need.

      Examples:
        authorizer-local init demo
        authorizer-local init --for rest --issuer auth0:example.eu.auth0.com --audience https://api.example.com api
        authorizer-local init --for sign-in --audience com.example.journal app

      Then, in the new folder:
        authorizer-local doctor && authorizer-local test && authorizer-local serve

      Exit codes: 0 written, 64 usage error or a file exists, 69 the starter files are missing. Unless the exit code \
      is 0, nothing was written.
      """)

  @Argument(help: "Folder of the project; . for this one.")
  var directory: String

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("Kind of project: http, rest, websocket or sign-in.", valueName: "kind"))
  var kindName = StarterKind.http.rawValue

  @Option(
    help: ArgumentHelp(
      "Issuer of the tokens: a preset, such as auth0:example.eu.auth0.com, or an https issuer. Default: apple.",
      valueName: "issuer"))
  var issuer: String?

  @Option(
    help: ArgumentHelp(
      "Accepted audiences, separated by commas. Default for apple: \(StarterIssuer.sampleAudience).",
      valueName: "audiences"))
  var audience: String?

  @Option(help: ArgumentHelp("Address of the key set. Required for an https issuer.", valueName: "url"))
  var keys: String?

  func validate() throws {
    if directory.isEmpty { throw ValidationError("name a folder, such as demo") }
  }

  func run() throws {
    guard let kind = StarterKind(rawValue: kindName) else {
      throw CommandFailure(
        .usage, "--for: there is no kind \(kindName)",
        hint: NearestName.hint(for: kindName, among: StarterKind.allCases.map(\.rawValue)))
    }
    let chosen = try StarterIssuer(issuer, audience: audience, keys: keys)
    let files = NewFiles(in: directory, try Starter(kind, chosen).files)
    try files.write()
    Terminal.answer("wrote \(kind.title) with \(chosen.title) to \(directory):")
    for file in files.files { Terminal.answer("  \(file.path)") }
    if let root = Self.repository(around: files.folder) {
      Terminal.note(
        "note: GitHub reads workflows only in the root of a repository: move .github to \(root), and set the working"
          + " directory of its job")
    }
    Terminal.answer("next:")
    for command in Self.commands(in: files.folder) { Terminal.answer("  \(command)") }
  }

  /// Returns the next commands, for a shell.
  ///
  /// - Parameter folder: the absolute path of the folder that was written. The path that the user gave may lead
  ///   elsewhere in a shell, which follows links before `..`.
  private static func commands(in folder: String) -> [String] {
    let called = CommandLine.arguments.first ?? "authorizer-local"
    // A relative path would be wrong in the new folder.
    let program = ShellWord.quoted(called.contains("/") ? FileSystem.absolute(called) : called)
    let next = ["doctor", "test", "serve"].map { "\(program) \($0)" }
    let here = FileSystem.absolute(FileSystem.currentDirectory)
    if folder == here { return next }
    guard folder.hasPrefix(here + "/") else { return ["cd \(ShellWord.quoted(folder))"] + next }
    let name = String(folder.dropFirst(here.count + 1))
    // A shell may interpret the first character, as in "-" and "+1".
    let isName = name.utf8.first.map { ShellWord.isPlain($0) && !"%+,-:=@".utf8.contains($0) } ?? false
    return ["cd \(ShellWord.quoted(isName ? name : "./" + name))"] + next
  }

  /// Returns the root of the repository that contains a folder; `nil` if the folder is the root, or in none.
  private static func repository(around folder: String) -> String? {
    guard let top = FileSystem.upwards(from: folder).last, top != folder, FileSystem.exists(top + "/.git")
    else { return nil }
    return top
  }
}
