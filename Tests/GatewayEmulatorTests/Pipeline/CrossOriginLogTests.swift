@testable import GatewayEmulator
@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import Templates
import Testing

/// The log of responses that a browser blocks for the page.
@Suite struct CrossOriginLogTests {
  private static let app = "https://app.example.com"

  private static func http(_ cors: String) -> String {
    // Without `$default`, which also matches preflight requests.
    (StatusTemplates.http() + (cors.isEmpty ? "" : "\n      CorsConfiguration: { \(cors) }"))
      .split(separator: "\n").filter { !$0.contains("Rest: {") }.joined(separator: "\n")
  }

  private static func rest(_ cors: String) -> String {
    TemplateSamples.rest(
      auth: TemplateSamples.tokenAuth + "\n        AddDefaultAuthorizerToCorsPreflight: false",
      extra: cors.isEmpty ? "" : "      Cors: { \(cors) }")
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let template: String
    let method: String
    let path: String
    let headers: [GatewayRequest.Header]
    let problem: String?
    var testDescription: String { "\(method) \(path) \(headers.map(\.value)): \(problem ?? "nothing")" }

    init(_ template: String, _ path: String, _ headers: KeyValuePairs<String, String>, _ problem: String?) {
      self.template = template
      self.path = path
      self.headers = headers.map { .init($0.key, $0.value) }
      method = headers.contains { $0.key == "Access-Control-Request-Method" } ? "OPTIONS" : "GET"
      self.problem = problem
    }
  }

  static let settings =
    "AllowOrigins: [\(app), 'http://localhost:5173'], AllowHeaders: [authorization], AllowMethods: [PUT]"
  static let notAllowed =
    "origin https://evil.example is not allowed (allowed: https://app.example.com, http://localhost:5173)"
  static let restSettings =
    "AllowOrigin: \"'\(app)'\", AllowHeaders: \"'authorization'\", AllowMethods: \"'GET,PUT'\""

  @Test(arguments: [
    // Preflight requests of an HTTP API, which always answers them with a success status.
    Row(http(settings), "/pets", ["Origin": app, "Access-Control-Request-Method": "PUT"], nil),
    Row(
      http(settings), "/pets", ["Origin": "https://evil.example", "Access-Control-Request-Method": "GET"],
      notAllowed),
    Row(
      http(settings), "/pets", ["Origin": app, "Access-Control-Request-Method": "DELETE"],
      "method DELETE is not allowed (allowed: PUT)"),
    Row(http(settings), "/pets", ["Origin": app, "Access-Control-Request-Method": "POST"], nil),
    Row(
      http(settings), "/pets",
      [
        "Origin": app, "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "Authorization, x-own",
      ], "header x-own is not allowed (allowed: authorization)"),
    Row(
      http("AllowOrigins: ['*'], AllowHeaders: ['*']"), "/pets",
      [
        "Origin": app, "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "x-own,authorization",
      ], "header authorization is not allowed (allowed: *)"),
    // Responses to requests of the page.
    Row(http(settings), "/pets", ["Origin": app, "Authorization": "t"], nil),
    Row(http(settings), "/pets", ["Origin": "https://evil.example", "Authorization": "t"], notAllowed),
    Row(http(settings), "/pets", ["Origin": "https://evil.example"], notAllowed),
    Row(http(settings), "/pets", ["Authorization": "t"], nil),
    Row(http(settings), "/pets", ["Origin": "http://a.example:1", "Host": "a.example:1"], nil),
    Row(
      http(""), "/pets", ["Origin": app, "Authorization": "t"],
      "origin https://app.example.com is not allowed (allowed: none, the API has no CORS settings)"),
    // REST: SAM's mock integration returns the same origin for every request.
    Row(rest(restSettings), "/prod/pets", ["Origin": app, "Access-Control-Request-Method": "PUT"], nil),
    Row(
      rest(restSettings), "/prod/pets",
      ["Origin": "http://localhost:5173", "Access-Control-Request-Method": "GET"],
      "origin http://localhost:5173 is not allowed (allowed: https://app.example.com)"),
    Row(
      rest(restSettings), "/prod/pets", ["Origin": app],
      "no Access-Control-Allow-Origin in the response; on a REST API, set it in each integration and gateway response"
    ),
    Row(
      rest(""), "/prod/pets", ["Origin": app, "Access-Control-Request-Method": "GET"],
      "the preflight request returned status 403; browsers require 200 to 299"),
    Row(
      http(settings), "/pets", ["Origin": "https://e\"\u{1B}[31m.example"],
      "origin https://e?\u{1B}[31m.example is not allowed (allowed: https://app.example.com, http://localhost:5173)"
    ),
  ]) func logsWhyABrowserBlocksAResponse(_ row: Row) throws {
    var stage = try GatewayStage(row.template)
    let record = stage.send(row.method, row.path, headers: row.headers).record
    #expect(record.crossOrigin == row.problem, "\(record.line)")
    #expect(record.line.contains("cors=") == (row.problem != nil))
    #expect(record.line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
  }

  @Test func readsTheAllowedOriginsOfATemplate() throws {
    #expect(try GatewayTemplate(parsing: Self.http(Self.settings)).apis[0].allowedOrigins.first == Self.app)
    #expect(try GatewayTemplate(parsing: Self.rest(Self.restSettings)).apis[0].allowedOrigins == [Self.app])
    #expect(try GatewayTemplate(parsing: Self.rest("")).apis[0].allowedOrigins == [])
  }
}
