import Testing

@testable import Emulator

/// What the log says of an answer that a browser keeps from its page.
@Suite struct CrossOriginLogTests {
  private static let app = "https://app.example.com"

  private static func http(_ cors: String) -> String {
    // Without `$default`, which takes preflights too.
    (GatewayStatusTests.http() + (cors.isEmpty ? "" : "\n      CorsConfiguration: { \(cors) }"))
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
    // Preflights of an HTTP API, which answers them by itself, with a good status whatever they ask for.
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
    // Answers to the page itself.
    Row(http(settings), "/pets", ["Origin": app, "Authorization": "t"], nil),
    Row(http(settings), "/pets", ["Origin": "https://evil.example", "Authorization": "t"], notAllowed),
    Row(http(settings), "/pets", ["Origin": "https://evil.example"], notAllowed),
    Row(http(settings), "/pets", ["Authorization": "t"], nil),
    Row(http(settings), "/pets", ["Origin": "http://a.example:1", "Host": "a.example:1"], nil),
    Row(
      http(""), "/pets", ["Origin": app, "Authorization": "t"],
      "origin https://app.example.com is not allowed (allowed: none, the API has no CORS settings)"),
    // REST: SAM's mock names one origin, whoever asks.
    Row(rest(restSettings), "/prod/pets", ["Origin": app, "Access-Control-Request-Method": "PUT"], nil),
    Row(
      rest(restSettings), "/prod/pets",
      ["Origin": "http://localhost:5173", "Access-Control-Request-Method": "GET"],
      "origin http://localhost:5173 is not allowed (allowed: https://app.example.com)"),
    Row(
      rest(restSettings), "/prod/pets", ["Origin": app],
      "this answer has no Access-Control-Allow-Origin; on a REST API each integration and each gateway response sets it"
    ),
    Row(
      rest(""), "/prod/pets", ["Origin": app, "Access-Control-Request-Method": "GET"],
      "the preflight request is answered with 403, a browser wants 200 to 299"),
    Row(
      http(settings), "/pets", ["Origin": "https://e\"\u{1B}[31m.example"],
      "origin https://e?\u{1B}[31m.example is not allowed (allowed: https://app.example.com, http://localhost:5173)"
    ),
  ]) func aBrowserKeepsTheAnswer(_ row: Row) throws {
    var stage = try GatewayStage(row.template)
    let record = stage.send(row.method, row.path, headers: row.headers).record
    #expect(record.crossOrigin == row.problem, "\(record.line)")
    #expect(record.line.contains("cors=") == (row.problem != nil))
    #expect(record.line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
  }

  @Test func theOriginsOfATemplateAreKnown() throws {
    #expect(try GatewayTemplate(parsing: Self.http(Self.settings)).apis[0].allowedOrigins.first == Self.app)
    #expect(try GatewayTemplate(parsing: Self.rest(Self.restSettings)).apis[0].allowedOrigins == [Self.app])
    #expect(try GatewayTemplate(parsing: Self.rest("")).apis[0].allowedOrigins == [])
  }
}
