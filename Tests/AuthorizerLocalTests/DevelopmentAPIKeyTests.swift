@testable import EmulatorTestSupport
import Templates
import Foundation
import Testing

@testable import authorizer_local

/// Values of API keys to which a template gives none.
@Suite struct DevelopmentAPIKeyTests {
  private static func template(_ keys: String) throws -> GatewayTemplate {
    try GatewayTemplate(
      parsing: """
        Resources:
          Api: { Type: AWS::ApiGateway::RestApi, Properties: { Name: a } }
          Method:
            Type: AWS::ApiGateway::Method
            Properties:
              RestApiId: !Ref Api
              ResourceId: !GetAtt Api.RootResourceId
              HttpMethod: GET
              AuthorizationType: NONE
              ApiKeyRequired: true
              Integration: { Type: HTTP_PROXY, IntegrationHttpMethod: GET, Uri: "https://example.com/" }
          Live: { Type: AWS::ApiGateway::Stage, Properties: { RestApiId: !Ref Api, StageName: live } }
        \(keys)
        """)
  }

  private static func key(_ name: String, _ properties: String) -> String {
    "  \(name): { Type: AWS::ApiGateway::ApiKey, Properties: { Enabled: true\(properties) } }\n"
  }

  @Test func aValueIsMadeOnceAndKept() throws {
    let recorded = try RecordedMachine(hasKeys: true)
    let two = try Self.template(Self.key("One", "") + Self.key("Fixed", ", Value: 0123456789abcdefghij"))
    let first = try DevelopmentAPIKeys(of: two, on: recorded.machine)
    #expect(Array(first.values.keys) == ["One"])
    let value = try #require(first.values["One"])
    #expect(value.utf8.count == 40)
    #expect(first.lines == ["API key One  x-api-key: \(value)  (development)"])
    // Another template has keys of its own, and those of the first stay.
    let other = try DevelopmentAPIKeys(of: Self.template(Self.key("Other", "")), on: recorded.machine)
    #expect(other.values["Other"]?.utf8.count == 40)
    #expect(other.values["Other"] != value)
    #expect(try DevelopmentAPIKeys(of: two, on: recorded.machine).values == first.values)
    #expect(try Self.template(Self.key("Fixed", ", Value: x")).keysWithoutValue.isEmpty)
  }

  @Test(arguments: ["not json", #"{"One":"short"}"#, #"{"One":7}"#, "[]", ""])
  func aDamagedFileIsReplaced(_ text: String) throws {
    let recorded = try RecordedMachine(hasKeys: true)
    let template = try Self.template(Self.key("One", ""))
    _ = try DevelopmentAPIKeys(of: template, on: recorded.machine)
    let path = recorded.machine.development.path + "/api-keys.json"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let made = try DevelopmentAPIKeys(of: template, on: recorded.machine)
    #expect(made.values["One"]?.utf8.count == 40)
    #expect(try DevelopmentAPIKeys(of: template, on: recorded.machine).values == made.values)
  }

  /// Without a value a key would admit no client; with the made one it admits its client.
  @Test func noKeyMakesNoState() throws {
    let recorded = try RecordedMachine()
    #expect(try DevelopmentAPIKeys(of: Self.template(""), on: recorded.machine).values.isEmpty)
    #expect(!recorded.machine.files.exists(recorded.machine.development.path))
  }
}
