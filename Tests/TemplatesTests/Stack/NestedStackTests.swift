@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import Templates
import Testing

/// Nested stacks whose templates are beside that of their parent are read with it.
@Suite struct NestedStackTests {
  private static let stack = """
      Child:
        Type: AWS::CloudFormation::Stack
        Properties:
          TemplateURL: child.yaml
          Parameters: { Api: !Ref Api, Root: !GetAtt Api.RootResourceId, Words: "me,you", Keeper: !GetAtt Keeper.Arn }
      Keeper: { Type: AWS::Lambda::Function, Properties: { Runtime: nodejs22.x, Handler: a.b, Code: { ZipFile: x } } }
    """

  /// A child with a guarded method of its parent's API, and these changes.
  private static func child(
    head: String = "", path: String = "!Select [0, !Ref Words]", more: String = ""
  ) -> String {
    """
    Parameters:
      Api: { Type: String }
      Root: { Type: String }
      Keeper: { Type: String }
      Words: { Type: CommaDelimitedList }
      Method: { Type: String, Default: GET }
    \(head)
    Resources:
      Token:
        Type: AWS::ApiGateway::Authorizer
        Properties:
          Name: token
          RestApiId: !Ref Api
          Type: TOKEN
          IdentitySource: method.request.header.Authorization
          AuthorizerUri: !Sub
            - arn:${AWS::Partition}:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${A}/invocations
            - A: !Sub "${Keeper}"
      Back: { Type: AWS::Lambda::Function, Properties: { Runtime: nodejs22.x, Handler: a.b, Code: { ZipFile: y } } }
      Path: { Type: AWS::ApiGateway::Resource, Properties: { RestApiId: !Ref Api, ParentId: !Ref Root, PathPart: \(path) } }
      Get:
        Type: AWS::ApiGateway::Method
        Properties:
          RestApiId: !Ref Api
          ResourceId: !Ref Path
          HttpMethod: !Ref Method
          AuthorizationType: CUSTOM
          AuthorizerId: !Ref Token
          Integration:
            Type: AWS_PROXY
            IntegrationHttpMethod: POST
            Uri: !Sub arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Back.Arn}/invocations
    \(more)
    """
  }

  private static func read(
    _ child: String, parent: String = stack, head: String = "", more files: [String: String] = [:]
  ) throws -> GatewayTemplate {
    try GatewayTemplate(
      parsing: BuiltFiles.template(parent, head: head),
      files: BuiltFiles.files(["child.yaml": child].merging(files) { $1 }))
  }

  private static func routes(_ template: GatewayTemplate) -> [String] {
    template.apis.flatMap { api in
      api.routes.map {
        "\(api.name) \($0.key) \($0.authorizer?.function ?? "\($0.access)") \($0.integration.function ?? "mock")"
      }
    }
  }

  @Test func aMethodOfANestedStackGuardsTheAPIOfItsParent() throws {
    let template = try Self.read(Self.child())
    #expect(
      Self.routes(template) == ["Api ANY /{proxy+} open mock", "Api GET /me Keeper Child-Back"])
    #expect(template.nestedTemplates.isEmpty && template.closures.isEmpty)
    #expect(template.functions["Child-Back"]?.package.place == .inline("y"))
    #expect(template.functions["Back"]?.package.place == .inline("x"))
  }

  /// Each form of a name that belongs to the stack alone.
  @Test(
    arguments: [
      ("", "!Select [1, !Ref Words]", "/you"), ("", "!Join ['', [a, !Ref Method]]", "/aGET"),
      ("", "!Select [0, !Split [$, !Sub 'a-${Method}-${!Method}']]", "/a-GET-"),
      ("", "!Sub ['${Method}${b}', {b: c}]", "/GETc"),
      ("Mappings: { M: { a: { b: mapped } } }", "!FindInMap [M, a, b]", "/mapped"),
      ("Mappings: { M: { '1': { 'yes': mapped } } }", "!FindInMap [M, 1, 'yes']", "/mapped"),
      ("Mappings: { M: { 1: { yes: mapped } } }", "!FindInMap [M, '1', yes]", "/mapped"),
      ("Mappings: { M: { 1: { b: first }, '1': { b: mapped } } }", "!FindInMap [M, 1, b]", "/mapped"),
      ("Mappings: { M: { a: { b: mapped } } }", "!FindInMap [!Sub 'M', a, b]", "/mapped"),
      ("Conditions: { C: !Equals [!Ref Method, GET] }", "!If [C, yes, no]", "/yes"),
      ("Conditions: { C: !Not [Condition: D], D: !Equals [a, a] }", "!If [C, yes, no]", "/no"),
      ("Conditions: { C: !Or [!Condition D, !Condition D], D: !Equals [a, a] }", "!If [C, yes, no]", "/yes"),
      ("", "{ Ref: Method }", "/GET"), ("", "!GetAtt Inner.Outputs.Out", "/out"),
      ("", "{ 'Fn::GetAtt': [Inner, Outputs.Out] }", "/out"),
    ])
  func namesAreThoseOfTheStack(_ head: String, _ path: String, _ expected: String) throws {
    let inner = "  Inner: { Type: AWS::CloudFormation::Stack, Properties: { TemplateURL: inner.yaml } }"
    let template = try Self.read(
      Self.child(head: head, path: path, more: path.contains("Inner") ? inner : ""),
      // Parameters, mappings and conditions of the parent have the same names and other values.
      head: """
        Parameters: { Method: { Type: String, Default: PUT } }
        Mappings: { M: { a: { b: other } } }
        Conditions: { C: !Equals [a, b], D: !Equals [a, b] }
        """,
      more: [
        "inner.yaml": "Resources: { T: { Type: AWS::DynamoDB::Table } }\nOutputs: { Out: { Value: out } }"
      ])
    #expect(
      template.apis.flatMap(\.routes).map(\.key).contains("GET " + expected), "\(Self.routes(template))")
  }

  /// A resource of the stack exists if the conditions of both hold.
  @Test(
    arguments: [
      ("Yes", "Yes", true), ("Yes", "No", false), ("No", "Yes", false), ("Yes", nil, true),
      (nil, "No", false),
    ] as [(String?, String?, Bool)]) func conditionsOfBothCount(
      _ outer: String?, _ inner: String?, _ exists: Bool
    ) throws
  {
    let conditions = "Conditions: { Yes: !Equals [a, a], No: !Equals [a, b] }"
    var parent = Self.stack
    if let outer { parent.replace("Stack\n", with: "Stack\n    Condition: \(outer)\n") }
    var child = Self.child(head: conditions)
    if let inner {
      child.replace("ApiGateway::Method\n", with: "ApiGateway::Method\n    Condition: \(inner)\n")
    }
    let template = try Self.read(child, parent: parent, head: conditions)
    #expect(template.apis.flatMap(\.routes).map(\.key).contains("GET /me") == exists)
    #expect(template.closedAPIs.isEmpty)
  }

  /// A stack that is not read closes the APIs whose ID it gets: it may guard what they leave open.
  @Test(
    arguments: [
      ("Transform: AWS::Serverless-2016-10-31", "its Transform AWS::Serverless-2016-10-31 is not applied"),
      ("Transform: Own", "its Transform Own is not applied"),
      ("Globals: {}", "its section Globals is not read"),
      ("Resources: { A: 1 }", "Resources.A has no Type"), ("Resources: {}", "it has no resources"),
      ("Resources: other", "its section Resources is not a map"), ("Description: a", "it has no resources"),
      ("Resources: { A: { Type: A::B } }\nConditions: []", "its section Conditions is not a map"),
      ("Resources: { Fn::Transform: { Name: Own } }", "its section Resources is not a map"),
      (
        "Resources: { A: { Type: A::B }, Fn::Transform: { Name: Own } }",
        "Resources.Fn::Transform has no Type"
      ), ("- a", "is not a map"), ("{", "is not YAML"),
      ("Resources: { A: { Type: A::B } }\nParameters: { a-b: { Type: String } }", "a-b is no logical ID"),
      ("Resources: { a-b: { Type: A::B } }", "Resources.a-b is no logical ID"),
    ])
  func anUnreadStackClosesTheAPIThatItGets(_ child: String, _ reason: String) throws {
    let error = try #require(throws: TemplateError.self) { try Self.read(child) }
    let line = try #require(error.findings.first)
    #expect(line.path == "Resources.Child")
    #expect(line.problem.hasPrefix("gets the ID of Api, which it may change: it is a nested template"))
    #expect(line.problem.contains(reason), "\(line.problem)")
  }

  @Test(arguments: [
    ("!Ref Api", false), ("!Sub 'a/${Api}'", false),
    ("!Sub 'https://${Api}.execute-api.${AWS::Region}.x/'", true),
    ("prod", true), ("!GetAtt Back.Arn", true), ("!Sub 'arn:aws:execute-api:r:1:${Api}/*'", false),
    // A value that is not known may have the ID only if its expression refers to the API.
    ("!ImportValue x", true), ("!Sub 'x-${Missing}'", true),
    ("!Join ['', [!Ref Api, !ImportValue x]]", false),
    ("!Sub '${Api}-${Missing}'", false), ("!Own [!Ref Api]", false), ("!Own [a]", true),
    ("{ B: !ImportValue x, C: !Sub 'https://${Api}.execute-api.${AWS::Region}.x/' }", true),
  ]) func onlyTheURLOfAnAPIIsNoWayToChangeIt(_ value: String, _ isServed: Bool) throws {
    for resource in [
      "{ Type: AWS::CloudFormation::Stack, Properties: { TemplateURL: https://s3/a.yaml, Parameters: { A: \(value) } } }",
      "{ Type: Custom::Own, Properties: { ServiceToken: a, Deep: [{ A: \(value) }] } }",
      "{ Type: AWS::CloudFormation::CustomResource, Properties: { ServiceToken: \(value) } }",
    ] {
      let template = try? GatewayTemplate(parsing: BuiltFiles.template("  Other: \(resource)"))
      #expect((template?.closedAPIs.isEmpty == true) == isServed, "\(resource)")
    }
  }

  /// The value of a parameter that is not known closes what depends on it.
  @Test(arguments: [
    ("Api: !Ref Api, ", ""), ("Keeper: !GetAtt Keeper.Arn", "Keeper: !ImportValue k"),
    ("{ Api: !Ref Api,", "!If [C, { Api: !Ref Api,"),
  ]) func anUnknownParameterOpensNothing(_ old: String, _ new: String) throws {
    var parent = Self.stack.replacing(old, with: new)
    if new.contains("!If") { parent = parent.replacing("Keeper.Arn }", with: "Keeper.Arn }, {}]") }
    let template = try? Self.read(Self.child(), parent: parent, head: "Conditions: { C: !Equals [a, a] }")
    let open = template?.apis.flatMap(\.routes).filter { $0.key == "GET /me" && $0.access.isOpen } ?? []
    #expect(open.isEmpty)
    #expect(template == nil || template?.apis.first?.routes.contains { $0.key == "GET /me" } == true)
  }

  /// A name is a text: YAML takes `1` and `No` for other values than `'1'` and `'No'`.
  @Test(arguments: [("1", "'1'"), ("'1'", "1"), ("No", "'No'"), ("'No'", "No"), ("1", "1"), ("'No'", "'No'")])
  func aParameterIsFoundByItsName(_ declared: String, _ given: String) throws {
    let template = try Self.read(
      Self.child().replacing("Method: { Type", with: "\(declared): { Type").replacing(
        "!Ref Method", with: "!Ref \(declared)"),
      parent: Self.stack.replacing("Keeper.Arn }", with: "Keeper.Arn, \(given): PUT }"))
    #expect(template.apis.flatMap(\.routes).map(\.key).contains("PUT /me"), "\(Self.routes(template))")
  }

  /// The value of a System Manager parameter is the account's, whatever its name is.
  @Test func anSSMParameterOfAStackIsUnknown() throws {
    let child = Self.child().replacing(
      "Method: { Type: String, Default: GET }",
      with: "Method: { Type: AWS::SSM::Parameter::Value<String>, Default: GET }")
    let error = try #require(throws: TemplateError.self) { try Self.read(child) }
    #expect(error.findings.contains { $0.problem.contains("only the account knows") }, "\(error.findings)")
  }

  // MARK: Hostile templates

  @Test func aTemplateThatContainsItselfIsReadOnce() throws {
    let again = Self.stack.replacing("Keeper: !GetAtt Keeper.Arn", with: "Keeper: !Ref Keeper")
      .replacing("Api: !Ref Api, Root: !GetAtt Api.RootResourceId", with: "Api: none, Root: none").split(
        separator: "\n"
      ).prefix(5).joined(separator: "\n")
    let template = try Self.read(Self.child(more: again))
    #expect(
      template.nestedTemplates.map(\.finding.problem) == [
        "is a nested template, child.yaml, whose APIs are not read with this one: it is nested in its own template"
      ])
  }

  @Test func aThousandStacksAreRefused() throws {
    let stacks = (0..<1000).map {
      "  S\($0): { Type: AWS::CloudFormation::Stack, Properties: { TemplateURL: s\($0 % 7).yaml } }"
    }
    let files = Dictionary(
      uniqueKeysWithValues: (0..<7).map {
        ("s\($0).yaml", "Resources: { T: { Type: AWS::DynamoDB::Table } }")
      })
    let error = try #require(throws: TemplateError.self) {
      try GatewayTemplate(
        parsing: BuiltFiles.template(stacks.joined(separator: "\n")), files: BuiltFiles.files(files))
    }
    #expect(error.findings.map(\.problem) == ["is one of over 100 nested stacks"])
  }

  /// Stacks within stacks multiply: ten in each of four files would be 10,000.
  @Test func stacksWithinStacksAreCounted() throws {
    func stacks(_ file: String) -> String {
      "Resources:\n"
        + (0..<10).map {
          "  S\($0): { Type: AWS::CloudFormation::Stack, Properties: { TemplateURL: \(file) } }"
        }.joined(separator: "\n")
    }
    let error = try #require(throws: TemplateError.self) {
      try Self.read(
        stacks("b"),
        more: ["b": stacks("c"), "c": stacks("d"), "d": "Resources: { T: { Type: AWS::DynamoDB::Table } }"])
    }
    #expect(error.findings.first?.problem == "is one of over 100 nested stacks")
  }

  @Test func theResourcesOfAllStacksAreLimited() throws {
    let many =
      "Resources:\n" + (0..<1500).map { "  T\($0): { Type: AWS::DynamoDB::Table }" }.joined(separator: "\n")
    let parent = ["One", "Two", "Three", "Four"].map {
      "  \($0): { Type: AWS::CloudFormation::Stack, Properties: { TemplateURL: child.yaml } }"
    }.joined(separator: "\n")
    let error = try #require(throws: TemplateError.self) { try Self.read(many, parent: parent) }
    #expect(error.findings.first?.problem == "has over 5000 resources in all stacks")
  }

  /// Outputs and parameters that refer to each other have no value.
  @Test func aCircleHasNoValue() throws {
    let child = Self.child(
      path: "!Ref Words", more: "Outputs: { Out: { Value: !Ref Words } }"
    )
    let parent = Self.stack.replacing("\"me,you\"", with: "!GetAtt Child.Outputs.Out")
    let error = try #require(throws: TemplateError.self) { try Self.read(child, parent: parent) }
    #expect(error.findings.contains { $0.problem.contains("depends on itself") }, "\(error.findings)")
  }

  /// A secret of a stack's parameter is not shown.
  @Test func aSecretDefaultIsKept() throws {
    var child = Self.child()
    child.replace("Method: {", with: "Secret: { Type: String, NoEcho: true, Default: hunter2 }\n  Method: {")
    let report = Diagnostics()
    var stacks = NestedStacks(
      TemplateDocument(
        BuiltFiles.template(Self.stack), parameters: [:], files: BuiltFiles.files(["child.yaml": child]),
        report),
      AWSLocation())
    stacks.merge(report)
    #expect(stacks.document.secrets == ["hunter2"])
  }

  /// The scope of two stacks is never the same, so no name of one is that of the other.
  @Test func stacksOfOneConstructNameHaveOtherNames() throws {
    let stack = """
      Type: AWS::CloudFormation::Stack, Metadata: { aws:cdk:path: App/Pets.NestedStack/Pets.NestedStackResource }, \
      Properties: { TemplateURL: child.yaml }
      """
    let parent = ["Pets", "B", "C"].map { "  \($0): { \(stack) }" }.joined(separator: "\n")
    let template = try Self.read(
      "Resources: { F: { Type: AWS::Lambda::Function, Properties: { Handler: a } } }", parent: parent)
    #expect(template.functions.keys.sorted() == ["B-F", "Back", "C-F", "Pets-F"])
  }

  @Test func aMistakeIsSaidWithTheFileOfTheStack() throws {
    let template = try Self.read(Self.child().replacing("AuthorizerId: !Ref Token", with: "AuthorizerId: x"))
    let line = try #require(template.closures.first?.line(in: "t.yaml"))
    #expect(line.hasPrefix("child.yaml:"), "\(line)")
  }
}
