@testable import GatewayModel
@testable import EmulatorTestSupport
@testable import Templates
import Testing

/// `AWS::Include`, which CloudFormation processes before SAM and before any other function.
@Suite struct TemplateIncludeTests {
  /// A call that includes these files.
  private static func include(_ files: String...) -> String {
    let macros = files.map { "{ Name: AWS::Include, Parameters: { Location: \($0) } }" }
    return "Fn::Transform: " + (macros.count == 1 ? macros[0] : "[\(macros.joined(separator: ", "))]")
  }

  private static let integration =
    "x-amazon-apigateway-integration: { type: http_proxy, httpMethod: GET, uri: 'https://b.example/', payloadFormatVersion: '1.0' }"

  /// A template of an HTTP API with these properties and sections.
  private static func http(_ properties: String, resource: String = "", sections: String = "") -> String {
    """
    Transform: AWS::Serverless-2016-10-31
    \(sections)
    Resources:
      Guard: { Type: AWS::Serverless::Function, Properties: { Runtime: python3.13 } }
      Api: { Type: AWS::Serverless::HttpApi, Properties: { \(properties) }\(resource) }
    """
  }

  private static let paths = "DefinitionBody: { paths: { /a: { get: { \(integration) } } } }"
  private static let auth =
    "Auth: { EnableIamAuthorizer: true, DefaultAuthorizer: AWS_IAM }"

  /// Returns who may call each route, or the problems.
  private static func guards(_ text: String, _ files: [String: String]) -> [String] {
    let reading = TemplateFiles { name in
      files[name].map { .success($0) } ?? .failure(TemplateFiles.Problem("it does not exist"))
    }
    do throws(TemplateError) {
      let template = try GatewayTemplate(parsing: text, files: reading)
      let closed = template.closures.map(\.problem)
      return closed
        + template.apis.flatMap { api in
          api.routes.map { "\(api.name) \($0.key) \(SAMTemplate.word($0.access))" }
        }
    } catch {
      return error.findings.map(\.problem)
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    let files: [String: String]
    let result: [String]
    var testDescription: String { name }
  }

  static let merged = [
    Case(
      name: "beside properties", text: http("\(include("auth.yaml")), \(paths)"),
      files: ["auth.yaml": auth], result: ["Api GET /a iam"]),
    Case(
      name: "beside an account's ID",
      text: http(
        "Auth: { EnableIamAuthorizer: true, DefaultAuthorizer: !FindInMap [A, '123456789012', Guard] }, \(paths)",
        sections: "Mappings: { A: { \(include("more.yaml")), '123456789012': { Guard: AWS_IAM } } }"),
      files: ["more.yaml": "'210987654321': { Guard: NONE }"], result: ["Api GET /a iam"]),
    Case(
      name: "below properties",
      text: http("\(auth), DefinitionBody: { openapi: 3.0.1, \(include("paths.yaml")) }"),
      files: ["paths.yaml": "paths: { /a: { get: { \(integration) } } }"], result: ["Api GET /a iam"]),
    Case(
      name: "beside paths",
      text: http("DefinitionBody: { paths: { /b: { get: { \(integration) } }, \(include("paths.yaml")) } }"),
      files: ["paths.yaml": "/a: { get: { \(integration) } }"],
      result: ["Api GET /b open", "Api GET /a open"]),
    Case(
      name: "two files", text: http(include("one.yaml", "two.yaml")),
      files: ["one.yaml": auth, "two.yaml": paths], result: ["Api GET /a iam"]),
    Case(
      name: "beside the attributes of a resource",
      text: http(paths, resource: ", \(include("more.yaml"))"), files: ["more.yaml": "DependsOn: Guard"],
      result: ["Api GET /a open"]),
    Case(
      name: "whole properties",
      text:
        "Transform: AWS::Serverless-2016-10-31\nResources: { Api: { Type: AWS::Serverless::HttpApi, Properties: { \(include("p.yaml")) } } }",
      files: ["p.yaml": auth + "\n" + paths], result: ["Api GET /a iam"]),
    // The example of "AWS::Include transform".
    Case(
      name: "beside resources", text: "\(http(paths))\n  \(include("more.json"))",
      files: [
        "more.json":
          #"{"Other": {"Type": "AWS::Serverless::HttpApi", "Properties": {"Auth": {"EnableIamAuthorizer": true, "DefaultAuthorizer": "AWS_IAM"}, "DefinitionBody": {"paths": {"/b": {"get": {"x-amazon-apigateway-integration": {"type": "http_proxy", "httpMethod": "GET", "uri": "https://b.example/", "payloadFormatVersion": "1.0"}}}}}}}}"#
      ], result: ["Api GET /a open", "Other GET /b iam"]),
    Case(
      name: "a function with an event",
      text: "Transform: AWS::Serverless-2016-10-31\nResources: { \(include("f.yaml")) }",
      files: [
        "f.yaml":
          "F: { Type: AWS::Serverless::Function, Properties: { Events: { A: { Type: HttpApi, Properties: { Path: /a, Method: get } } } } }"
      ], result: ["ServerlessHttpApi GET /a open"]),
    // SAM merges Globals with what is included, at both sides.
    Case(
      name: "in Globals", text: http(paths, sections: "Globals: { HttpApi: { \(include("auth.yaml")) } }"),
      files: ["auth.yaml": auth], result: ["Api GET /a iam"]),
    Case(
      name: "in Auth, beside that of Globals",
      text: http(
        "Auth: { \(include("auth.yaml")) }, \(paths)",
        sections: "Globals: { HttpApi: { Auth: { DefaultAuthorizer: AWS_IAM } } }"),
      files: ["auth.yaml": "EnableIamAuthorizer: true"], result: ["Api GET /a iam"]),
    Case(
      name: "in Mappings",
      text: http(
        "StageName: !FindInMap [M, a, stage], \(paths)",
        sections: "Mappings: { M: { a: { \(include("m.yaml")) } } }"),
      files: ["m.yaml": "stage: dev"], result: ["Api GET /a open"]),
    Case(
      name: "a parameter",
      text: http(
        "\(include("!Sub '${Name}/auth.yaml'")), \(paths)",
        sections: "Parameters: { Name: { Type: String, Default: dev } }"),
      files: ["dev/auth.yaml": auth], result: ["Api GET /a iam"]),
    Case(
      name: "the short form",
      text: http("Auth: !Transform { Name: AWS::Include, Parameters: { Location: a } }, \(paths)"),
      files: ["a": "{ EnableIamAuthorizer: true, DefaultAuthorizer: AWS_IAM }"], result: ["Api GET /a iam"]),
  ]

  @Test(arguments: merged) func aFileIsMergedWithItsSiblings(_ one: Case) {
    #expect(Self.guards(one.text, one.files) == one.result)
  }

  /// What is not read may have the guard.
  static let refused = [
    Case(
      name: "one name in both", text: http("Auth: {}, \(include("auth.yaml")), \(paths)"),
      files: ["auth.yaml": auth], result: ["Auth is here and in auth.yaml"]),
    Case(
      name: "one name in two files", text: http("\(include("one.yaml", "two.yaml")), \(paths)"),
      files: ["one.yaml": auth, "two.yaml": "Auth: {}"], result: ["Auth is here and in two.yaml"]),
    Case(
      name: "no file", text: http("\(include("auth.yaml")), \(paths)"), files: [:],
      result: ["the file auth.yaml is not read: it does not exist"]),
    Case(
      name: "no file beside the attributes of a resource",
      text: http(paths, resource: ", \(include("more.yaml"))"), files: [:],
      result: ["the file more.yaml is not read: it does not exist"]),
    Case(
      name: "no file beside resources", text: "\(http(paths))\n  \(include("more.yaml"))", files: [:],
      result: ["the file more.yaml is not read: it does not exist"]),
    Case(
      name: "a place in S3", text: http("\(include("s3://bucket/auth.yaml")), \(paths)"), files: [:],
      result: ["the file s3://bucket/auth.yaml is not read: s3://bucket/auth.yaml is not on this machine"]),
    Case(
      name: "in Globals", text: http(paths, sections: "Globals: { HttpApi: { \(include("auth.yaml")) } }"),
      files: [:], result: ["must be a map"]),
    Case(
      name: "in Auth of Globals",
      text: http(
        "Auth: { EnableIamAuthorizer: true }, \(paths)",
        sections: "Globals: { HttpApi: { Auth: { \(include("auth.yaml")) } } }"),
      files: [:], result: ["the file auth.yaml is not read: it does not exist"]),
    Case(
      name: "in Mappings, with a default",
      text: http(
        "StageName: !FindInMap [M, a, stage, { DefaultValue: dev }], \(paths)",
        sections: "Mappings: { M: { a: { \(include("m.yaml")) } } }"),
      files: [:], result: ["the file m.yaml is not read: it does not exist"]),
    Case(
      name: "a file in a file", text: http("\(include("one.yaml")), \(paths)"),
      files: ["one.yaml": "Auth: { \(include("two.yaml")) }", "two.yaml": "EnableIamAuthorizer: true"],
      result: ["is in a file that is included itself"]),
    Case(
      name: "a function where SAM needs the value", text: http("\(include("auth.yaml")), \(paths)"),
      files: ["auth.yaml": "Auth: !If [C, { EnableIamAuthorizer: true }, !Ref AWS::NoValue]"],
      result: ["must be a literal for SAM: If is evaluated later"]),
    Case(
      name: "another macro", text: http("Fn::Transform: { Name: Mine }, \(paths)"), files: [:],
      result: ["the macro Mine is not emulated"]),
    Case(
      name: "a value of a resource", text: http("\(include("!GetAtt Guard.Arn")), \(paths)"), files: [:],
      result: ["has a Location that is not known before CloudFormation evaluates functions"]),
    Case(
      name: "a parameter without a value",
      text: http("\(include("!Ref Name")), \(paths)", sections: "Parameters: { Name: { Type: String } }"),
      files: [:], result: ["has no value"]),
  ]

  @Test(arguments: refused) func whatIsNotIncludedClosesTheAPI(_ one: Case) {
    let found = Self.guards(one.text, one.files)
    #expect(found.contains(one.result[0]), "\(found)")
    #expect(!found.contains { $0.hasPrefix("Api GET") }, "\(found)")
  }

  /// A finding has the file and the line, also beside siblings.
  @Test func aFindingHasItsFile() {
    let files = TemplateFiles { _ in .success("Auth:\n  DefaultAuthorizer: Absent\nSurprise: 1\n") }
    let error = #expect(throws: TemplateError.self) {
      try GatewayTemplate(
        parsing: Self.http("\(Self.include("auth.yaml")), \(Self.paths)"), files: files)
    }
    let lines = error?.lines(in: "template.yaml") ?? []
    #expect(lines.contains { $0.hasPrefix("auth.yaml:3: Resources.Api.Properties.Surprise: ") }, "\(lines)")
  }

  /// A few bytes repeat a file: the work has a limit.
  @Test func theMembersOfFilesAreLimited() {
    let members = (0..<20_000).map { "P\($0): 1" }.joined(separator: "\n")
    for (count, result) in [
      (9, "Api GET /a iam"), (11, "the template includes over 200000 members beside others"),
    ] {
      let calls = (0..<count).map { "A\($0): { B: 1, \(Self.include("many.yaml")) }" }.joined(separator: ", ")
      let found = Self.guards(
        Self.http("Description: { \(calls) }, \(Self.include("auth.yaml")), \(Self.paths)"),
        ["many.yaml": members, "auth.yaml": Self.auth])
      #expect(found.contains(result), "\(found)")
    }
  }
}
