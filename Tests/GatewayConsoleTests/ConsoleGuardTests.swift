@testable import GatewayConsole
@testable import GatewayModel
import Testing

/// Which requests the console answers.
@Suite struct ConsoleGuardTests {
  private static let json = GatewayRequest.Header("Content-Type", "application/json")

  struct Fact: Sendable {
    let method: String
    let headers: [GatewayRequest.Header]
    let isAnswered: Bool

    init(_ method: String, _ isAnswered: Bool, _ headers: GatewayRequest.Header...) {
      (self.method, self.headers, self.isAnswered) = (method, headers, isAnswered)
    }
  }

  private static func origin(_ text: String) -> GatewayRequest.Header { .init("Origin", text) }
  private static func site(_ text: String) -> GatewayRequest.Header { .init("Sec-Fetch-Site", text) }

  /// Programs send no header about a page; the console's own page has a name of its own, and sends `same-origin` and its
  /// own origin.
  @Test(arguments: [
    Fact("GET", true, .init("Host", "127.0.0.1:8080")),
    Fact("GET", true, .init("Host", "console.localhost:8080")),
    Fact("GET", true, .init("Host", "console.localhost:8080"), site("same-origin")),
    Fact("GET", true, .init("Host", "Console.localhost:8080"), site("none")),
    Fact(
      "GET", true, .init("host", "console.localhost:8080"), origin("http://console.localhost:8080"),
      site("same-origin")),
    Fact(
      "POST", true, .init("Host", "console.localhost:8080"), json, origin("http://console.localhost:8080")),
    Fact(
      "POST", true, .init("Host", "127.0.0.1:8080"), .init("content-type", "application/json; charset=utf-8")),
    // Pages of a served API: they have the other names of the gateway.
    Fact("GET", false, .init("Host", "127.0.0.1:8080"), site("same-origin")),
    Fact("GET", false, .init("Host", "localhost:8080"), site("none")),
    Fact("GET", false, .init("Host", "127.0.0.1:8080"), .init("sec-fetch-mode", "cors")),
    Fact("POST", false, .init("Host", "127.0.0.1:8080"), json, origin("http://127.0.0.1:8080")),
    Fact("GET", false, .init("Host", "api.console.localhost:8080"), site("same-origin")),
    Fact("GET", false, .init("Host", "console.localhost:8080"), site("same-site")),
    Fact("GET", false, .init("Host", "console.localhost:8080"), origin("http://127.0.0.1:8080")),
    // Pages of other sites, and of other ports of this machine.
    Fact("GET", false, .init("Host", "127.0.0.1:8080"), site("cross-site")),
    Fact("GET", false, .init("Host", "127.0.0.1:8080"), site("same-site")),
    Fact("GET", false, .init("Host", "127.0.0.1:8080"), site("same-origin"), site("cross-site")),
    Fact("GET", false, .init("Host", "127.0.0.1:8080"), site("")),
    Fact("GET", false, .init("Host", "127.0.0.1:8080"), origin("http://127.0.0.1:3000")),
    Fact("GET", false, .init("Host", "127.0.0.1:8080"), origin("http://localhost:8080")),
    Fact("GET", false, .init("Host", "127.0.0.1:8080"), origin("https://127.0.0.1:8080")),
    Fact("GET", false, .init("Host", "127.0.0.1:8080"), origin("https://evil.example")),
    Fact("GET", false, .init("Host", "127.0.0.1:8080"), origin("null")),
    // DNS rebinding: the page's own name, which now is this machine.
    Fact("GET", false, .init("Host", "evil.example:8080")),
    Fact(
      "GET", false, .init("Host", "evil.example:8080"), origin("http://evil.example:8080"),
      site("same-origin")),
    Fact("GET", false, .init("Host", "127.0.0.1.evil.example")),
    Fact("GET", false, .init("Host", "127.0.0.1:8080"), .init("Host", "evil.example")),
    Fact("GET", false),
    // What a form or a script of another origin can send without asking.
    Fact("POST", false, .init("Host", "127.0.0.1:8080")),
    Fact("POST", false, .init("Host", "127.0.0.1:8080"), .init("Content-Type", "text/plain")),
    Fact(
      "POST", false, .init("Host", "127.0.0.1:8080"),
      .init("Content-Type", "application/x-www-form-urlencoded")),
    Fact(
      "POST", false, .init("Host", "127.0.0.1:8080"), .init("Content-Type", "text/plain; application/json")),
    Fact("POST", false, .init("Host", "127.0.0.1:8080"), json, .init("Content-Type", "text/plain")),
    Fact("POST", false, .init("Host", "127.0.0.1:8080"), json, origin("http://127.0.0.1:3000")),
  ]) func onlyItsOwnPageAndProgramsMayUseTheConsole(_ fact: Fact) {
    let request = GatewayRequest(method: fact.method, path: "/dev/decisions", headers: fact.headers)
    let refusal = ConsoleGuard.refusal(of: request, scheme: "http")
    #expect((refusal == nil) == fact.isAnswered, "\(refusal ?? "answered")")
  }

  /// The printed address stays valid: it leads to the console's own name, on the same port.
  @Test(arguments: [
    ("127.0.0.1:8080", "http://console.localhost:8080/dev/console"),
    ("localhost", "http://console.localhost/dev/console"),
    ("[::1]:9000", "http://console.localhost:9000/dev/console"), ("console.localhost:8080", nil),
    ("evil.example:8080", nil),
  ]) func thePageHasAnOriginOfItsOwn(_ host: String, _ address: String?) {
    let request = GatewayRequest(
      method: "GET", path: "/dev/console", headers: [.init("Host", host), Self.site("none")])
    #expect(ConsoleOrigin.redirect(for: request, scheme: "http") == address)
    let foreign = GatewayRequest(
      method: "GET", path: "/dev/console", headers: [.init("Host", host), Self.site("cross-site")])
    #expect(ConsoleOrigin.redirect(for: foreign, scheme: "http") == nil)
    // A link, also one of a file or of a terminal in a browser.
    let link = GatewayRequest(
      method: "GET", path: "/dev/console", headers: foreign.headers + Self.fetch("navigate", "document"))
    #expect(ConsoleOrigin.redirect(for: link, scheme: "http") == address)
  }

  private static func fetch(_ mode: String, _ destination: String) -> [GatewayRequest.Header] {
    [.init("Sec-Fetch-Mode", mode), .init("Sec-Fetch-Dest", destination)]
  }

  /// Everyone may lead to the page, which shows nothing without the secret. It is no part of another page.
  @Test(arguments: [
    ("/dev/console", "navigate", "document", 200), ("/dev/console", "navigate", "iframe", 403),
    ("/dev/console", "no-cors", "script", 403), ("/dev/console", "cors", "empty", 403),
    ("/dev/console.js", "navigate", "document", 403), ("/dev/decisions", "navigate", "document", 403),
    ("/dev/session", "navigate", "document", 403),
  ]) func otherPagesMayOnlyLeadToThePage(
    _ path: String, _ mode: String, _ destination: String, _ status: Int
  ) async throws {
    let answer = try await ConsoleStage().ask(
      path, headers: [Self.site("cross-site")] + Self.fetch(mode, destination), host: "console.localhost:8080"
    )
    #expect(answer.status == status)
    if status == 200 {
      #expect(answer.response.header("Cross-Origin-Opener-Policy") == "same-origin")
    }
  }

  /// A refused page learns nothing: not the decisions, and not whether there are any.
  @Test(arguments: [
    "/dev/decisions", "/dev/decisions/1", "/dev/decisions/99", "/dev/decisions/stream", "/dev/matrix",
    "/dev/cache",
    "/dev/keys", "/dev/revocations", "/dev/findings", "/dev/session", "/dev/console",
  ]) func everyRouteIsGuarded(_ path: String) async throws {
    let stage = try ConsoleStage()
    await stage.call()
    let answer = try await stage.ask(path, headers: [.init("Sec-Fetch-Site", "same-site")])
    #expect(answer.status == 403)
    #expect(answer.text.contains("other pages are refused"))
    #expect(answer.response.values(ofHeader: "Access-Control-Allow-Origin").isEmpty)
    #expect(stage.log.openFeeds == 0)
  }

  @Test(arguments: ["/dev/decisions/1/replay", "/dev/send"])
  func everyOrderIsGuarded(_ path: String) async throws {
    let stage = try ConsoleStage()
    await stage.call()
    let answer = try await stage.ask(path, json: "{}", headers: [.init("Origin", "http://127.0.0.1:3000")])
    #expect(answer.status == 403)
    #expect(stage.events.count == 1)
  }

  @Test(arguments: ["/dev/console", "/dev/decisions", "/dev/session", "/dev/decisions/7"])
  func everyAnswerSaysThatItIsNoPageOfOthers(_ path: String) async throws {
    let response = try await ConsoleStage().ask(path, host: "console.localhost:8080").response
    #expect(response.header("X-Content-Type-Options") == "nosniff")
    #expect(response.header("Cache-Control") == "no-store")
    #expect(response.header("Cross-Origin-Resource-Policy") == "same-origin")
    #expect(response.header("Content-Security-Policy")?.hasPrefix("default-src 'none'") == true)
  }
}
