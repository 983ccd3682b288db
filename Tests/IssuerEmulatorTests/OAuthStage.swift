@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import IssuerEmulator
@testable import LambdaEmulator
@testable import Templates
@testable import Text
import JSON
import TestSupport
import Testing

/// An authorization server with the steps of a client and its user, each of which a test can change.
struct OAuthStage {
  static let base = "http://127.0.0.1:8080"
  static let issuer = base + "/dev/oauth"
  static let resource = base + "/Mcp/prod/mcp"
  static let redirectURI = "http://127.0.0.1:53682/callback"
  /// RFC 7636 appendix B.
  static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

  /// The time at the beginning, in seconds since 1970.
  static let begin: Int64 = 1_800_000_000

  let endpoint: DevelopmentEndpoint
  /// The origin that requests go to.
  var base = OAuthStage.base

  typealias Parameters = KeyValuePairs<String, String?>

  init() throws {
    let template = try GatewayTemplate(parsing: StatusTemplates.rest)
    // The clock stands still: only `move` changes the time.
    let now = Moment(monotonicNanoseconds: 0, unixMilliseconds: Self.begin * 1000)
    let service = GatewayService(
      gateway: Gateway(template.served, settings: Assumptions()), functions: [:],
      clock: LambdaClock(now: { now }, wait: { _ in }))
    endpoint = DevelopmentEndpoint(
      service: service, issuer: DevelopmentIssuer(keys: try SharedKeys.all()),
      secret: try SampleSecrets.secret.get())
  }

  static func withClient() throws -> (stage: OAuthStage, client: String) {
    let stage = try OAuthStage()
    return (stage, try stage.client())
  }

  /// A response with its body as JSON, if it is JSON.
  struct Answer {
    let response: GatewayResponse
    let body: JSONTree

    var status: Int { response.status }
    var text: String { String(decoding: response.body, as: UTF8.self) }
    /// `error` of the body.
    var error: String? { self["error"] }
    /// The parameters of the redirect.
    var redirect: OAuthParameters? {
      response.header("Location").map { OAuthParameters(String($0.drop { $0 != "?" }.dropFirst())) }
    }

    subscript(_ name: String) -> String? {
      if case .string(let text)? = body[name] { text } else { nil }
    }
  }

  func move(_ seconds: Int64) { #expect(endpoint.service.moveClock(bySeconds: seconds)) }

  func send(
    _ method: String, _ path: String, query: String = "", body: String = "", type: String? = nil,
    headers: [GatewayRequest.Header] = []
  ) throws -> Answer {
    let host = String(base.drop { $0 != "/" }.dropFirst(2))
    let request = GatewayRequest(
      method: method, path: path, query: query,
      headers: [.init("Host", host)] + (type.map { [.init("Content-Type", $0)] } ?? []) + headers,
      body: Array(body.utf8))
    let response = try #require(endpoint.answer(request))
    return Answer(response: response, body: (try? JSONTree(parsing: response.body)) ?? .null)
  }

  func register(_ metadata: String) throws -> Answer {
    try send("POST", "/dev/oauth/register", body: metadata, type: "application/json")
  }

  /// Registers a client and returns its ID.
  func client(
    _ redirectURI: String = OAuthStage.redirectURI, name: String = "Notes", refreshes: Bool = true
  ) throws -> String {
    let types = #"["authorization_code"\#(refreshes ? #","refresh_token""# : "")]"#
    let metadata = JSONTree.members([
      "redirect_uris": .array([.string(redirectURI)]), "client_name": .string(name),
      "grant_types": try JSONTree(parsing: Array(types.utf8)),
    ])
    return try #require(try register(String(decoding: metadata.bytes(), as: UTF8.self))["client_id"])
  }

  /// Returns the parameters with the given ones instead; `nil` removes a parameter.
  static func form(_ usual: [(String, String)], _ changes: Parameters) -> String {
    let names = changes.map(\.key)
    let kept =
      usual.filter { !names.contains($0.0) }
      + changes.compactMap { item in item.value.map { (item.key, $0) } }
    return kept.map { PercentText.encodedForm($0.0) + "=" + PercentText.encodedForm($0.1) }.joined(
      separator: "&")
  }

  /// Opens the login page.
  func open(_ client: String, _ changes: Parameters = [:]) throws -> Answer {
    let usual = [
      ("response_type", "code"), ("client_id", client), ("redirect_uri", Self.redirectURI),
      ("state", "s t&te"), ("scope", "mcp:tools files"), ("code_challenge", Self.challenge),
      ("code_challenge_method", "S256"), ("resource", Self.resource),
    ]
    return try send("GET", "/dev/oauth/authorize", query: Self.form(usual, changes))
  }

  /// Sends the form of a login page.
  func answer(
    _ page: Answer, _ changes: Parameters = [:], headers: [GatewayRequest.Header] = [], hasCookie: Bool = true
  ) throws -> Answer {
    let ticket = page.text.split(separator: "name=\"ticket\" value=\"").last?.prefix { $0 != "\"" } ?? ""
    let cookie = page.response.header("Set-Cookie")?.prefix { $0 != ";" } ?? ""
    let usual = [
      ("ticket", String(ticket)), ("user", "alice"), ("scope", "mcp:tools"), ("scope", "files"),
      ("decision", "allow"),
    ]
    return try send(
      "POST", "/dev/oauth/authorize", body: Self.form(usual, changes),
      type: "application/x-www-form-urlencoded",
      headers: headers + (hasCookie ? [.init("Cookie", String(cookie))] : []))
  }

  /// Logs a user in and returns the code.
  func code(_ client: String, _ changes: Parameters = [:], answer: Parameters = [:]) throws -> String {
    let redirect = try self.answer(try open(client, changes), answer).redirect
    return try #require(redirect?.only("code"))
  }

  func exchange(
    _ client: String, _ code: String, _ changes: Parameters = [:], headers: [GatewayRequest.Header] = []
  ) throws -> Answer {
    try token(
      [
        ("grant_type", "authorization_code"), ("client_id", client), ("code", code),
        ("redirect_uri", Self.redirectURI), ("code_verifier", Self.verifier), ("resource", Self.resource),
      ], changes, headers: headers)
  }

  func refresh(
    _ client: String, _ token: String, _ changes: Parameters = [:], headers: [GatewayRequest.Header] = []
  ) throws -> Answer {
    try self.token(
      [("grant_type", "refresh_token"), ("client_id", client), ("refresh_token", token)], changes,
      headers: headers)
  }

  private func token(
    _ usual: [(String, String)], _ changes: Parameters, headers: [GatewayRequest.Header]
  ) throws -> Answer {
    try send(
      "POST", "/dev/oauth/token", body: Self.form(usual, changes), type: "application/x-www-form-urlencoded",
      headers: headers)
  }
}
