import Foundation
import Testing

@testable import authorizer_local

/// The files that `serve` follows: what it has read or looked for, but not what it or a function writes.
@Suite struct FollowedFileTests {
  private static let template = """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Authorizer:
        Type: AWS::Serverless::Function
        Properties: { Runtime: provided.al2023, CodeUri: code }
      Api:
        Type: AWS::Serverless::Api
        Properties:
          StageName: prod
          Auth: { DefaultAuthorizer: Bearer, Authorizers: { Bearer: { FunctionArn: !GetAtt Authorizer.Arn } } }
          DefinitionBody: { "Fn::Transform": { Name: AWS::Include, Parameters: { Location: api.yaml } } }
    """

  private static let configuration =
    #"{"issuers":[{"issuer":"https://a.example","audiences":["a"],"algorithms":["HS256"],"keys":{"secret":{"file":"secret.txt"}}}],"#
    + #""revocation":{"file":"revoked.json"},"fetch":{"certificateAuthorities":"ca.pem"}}"#

  /// Returns the start of a session in the machine's folder.
  private static func start(_ recorded: RecordedMachine) throws -> ServeRun.Start {
    try recorded.addDevelopmentKeys()
    try recorded.write(template, to: "app/template.yaml")
    try recorded.write(
      "{ openapi: 3.0.1, paths: { /a: { get: { x-amazon-apigateway-integration: { type: mock } } } } }",
      to: "app/api.yaml")
    try recorded.write(configuration, to: "app/authorizer.json")
    try recorded.write(String(repeating: "s", count: 40), to: "app/secret.txt")
    try recorded.write("[]", to: "app/revoked.json")
    var options = ServeOptions()
    options.function.function = "/bin/true"
    return ServeRun.Start(options, "app/template.yaml", nil, on: recorded.machine)
  }

  @Test(arguments: [
    ("app/template.yaml", true), ("app/api.yaml", true), ("app/authorizer.json", true),
    ("app/secret.txt", true), ("app/ca.pem", true), ("app/identity.json", false),
    // The function reads it again and again.
    ("app/revoked.json", false),
    ("app/other.txt", false), (".development/keys.json", false), (".development/identity.sqlite3", false),
  ]) func aChangeIsNoticed(_ path: String, _ isFollowed: Bool) throws {
    let recorded = try RecordedMachine()
    let start = try Self.start(recorded)
    _ = try start.session.get()
    #expect(start.followed.changed == nil)
    try recorded.write("changed, and longer than before", to: path)
    let expected = recorded.machine.files.absolute(path)
    #expect(start.followed.changed == (isFollowed ? expected : nil))
  }

  /// A broken file is followed, and so is one that is missing.
  @Test(arguments: [("app/template.yaml", "Resources: ["), ("app/authorizer.json", "{")])
  func aBrokenFileIsFollowed(_ path: String, _ text: String) throws {
    let recorded = try RecordedMachine()
    _ = try Self.start(recorded)
    try recorded.write(text, to: path)
    var options = ServeOptions()
    options.function.function = "/bin/true"
    let start = ServeRun.Start(options, "app/template.yaml", nil, on: recorded.machine)
    #expect(throws: CommandFailure.self) { try start.session.get() }
    #expect(start.followed.changed == nil)
    try recorded.write("x", to: path)
    #expect(start.followed.changed == recorded.machine.files.absolute(path))
  }

  /// Code of a handler, and what a handler may write into its folder.
  @Test(arguments: [
    ("app.py", true), ("lib/b.mjs", true), ("data.json", true), ("bootstrap", true), ("ran", false),
    ("a.log", false), ("b.sqlite3", false), ("node_modules/c.js", false), ("__pycache__/d.py", false),
  ]) func onlyCodeCountsInAFolderOfCode(_ path: String, _ isFollowed: Bool) throws {
    let recorded = try RecordedMachine()
    try recorded.write("x", to: "code/index.js")
    let folders = WatchedFolders(ServeOptions(), code: [recorded.folder + "/code"], on: recorded.machine)
    let before = folders.stamps(recorded.machine.files)
    try recorded.write("x", to: "code/" + path)
    #expect((folders.stamps(recorded.machine.files) != before) == isFollowed)
  }
}
