@testable import EmulatorTestSupport
import Templates
import Foundation
import JSON
import TestSupport
import Testing

@testable import authorizer_local

/// The commands that `authorizer-local` prints for copying, with names of hostile templates, configurations and paths: a
/// shell reads each as one command. GatewayConsoleTests has the commands of the console (`ConsoleCommandTests`).
@Suite(.hangLimit) struct PrintedCommandTests {
  /// The names, each with the commands that contain it.
  private static let printed = Task {
    var printed: [(name: String, commands: [String])] = []
    for name in HostileNames.words + HostileNames.unprintable + HostileNames.random(seed: 1, count: 20) {
      printed.append((name, try await commands(naming: name)))
    }
    return printed
  }

  /// - Parameter shell: a shell of this machine.
  @Test("a shell that reads a printed command runs no other one", arguments: PrintedCommands.shells)
  func oneCommand(_ shell: String) async throws {
    let printed = try await Self.printed.value
    var runs = try PrintedCommands.run(printed.flatMap(\.commands), in: shell)[...]
    for (name, commands) in printed {
      #expect(commands.count >= 10, "\(name.debugDescription): \(commands)")
      var words: Set<[UInt8]> = []
      for run in runs.prefix(commands.count) {
        let program = String(run.line.prefix { $0 != " " })
        #expect(run.isAlone(program), "\(run.line.debugDescription): \(run.calls), \(run.files)")
        words.formUnion(run.calls.joined().map { Array($0.utf8) })
      }
      runs = runs.dropFirst(commands.count)
      // The program gets the name as it is; a name that no word shows is left out. No resource has such a name, so no
      // command of a function has it.
      let isShown = !HostileNames.unprintable.contains(name)
      for word in isShown ? [name + "=VALUE", "import:\(name)=VALUE"] : ["NAME=VALUE"] {
        #expect(words.contains(Array(word.utf8)), "\(word.debugDescription) in \(commands)")
      }
    }
  }

  // MARK: What is printed

  /// Returns the commands in all outputs that have this name.
  private static func commands(naming name: String) async throws -> [String] {
    var outputs = try await outputs(ofTemplatesNaming: name)
    outputs += try secretNotes(naming: name)
    if let folder = folderName(name) { outputs += try await self.outputs(inFolder: folder) }
    return outputs.flatMap(PrintedCommands.found)
  }

  /// A part of a path, without what no part can have.
  private static func folderName(_ name: String) -> String? {
    let text = String(decoding: name.utf8.filter { $0 != 0 && $0 != UInt8(ascii: "/") }, as: UTF8.self)
    return [".", ".."].contains(text) || text.isEmpty ? nil : text
  }

  /// With escapes: YAML reads some characters as line breaks and accepts others nowhere, not even within quotes.
  private static func json(_ text: String) -> String {
    String(decoding: JSONTree.string(text).bytes(), as: UTF8.self).unicodeScalars.map { scalar in
      let code = String(scalar.value, radix: 16)
      return (0x7F...0xFFFF).contains(scalar.value)
        ? "\\u" + String(repeating: "0", count: 4 - code.count) + code : String(Character(scalar))
    }.joined()
  }

  private static func outputs(ofTemplatesNaming name: String) async throws -> [String] {
    let recorded = try RecordedMachine()
    try recorded.write(
      """
      {"Transform": "AWS::Serverless-2016-10-31",
       "Parameters": {\(json(name)): {"Type": "String"}},
       "Resources": {
        "Api": {"Type": "AWS::Serverless::HttpApi", "Properties": {"Auth": {"DefaultAuthorizer": "Bearer", "Authorizers": {
         "Bearer": {"IdentitySource": "$request.header.Authorization", "JwtConfiguration": {
          "issuer": {"Ref": \(json(name))},
          "audience": [{"Fn::ImportValue": \(json(name))}, \(json("{{resolve:ssm:\(name)}}"))]}}}}}},
        "Backend": {"Type": "AWS::Serverless::Function", "Properties": {
         "Runtime": "python3.13", "Handler": "a.handler",
         "Environment": {"Variables": {"A": {"Ref": \(json(name))}, "B": {"Fn::ImportValue": \(json(name))}}},
         "Events": {"News": {"Type": "HttpApi", "Properties": {
          "ApiId": {"Ref": "Api"}, "Path": "/news", "Method": "get"}}}}}}}
      """, to: "values.json")
    try recorded.write(
      """
      {"Transform": "AWS::Serverless-2016-10-31",
       "Resources": {
        \(json(name)): {"Type": "AWS::Serverless::Function", "Properties": {
         "Runtime": "python3.13", "Handler": "a.handler", "CodeUri": "code"}},
        "Api": {"Type": "AWS::Serverless::HttpApi", "Properties": {
         "Auth": {"DefaultAuthorizer": "Own", "Authorizers": {"Own": {
          "FunctionArn": {"Fn::GetAtt": [\(json(name)), "Arn"]}, "AuthorizerPayloadFormatVersion": "2.0",
          "Identity": {"Headers": ["Authorization"]}}}},
         "DefinitionBody": {"openapi": "3.0.1", "paths": {"/me": {"get": {"x-amazon-apigateway-integration": {
          "type": "http_proxy", "httpMethod": "GET", "uri": "https://a.example/"}}}}}}}}}
      """, to: "functions.json")
    try recorded.write(
      """
      {"Transform": "AWS::Serverless-2016-10-31",
       "Resources": {
        "Api": {"Type": "AWS::Serverless::HttpApi", "Properties": {"Auth": {"Authorizers": {
         \(json(name)): {"IdentitySource": "$request.header.Authorization", "JwtConfiguration": {
          "issuer": "https://id.example.com", "audience": ["a"]}}}}}},
        "Backend": {"Type": "AWS::Serverless::Function", "Properties": {
         "Runtime": "python3.13", "Handler": "a.handler",
         "Events": {"News": {"Type": "HttpApi", "Properties": {
          "ApiId": {"Ref": "Api"}, "Path": "/news", "Method": "get",
          "Auth": {"Authorizer": \(json(name)), "AuthorizationScopes": [\(json(name))]}}}}}}}}
      """, to: "tokens.json")
    for words in [
      "routes --template values.json", "doctor --template values.json",
      "doctor --template functions.json",
    ] {
      _ = await recorded.run(words: words)
    }
    let tokens = try GatewayTemplate(parsing: try recorded.text(of: "tokens.json"))
    return [
      recorded.answer, recorded.notes,
      ServedAddresses(template: tokens, base: "http://127.0.0.1:1").tokenCommand ?? "",
    ]
  }

  private static func secretNotes(naming name: String) throws -> [String] {
    let recorded = try RecordedMachine()
    var secrets = LocalSecrets(recorded.machine.files)
    var variables = [
      "AUTHORIZER_CONFIG": #"{"issuers":[{"keys":{"secret":{"environment":\#(json(name))}}}]}"#
    ]
    secrets.resolve(&variables, of: "AUTHORIZER_CONFIG", inTemplate: [:], given: [:], in: recorded.folder)
    return secrets.notes
  }

  /// The outputs of commands in a folder, and about a folder, with this name.
  private static func outputs(inFolder name: String) async throws -> [String] {
    let recorded = try RecordedMachine()
    let installed = recorded.folder + "/installed/share/authorizer-local/init"
    try FileManager.default.createDirectory(atPath: installed, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: Checkout.root.appending(path: "template/init/http").path, toPath: installed + "/http")
    try recorded.write(
      """
      Transform: AWS::Serverless-2016-10-31
      Resources:
        AuthorizerFunction:
          Type: AWS::Serverless::Function
          Properties: { Runtime: provided.al2023, Handler: bootstrap, CodeUri: code.zip }
        # A route without an authorizer is a warning, which ends with the command of doctor.
        Open:
          Type: AWS::Serverless::Function
          Properties:
            Runtime: python3.13
            Handler: a.handler
            Events:
              Open:
                Type: HttpApi
                Properties: { ApiId: !Ref Api, Path: /open, Method: get, Auth: { Authorizer: NONE } }
        Api:
          Type: AWS::Serverless::HttpApi
          Properties:
            Auth:
              DefaultAuthorizer: Own
              Authorizers:
                Own: { FunctionArn: !GetAtt AuthorizerFunction.Arn, AuthorizerPayloadFormatVersion: "2.0" }
            DefinitionBody:
              openapi: 3.0.1
              paths:
                /me: { get: { x-amazon-apigateway-integration: {
                  type: http_proxy, httpMethod: GET, uri: "https://a.example/" } } }
      """, to: "./\(name)/template.yaml")
    try recorded.write(
      #"{"issuers":[{"preset":"apple","audiences":["a"],"keys":{"seed":"keys/none.json"}}]}"#,
      to: "./\(name)/authorizer.json")
    for arguments in [
      ["doctor", "--template", "./\(name)/template.yaml"], ["invoke", "./" + name],
      ["init", "./\(name)/new"],
      [
        "package", "--bootstrap", "./\(name)/template.yaml", "--fetch-keys", "./\(name)/template.yaml",
        "--config", "./\(name)/authorizer.json",
      ],
    ] {
      _ = await AuthorizerLocal.end(of: arguments, on: recorded.machine)
    }
    let path = "./\(name)/template.yaml"
    let parsed = try ParsedTemplate(at: path, TemplateValues(region: "eu-west-1"), on: recorded.machine)
    let examined = ExaminedTemplate(
      path: path, template: try parsed.gateway.get(), survey: parsed.survey, config: nil,
      machine: recorded.machine)
    let served = ServedTemplate(examined, isOurs: true, config: "./\(name)/authorizer.json")
    #expect(served.lines.last?.contains("authorizer-local doctor") == true)
    return [recorded.answer, recorded.notes, try trackedState(inFolder: name)] + served.lines
  }

  /// What is said about development keys that git tracks, in this folder of the repository.
  private static func trackedState(inFolder name: String) throws -> String {
    let recorded = try RecordedMachine()
    try recorded.write("", to: "./\(name)/template.yaml")
    let path = Array("\(name)/.development/keys.json".utf8)
    let flags = [
      UInt8(truncatingIfNeeded: min(path.count, 0xfff) >> 8), UInt8(truncatingIfNeeded: path.count),
    ]
    let index = Array("DIRC".utf8) + [0, 0, 0, 2, 0, 0, 0, 1] + flags + path + [0]
    try Data(index).write(to: URL(filePath: recorded.folder + "/.git/index"))
    let place = "\(recorded.folder)/\(name)"
    try FileManager.default.createDirectory(
      atPath: place + "/.development", withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    let folder = DevelopmentFolder(
      FileSystem(currentDirectory: place), [:], recorded.machine.terminal)
    let failure = #expect(throws: CommandFailure.self) { try folder.prepare() }
    return failure?.hint ?? ""
  }
}
