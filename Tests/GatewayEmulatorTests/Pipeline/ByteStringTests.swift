@testable import Mapping
@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import Text
import Testing

/// Texts are compared by their bytes: `String` takes other texts as equal too.
@Suite struct ByteStringTests {
  static let twins = [
    ("jos\u{E9}", "jose\u{301}"), ("K", "\u{212A}"), (";", "\u{37E}"), ("`", "\u{1FEF}"),
    ("\u{C5}", "\u{212B}"),
  ]

  @Test(arguments: twins) func twinsDiffer(_ one: String, _ other: String) {
    // `String` takes them as equal.
    #expect(one == other)
    #expect(ByteString(one) != ByteString(other))
    #expect(Set([ByteString(one), ByteString(other), ByteString(one)]).count == 2)
    #expect([one: "x"].value(named: other) == nil)
    #expect([one: "x"].value(named: one) == "x")
  }

  @Test(arguments: twins) func lookUpsOfARequestCompareBytes(_ one: String, _ other: String) throws {
    let query = PercentText.encoded(other, keeping: "")
    let api = GatewayStage.api([])
    var source = ParameterSource(
      GatewayRequest(method: "GET", path: "/", query: "\(query)=x", headers: []), api: api)
    source.variables.set(other, "x")
    for value in [ParameterValue.query(one), .queries(one), .path(one), .context(one)] {
      #expect(value.text(from: source) == nil)
    }
    #expect(ParameterValue.query(other).text(from: source) == "x")
    #expect(
      ParameterSource.filled("${stageVariables.\(one)}", with: [other: "x"]) == "${stageVariables.\(one)}")
    let route = GatewayRoute(match: .message(one), access: .open, integration: .webSocketMock)
    let table = RouteTable(
      GatewayAPI(
        name: "a", identifier: "a", kind: .http(nil), stage: .init(name: "s", variables: [:]), routes: [route]
      ))
    #expect(table.route(key: other) == nil)
    #expect(table.route(key: one) == route)
  }

  /// The value of a variable is not read again.
  @Test func stageVariablesAreFilledOnce() {
    let variables = ["a": "${stageVariables.b}", "b": "x"]
    let text = "${stageVariables.a}-${stageVariables.b}-${stageVariables.c}-${stageVariables."
    #expect(
      ParameterSource.filled(text, with: variables)
        == "${stageVariables.b}-x-${stageVariables.c}-${stageVariables.")
  }
}
