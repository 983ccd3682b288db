@testable import EmulatorTestSupport
import Templates
import Foundation
import Testing

@testable import authorizer_local

/// Which files a template may include, and what the commands say about templates that it names.
@Suite struct TemplateFilesTests {
  private static let paths = """
    /a: { get: { x-amazon-apigateway-integration: {
      type: http_proxy, httpMethod: GET, uri: "https://b.example/", payloadFormatVersion: "1.0" } } }
    """

  private static func template(_ location: String) -> String {
    """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Api:
        Type: AWS::Serverless::HttpApi
        Properties:
          DefinitionBody:
            paths: { Fn::Transform: { Name: AWS::Include, Parameters: { Location: '\(location)' } } }
    """
  }

  /// The template is `stack/template.yaml` of a repository.
  @Test(
    arguments: [
      ("paths.yaml", nil), ("./below/paths.yaml", nil), ("../api/paths.yaml", nil),
      ("../stack/paths.yaml", nil),
      (".hidden.yaml", nil), ("../api/absent.yaml", "it does not exist"), ("../api", "it does not exist"),
      ("../../outside.yaml", "it is outside of"), ("../../../../../../../../etc/passwd", "it is outside of"),
      ("/etc/passwd", "it is outside of"), ("../api/link.yaml", "it is outside of"),
      ("../links/outside.yaml", "it is outside of"), ("../.git/config", "it is hidden"),
      ("../.env", "it is hidden"), ("../.aws/paths.yaml", "it is hidden"),
      ("s3://bucket/paths.yaml", "is not on this machine"),
    ] as [(String, String?)])
  func filesOfTheRepositoryAreIncluded(_ location: String, _ problem: String?) async throws {
    let recorded = try RecordedMachine()
    let outside = recorded.folder + "/outside.yaml"
    for path in [
      "stack/paths.yaml", "stack/below/paths.yaml", "stack/.hidden.yaml", "api/paths.yaml", ".git/config",
      ".env", ".aws/paths.yaml",
    ] { try recorded.write(Self.paths, to: "top/" + path) }
    try recorded.write(Self.paths, to: "outside.yaml")
    let manager = FileManager.default
    let top = recorded.folder + "/top"
    try manager.createSymbolicLink(atPath: top + "/api/link.yaml", withDestinationPath: outside)
    try manager.createSymbolicLink(atPath: top + "/links", withDestinationPath: recorded.folder)
    try recorded.write(Self.template(location), to: "top/stack/template.yaml")
    let exit = await recorded.run("routes", "--template", "top/stack/template.yaml")
    if let problem {
      #expect(exit == 64)
      #expect(recorded.notes.contains(problem), "\(recorded.notes)")
      #expect(recorded.notes.contains("the file \(location) is not read"))
    } else {
      #expect(exit == 0, "\(recorded.notes)")
      #expect(recorded.answer.contains("GET /a"))
    }
  }

  /// Without a repository, and with one that has the user's whole home, the template's own folder is the limit.
  @Test(arguments: [
    (".git", "", [], true), (".git", "home", [], true), (".git", "", ["--include-root", "top/stack"], false),
    ("none", "", [], false), ("none", "", ["--include-root", "top"], true), (".git", "top", [], false),
    (".git", "top/me", [], false), (".git", "top", ["--include-root", "top"], true),
  ]) func theRootOfIncludedFiles(
    _ mark: String, _ home: String, _ options: [String], _ isRead: Bool
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "include-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let recorded = try RecordedMachine(home.isEmpty ? [:] : ["HOME": folder + "/" + home])
    let top = folder + "/top"
    for path in ["\(mark)/config", "api/paths.yaml"] { try recorded.write(Self.paths, to: "\(top)/\(path)") }
    try recorded.write(Self.template("../api/paths.yaml"), to: top + "/stack/template.yaml")
    let words = options.map { $0.hasPrefix("top") ? "\(folder)/\($0)" : $0 }
    let arguments = ["routes", "--template", top + "/stack/template.yaml"] + words
    let exit = await AuthorizerLocal.end(of: arguments, on: recorded.machine)
    #expect(exit == (isRead ? 0 : 64), "\(recorded.notes)")
    if !isRead { #expect(recorded.notes.contains("--include-root FOLDER")) }
  }

  // MARK: Resource policies

  @Test func routesNamesTheResourcePolicy() async throws {
    let recorded = try RecordedMachine()
    try recorded.write(
      """
      Transform: AWS::Serverless-2016-10-31
      Resources:
        Limited:
          Type: AWS::Serverless::Api
          Properties: { StageName: live, OpenApiVersion: 3.0.1, Auth: { ResourcePolicy: { IpRangeWhitelist: [127.0.0.1/32] } } }
        Open: { Type: AWS::Serverless::Api, Properties: { StageName: live, OpenApiVersion: 3.0.1 } }
        F:
          Type: AWS::Serverless::Function
          Properties:
            Runtime: python3.13
            Handler: a.b
            Events:
              A: { Type: Api, Properties: { RestApiId: !Ref Limited, Path: /a, Method: get } }
              B: { Type: Api, Properties: { RestApiId: !Ref Limited, Path: /b, Method: get, Auth: { ApiKeyRequired: true } } }
              C: { Type: Api, Properties: { RestApiId: !Ref Open, Path: /c, Method: get } }
      """, to: "template.yaml")
    #expect(await recorded.run("routes") == 0)
    let lines = recorded.answer.split(separator: "\n").map { line in
      line.split(separator: " ").joined(separator: " ")
    }
    #expect(
      lines.dropFirst() == [
        "Limited/live GET /a open + resource policy function:F",
        "Limited/live GET /b open + resource policy + API key function:F",
        "Open/live GET /c open function:F",
      ])
    let template = try GatewayTemplate(parsing: try recorded.text(of: "template.yaml"))
    let started = ServedAddresses(template: template, base: "http://127.0.0.1:1").lines
    #expect(started.first == "  http://127.0.0.1:1/Limited/live  GET /a  (no authorizer, resource policy)")
  }

  // MARK: Nested templates

  private static let nested = """
    Resources:
      It:
        Type: AWS::CloudFormation::Stack
        Properties: { TemplateURL: "it's/api.yaml", Parameters: { Stage: "a;b", Secret: !ImportValue x } }
      Plain: { Type: AWS::CloudFormation::Stack, Properties: { TemplateURL: api.yaml } }
      Far: { Type: AWS::CloudFormation::Stack, Properties: { TemplateURL: "https://s3.amazonaws.com/b/x.yaml" } }
    """

  /// A template whose APIs are nested names the commands that read them, for a shell.
  @Test(arguments: ["routes", "serve"]) func nestedTemplatesAreNamedWithTheirCommand(
    _ command: String
  ) async throws {
    let recorded = try RecordedMachine()
    try recorded.write(Self.nested, to: "stacks/root.yaml")
    #expect(await recorded.run(command, "--template", "stacks/root.yaml") == 64)
    let problem = "whose APIs are not read with this one"
    for line in [
      "stacks/root.yaml:2: Resources.It: is a nested template, it's/api.yaml, \(problem): it does not exist (serve that",
      #"authorizer-local \#(command) --template 'stacks/it'\''s/api.yaml' --parameter Secret=VALUE --parameter 'Stage=a;b'"#,
      "authorizer-local \(command) --template stacks/api.yaml",
      "Resources.Far: is a nested template, \(problem) (serve its template from a file of this machine)",
    ] {
      #expect(recorded.notes.contains(line), "\(recorded.notes)")
    }
    #expect(!recorded.notes.contains("there is no API"))
  }

  @Test func routesNamesThemBesideAnAPI() async throws {
    let recorded = try RecordedMachine()
    let resources = Self.nested.replacing("Resources:\n", with: "")
    try recorded.write(Self.template("paths.yaml") + "\n" + resources, to: "template.yaml")
    try recorded.write(Self.paths, to: "paths.yaml")
    #expect(await recorded.run("routes") == 0, "\(recorded.notes)")
    #expect(recorded.answer.contains("Resources.Plain: is a nested template"))
    #expect(recorded.answer.contains("  authorizer-local routes --template "))
    #expect(await recorded.run("routes", "--json") == 0)
    #expect(recorded.answer.contains(#""nested": ["#))
  }
}
