import Testing

@testable import Authorizer
@testable import FunctionHost

@Suite("Settings of logs and metrics")
struct LogSettingsTests {
  static func settings(_ members: String) throws -> LogSettings {
    var source = try TestIssuers.source()
    source.variables["AUTHORIZER_CONFIG"] = """
      {"issuers":[{"preset":"apple","audiences":["a"],"keys":{"seed":"keys.json","pinned":true}}]\(members)}
      """
    return try Settings(reading: source).log
  }

  @Test("by default every decision is logged and there are no metrics")
  func defaults() throws {
    #expect(try Self.settings("") == LogSettings())
    #expect(LogSettings().decisions == .all)
    #expect(LogSettings().metrics == nil)
    var source = try TestIssuers.source()
    source.variables["AUTHORIZER_CONFIG"] = nil
    source.variables["AUTHORIZER_ISSUER"] = "apple"
    source.variables["AUTHORIZER_AUDIENCE"] = "a"
    source.variables["AUTHORIZER_KEYS"] = "keys.json"
    #expect(try Settings(reading: source).log == LogSettings())
  }

  @Test("the configured values are used")
  func written() throws {
    let settings = try Self.settings(#","decisionLog":"refusals","metrics":{"namespace":"My/App"}"#)
    #expect(settings.decisions == .refusals)
    #expect(settings.metrics == MetricsSettings(namespace: "My/App"))
    #expect(try Self.settings(#","decisionLog":"all""#).decisions == .all)
  }

  static let namespace =
    "at most 255 letters, digits, blanks and .-_/#: are expected, not beginning with AWS/ or a colon"
  static let refusals: [(members: String, path: String, message: String)] = [
    (#""decisionLog":"none""#, "decisionLog", "one of all, refusals is expected"),
    (#""decisionLog":true"#, "decisionLog", "one of all, refusals is expected"),
    (#""metrics":true"#, "metrics", "an object is expected"),
    (#""metrics":{}"#, "metrics.namespace", "missing"),
    (#""metrics":{"namespace":""}"#, "metrics.namespace", "a non-empty string is expected"),
    (#""metrics":{"namespace":"AWS/Lambda"}"#, "metrics.namespace", namespace),
    (
      #""metrics":{"namespace":"a","dimensions":["email"]}"#, "metrics.dimensions", "unknown member"
    ),
  ]

  @Test("an invalid value is one problem with its path", arguments: refusals)
  func refusal(members: String, path: String, message: String) throws {
    let error = #expect(throws: ConfigurationError.self) { try Self.settings("," + members) }
    #expect(error?.problems.map(\.path) == [path])
    #expect(error?.problems.map(\.message) == [message])
  }
}
