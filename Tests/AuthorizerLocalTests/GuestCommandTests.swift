@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import Templates
import JSON
import Testing

@testable import authorizer_local

/// Guests on the command line.
@Suite struct GuestCommandTests {
  static let configuration = """
    {"issuers":[{"preset":"apple","audiences":["app"]}],"gatewayCache":"off",
     "anonymous":{"routes":["GET /public/*","$connect"]},
     "default":"allow","rules":[{"routes":["* /public/drafts/*"],"require":{"scopes":["edit"]}}]}
    """

  private static func machine(_ input: String? = nil) throws -> RecordedMachine {
    let recorded = try RecordedMachine(input: input, hasKeys: true)
    try recorded.write(configuration, to: "authorizer.json")
    return recorded
  }

  @Test func configCheckListsTheRoutesOfGuests() async throws {
    let recorded = try Self.machine()
    let exit = await recorded.run("config", "check")
    #expect(exit == 0, "\(recorded.notes)")
    #expect(recorded.answer.contains("\n  guests: GET /public/*, $connect\n"))
  }

  struct Request: Sendable {
    let arguments: [String]
    let exit: Int32
    let words: [String]

    init(_ arguments: [String], _ exit: Int32, _ words: [String]) {
      self.arguments = arguments
      self.exit = exit
      self.words = words
    }
  }

  static let host = "https://a1b2c3.execute-api.eu-west-1.amazonaws.com/prod"

  @Test(arguments: [
    Request(
      ["--kind", "restRequest", host + "/public/a"], 0,
      ["accepted: the caller is a guest, allowed on GET /public/a", "nothing: a guest"]),
    Request([host + "/public/a"], 0, ["accepted: the caller is a guest, allowed on GET /public/a"]),
    Request(["--kind", "http1", host + "/public"], 0, ["allowed on GET /public"]),
    Request(
      ["--kind", "webSocket", "wss://a1b2c3.execute-api.eu-west-1.amazonaws.com/prod"], 0,
      ["accepted: the caller is a guest, allowed on $connect"]),
    Request(
      [host + "/me"], 1,
      [
        "missingToken: the event has no token, and guests are not allowed on GET /me",
        "hint: guest routes: GET /public/*, $connect", "no guest route names it",
      ]),
    Request(
      [host + "/public/drafts/7"], 1,
      ["hint: rules[0] restricts it, and a guest meets no requirement"]),
    Request([host + "/public/%2e%2e/me"], 1, ["hint: the path has a dot segment"]),
    Request(["-H", "Authorization: Bearer", host + "/public/a"], 1, ["malformedToken: "]),
    Request(["-H", "DPoP: x", host + "/public/a"], 1, ["missingToken: the event has no token\n"]),
    Request(["--kind", "restToken", host + "/public/a"], 1, ["missingToken: the event has no token\n"]),
  ])
  func anEventWithoutATokenIsExplained(_ request: Request) async throws {
    let made = try Self.machine()
    let code = await AuthorizerLocal.end(of: ["event"] + request.arguments, on: made.machine)
    #expect(code == 0, "\(made.notes)")
    let recorded = try Self.machine(made.answer)
    let exit = await recorded.run("explain", "-")
    #expect(exit == request.exit, "\(recorded.answer)")
    for words in request.words { #expect(recorded.answer.contains(words), "\(recorded.answer)") }
    let other = try Self.machine(made.answer)
    let again = await other.run("explain", "-", "--json")
    #expect(again == request.exit)
    let tree = try JSONTree(parsing: Array(other.answer.utf8))
    #expect(tree["accepted"] == .boolean(request.exit == 0))
    #expect(tree["outcome"] == .string(request.exit == 0 ? "allowed" : "unauthorized"))
  }

  @Test(arguments: [EventKind.restRequest, .http1, .http2, .webSocket], [true, false])
  func anAPIOfAKindTakesGuestsOnRequest(_ kind: EventKind, _ takesGuests: Bool) throws {
    let served = ServedKind(kind: kind, isSimple: false, takesGuests: takesGuests)
    let template = try GatewayTemplate(parsing: served.text)
    let authorizers = template.apis.flatMap(\.routes).compactMap(\.authorizer)
    #expect(!authorizers.isEmpty)
    for authorizer in authorizers {
      #expect(authorizer.identitySources.isEmpty == takesGuests)
      if takesGuests { #expect(authorizer.timeToLiveSeconds == 0) }
    }
  }
}
