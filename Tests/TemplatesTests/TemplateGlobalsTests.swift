@testable import GatewayModel
@testable import EmulatorTestSupport
@testable import Templates
import Testing

/// As SAM's translator 1.110.0 merges them.
@Suite struct TemplateGlobalsTests {
  private static func template(_ globals: String, _ function: String = "", attribute: String = "") -> String {
    """
    Transform: AWS::Serverless-2016-10-31
    Globals: { \(globals) }
    Parameters: { P: { Type: String, Default: parameter } }
    Resources:
      Function:
        Type: AWS::Serverless::Function
        \(attribute)
        Properties: { \(function) Events: { E: { Type: Api, Properties: { RestApiId: !Ref Api, Path: /, Method: get } } } }
      Api: { Type: AWS::Serverless::Api, Properties: { StageName: prod } }
    """
  }

  @Test(
    arguments: [
      ("Environment: { Variables: { A: '1' } }", "", ["A": "1"]),
      (
        "Environment: { Variables: { A: '1', B: '2' } }", "Environment: { Variables: { B: '3', C: '4' } },",
        ["A": "1", "B": "3", "C": "4"]
      ),
      (
        "Environment: { Variables: { A: '1' } }", "Environment: { Variables: { A: !Ref P } },",
        ["A": "parameter"]
      ),
      (
        "Environment: { Variables: { A: !Ref P } }", "Environment: { Variables: { A: '1', 'B': '2' } },",
        ["A": "1", "B": "2"]
      ),
    ] as [(String, String, [String: String])])
  func mergesMaps(_ global: String, _ local: String, _ variables: [String: String]) throws {
    let template = try GatewayTemplate(parsing: Self.template("Function: { \(global) }", local))
    #expect(template.functions["Function"]?.variables == variables)
  }

  @Test func replacesScalarsAndAppendsLists() throws {
    let globals = "Function: { Timeout: 7, Runtime: one, Architectures: [arm64] }"
    let both = try GatewayTemplate(parsing: Self.template(globals, "Timeout: 9, Architectures: [x86_64],"))
    let function = try #require(both.functions["Function"])
    #expect(function.timeoutMilliseconds == 9000)
    #expect(function.runtime == "one")
    // The first of global and own.
    #expect(function.architecture == "arm64")
  }

  @Test(
    arguments: [
      ("IgnoreGlobals: '*'", 3000, nil), ("IgnoreGlobals: [Timeout]", 3000, "one"),
      ("IgnoreGlobals: [Timeout, Runtime]", 3000, nil), ("", 7000, "one"),
    ] as [(String, Int, String?)])
  func ignoresGlobals(_ attribute: String, _ milliseconds: Int, _ runtime: String?) throws {
    let text = Self.template("Function: { Timeout: 7, Runtime: one }", attribute: attribute)
    let function = try GatewayTemplate(parsing: text).functions["Function"]
    #expect(function?.timeoutMilliseconds == milliseconds)
    #expect(function?.runtime == runtime)
  }

  @Test(
    arguments: [
      ("Lambda: { Timeout: 7 }", "", "is not a section of Globals"),
      ("Function: { Events: {} }", "", "cannot be global"), ("Api: { StageName: a }", "", "cannot be global"),
      ("Function: [Timeout]", "", "must be a map"),
      ("Function: { Timeout: 7 }", "IgnoreGlobals: [Runtime]", "names no global property"),
      ("Function: { Timeout: 7 }", "IgnoreGlobals: yes", "names no global property"),
    ]) func refusesWhatSAMRefuses(_ globals: String, _ attribute: String, _ problem: String)
  {
    #expect(SAMTemplate.problems(Self.template(globals, attribute: attribute)).contains(problem))
  }

  @Test func guardsEveryAPI() {
    let auth = "Auth: { DefaultAuthorizer: A, Authorizers: { A: { UserPoolArn: !GetAtt Pool.Arn } } }"
    let own = "  Api: { Type: AWS::Serverless::Api, Properties: { StageName: a } }"
    let events = SAMTemplate.event("get", "/a") + ", E: { Type: Api, Properties: { Path: /b, Method: post } }"
    let text = SAMTemplate.text(events: events, resources: own, head: "Globals: { Api: { \(auth) } }")
    #expect(SAMTemplate.guards(text) == ["Api GET /a": "A", "ServerlessRestApi POST /b": "A"])
    // An own map without the default keeps the global one. An own null removes everything for SAM, and CloudFormation
    // refuses it.
    let more = own.replacing("StageName: a", with: "StageName: a, Auth: { ApiKeyRequired: true }")
    #expect(SAMTemplate.guards(text.replacing(own, with: more))["Api GET /a"] == "A + key")
    let none = own.replacing("StageName: a", with: "StageName: a, Auth: null")
    #expect(SAMTemplate.guards(text.replacing(own, with: none))["Api"] == "closed")
  }

  /// Globals in each of many resources must not multiply.
  @Test func boundsTheMergedValues() {
    let values = (0..<2000).map { "V\($0): x" }.joined(separator: ", ")
    var text =
      "Transform: AWS::Serverless-2016-10-31\nGlobals: { Function: { Environment: { Variables: { \(values) } } } }\n"
    text += "Resources:\n"
    for index in 0..<200 { text += "  F\(index): { Type: AWS::Serverless::Function }\n" }
    #expect(SAMTemplate.problems(text).contains { $0.contains("values in all resources") })
  }
}
