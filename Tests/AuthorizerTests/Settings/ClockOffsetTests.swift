import Testing

@testable import Authorizer
@testable import FunctionHost

/// A caller who could set back the clock of a deployed function could revive expired tokens.
@Suite("ClockOffset")
struct ClockOffsetTests {
  static func source(_ offset: String?, development: String?) -> InMemorySource {
    var variables = ["AUTHORIZER_ISSUER": "apple", "AUTHORIZER_AUDIENCE": "com.example.app"]
    variables["AUTHORIZER_CLOCK_OFFSET_SECONDS"] = offset
    variables["AUTHORIZER_DEVELOPMENT"] = development
    return InMemorySource(variables: variables)
  }

  @Test(
    "a deployed function keeps its clock and reports the variable",
    arguments: [nil, "0", "true", " 1", "01"] as [String?], ["3600", "-3600", "0", "soon"])
  func deployed(development: String?, offset: String) {
    let source = Self.source(offset, development: development)
    #expect(ClockOffset.seconds(source) == 0)
    let error = #expect(throws: ConfigurationError.self) { try Settings(reading: source) }
    #expect(
      error?.problems == [
        ConfigurationProblem(
          path: "AUTHORIZER_CLOCK_OFFSET_SECONDS",
          message: "moves the clock, which requires AUTHORIZER_DEVELOPMENT=1; remove it from the deployment")
      ])
  }

  @Test(
    "in development the clock moves both ways",
    arguments: [
      ("3600", 3600), ("-3600", -3600), ("+60", 60), ("0", 0), ("31622400", 31_622_400),
    ] as [(String, Int64)])
  func development(offset: String, seconds: Int64) throws {
    let source = Self.source(offset, development: "1")
    #expect(ClockOffset.seconds(source) == seconds)
    #expect(ClockOffset.problem(source) == nil)
  }

  @Test(
    "a value that is not a number of seconds is refused, not ignored",
    arguments: [
      "soon", "1h", "1.5", " 1", "-", "+", "+-1", "31622401", "-31622401", "99999999999999999999",
      "-9223372036854775808",
    ])
  func refused(offset: String) {
    let source = Self.source(offset, development: "1")
    #expect(ClockOffset.seconds(source) == 0)
    #expect(ClockOffset.problem(source) == "a whole number of seconds is expected, within 366 days")
  }

  @Test("without the variable there is no problem", arguments: [nil, "1"] as [String?])
  func absent(development: String?) {
    #expect(ClockOffset.problem(Self.source(nil, development: development)) == nil)
    #expect(ClockOffset.seconds(Self.source(nil, development: development)) == 0)
  }
}
