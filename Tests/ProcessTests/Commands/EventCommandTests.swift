@testable import AuthorizerContract
@testable import GatewayModel
import Foundation
import JSON
import Testing
import TestSupport

/// `event` from end to end: curl options become an event of API Gateway.
@Suite(.hangLimit)
struct EventCommandTests {
  static func event(_ arguments: [String]) async throws -> JSONValue {
    let workshop = try Workshop()
    let answer = try await workshop.run(["event"] + arguments)
    #expect(answer.exit == 0, "\(answer.errors)")
    return try JSONDocument(parsing: Array(answer.output.utf8), limits: .event).root
  }

  @Test(arguments: [
    (EventKind.restToken, "https", "prod/GET/users/7"), (.restRequest, "https", "prod/GET/users/7"),
    (.http1, "https", "prod/GET/users/7"), (.http2, "https", "prod/GET/users/7"),
    (.webSocket, "wss", "prod/$connect"),
  ]) func makesAnEventOfEachKind(_ kind: EventKind, _ scheme: String, _ place: String) async throws {
    let url = "\(scheme)://a1b2c3.execute-api.eu-west-1.amazonaws.com/prod/users/7?x=1"
    let root = try await Self.event(["--kind", kind.rawValue, "--token", "good", url])
    let event = try #require(AuthorizerEvent(root.source))
    #expect(event.kind == kind)
    #expect(event.resource == "arn:aws:execute-api:eu-west-1:123456789012:a1b2c3/\(place)")
  }

  @Test(
    arguments: [
      (["https://h.example/pets"], "the stage is pets, the first part of the path"),
      (["https://h.example/prod/pets"], "the stage is prod"),
      (["--stage", "prod", "https://h.example/pets"], nil),
      (["--stage", "$default", "https://h.example/pets"], nil),
      (["https://a1b2c3.execute-api.eu-west-1.amazonaws.com/prod/pets"], nil),
    ] as [([String], String?)])
  func reportsAGuessedStage(_ arguments: [String], _ note: String?) async throws {
    let answer = try await Workshop().run(["event"] + arguments)
    #expect(answer.exit == 0)
    #expect(note.map { answer.errors.hasPrefix("note: \($0)") } ?? answer.errors.isEmpty, "\(answer.errors)")
  }

  @Test func writesHeadersQueryAndCookiesForEachKind() async throws {
    let flags = [
      "-X", "post", "-H", "X-Twice: a", "-H", "X-Twice: b", "--cookie", "theme=dark", "-b", "lang=ja",
      "--source-ip", "2001:db8::1", "--resource", "/rides/{id}/{rest+}", "--account", "210987654321",
      "--region", "cn-north-1", "--api-id", "zz",
    ]
    let url = "https://api.example.com/live/rides/42/a/b?unit=km&unit=mi&q=a%20b+c"
    let two = try await Self.event(flags + [url])
    #expect(
      two["routeArn"]?.text == "arn:aws-cn:execute-api:cn-north-1:210987654321:zz/live/POST/rides/42/a/b")
    #expect(two["routeKey"]?.text == "POST /rides/{id}/{rest+}")
    #expect(two["rawPath"]?.text == "/live/rides/42/a/b")
    #expect(two["rawQueryString"]?.text == "unit=km&unit=mi&q=a%20b+c")
    #expect(two["cookies"].map { $0.elements.compactMap(\.text) } == ["theme=dark", "lang=ja"])
    #expect(two["headers"]?["x-twice"]?.text == "a,b")
    #expect(two["headers"]?["x-forwarded-for"]?.text == "2001:db8::1")
    #expect(two["queryStringParameters"]?["unit"]?.text == "km,mi")
    #expect(two["queryStringParameters"]?["q"]?.text == "a b c")
    #expect(two["pathParameters"]?["id"]?.text == "42")
    #expect(two["pathParameters"]?["rest"]?.text == "a/b")
    #expect(two["requestContext"]?["http"]?["sourceIp"]?.text == "2001:db8::1")
    #expect(two["identitySource"] == nil)

    let rest = try await Self.event(["--kind", "restRequest"] + flags + [url])
    #expect(rest["resource"]?.text == "/rides/{id}/{rest+}")
    #expect(rest["path"]?.text == "/rides/42/a/b")
    #expect(rest["headers"]?["X-Twice"]?.text == "b")
    #expect(rest["multiValueHeaders"]?["X-Twice"].map { $0.elements.compactMap(\.text) } == ["a", "b"])
    #expect(rest["headers"]?["Cookie"]?.text == "theme=dark; lang=ja")
    #expect(
      rest["multiValueQueryStringParameters"]?["unit"].map { $0.elements.compactMap(\.text) } == ["km", "mi"])
    #expect(rest["requestContext"]?["path"]?.text == "/live/rides/42/a/b")
  }

  @Test(arguments: [
    (["https://x.example/prod"], "prod/GET/"), (["https://x.example/prod/"], "prod/GET/"),
    (["--stage", "$default", "https://x.example/pets"], "$default/GET/pets"),
    (["--stage", "$default", "https://x.example"], "$default/GET/"),
    (["--stage", "prod", "https://x.example/pets"], "prod/GET/pets"),
    (["--stage", "prod", "https://x.example/prod/pets"], "prod/GET/pets"),
    (["-X", "DELETE", "https://x.example/prod/a:b/c"], "prod/DELETE/a:b/c"),
  ]) func stageIsTheFirstPartUnlessGiven(_ arguments: [String], _ place: String) async throws {
    let root = try await Self.event(arguments)
    #expect(root["routeArn"]?.text == "arn:aws:execute-api:us-east-1:123456789012:a1b2c3d4e5/" + place)
  }

  @Test(arguments: [
    (["x.example/prod"], "not a valid https URL"), (["https://u:p@x.example/prod"], "not a valid https URL"),
    (["--kind", "soap", "https://x.example/prod"], "--kind must be one of"),
    (["--resource", "/a/{b}", "https://x.example/prod/c/d"], "/c/d does not match the route /a/{b}"),
    (["--resource", "/{a}/{b}", "https://x.example/prod/c"], "/c does not match the route /{a}/{b}"),
    (["https://x.example/prod/a{b"], "/a{b does not match the route /a{b"),
  ]) func reportsWrongRequestsWithHints(_ arguments: [String], _ text: String) async throws {
    let workshop = try Workshop()
    let answer = try await workshop.run(["event"] + arguments)
    #expect(answer.exit == 64)
    #expect(answer.output.isEmpty)
    #expect(answer.errors.contains(text), "\(answer.errors)")
  }

  /// The output can be piped into invoke, including placeholders.
  @Test(.needsPython, arguments: EventKind.allCases)
  func invokeReadsTheOutput(_ kind: EventKind) async throws {
    let workshop = try Workshop()
    try workshop.write(#"{"good":{"preset":"apple"}}"#, to: "tokens.json")
    try workshop.write(
      ScriptedRuntime.source.replacing(
        #"do = event["do"]"#, with: #"do = "Allow" if "{{" not in body.decode() else "placeholder""#),
      to: ScriptedRuntime.path)
    let scheme = kind == .webSocket ? "wss" : "https"
    let made = try await workshop.run(
      ["event", "--kind", kind.rawValue, "--token", "good", "\(scheme)://x.example/prod/pets"])
    let answer = try workshop.execute(["invoke", "-"] + ScriptedRuntime.arguments(), input: made.output)
    #expect(answer.exit == 0, "\(answer.errors)")
    #expect(answer.output.contains("event      \(kind.rawValue)\n"), "\(answer.output)")
  }
}
