@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import IssuerEmulator
import JSON
import LambdaEmulator
import TestSupport
import TestTokens
import Testing

/// `POST /dev/logout` and `POST /dev/event`.
@Suite struct DevelopmentSignalTests {
  private static func receiver(_ name: String, _ authorization: String? = nil) -> SignalReceiver {
    SignalReceiver(
      name: name, issuer: "https://\(name).example.com", users: ["https://users.example.com"],
      audience: "client", algorithm: "ES256", basePath: "/v1", authorization: authorization)
  }

  private static func issuer() throws -> DevelopmentIssuer {
    DevelopmentIssuer(
      keys: try SharedKeys.all(), receivers: [receiver("first", "Bearer x"), receiver("second")])
  }

  @Test("a logout token is for the receiver that the order names")
  func logout() throws {
    for (order, name) in [
      (#"{"user":"alice","session":"s1"}"#, "first"),
      (#"{"user":"alice","session":"s1","receiver":"second"}"#, "second"),
    ] {
      let request = try Self.issuer().signal(
        try JSONTree(parsing: Array(order.utf8)), isEvent: false, now: 1_800_000_000)
      #expect(request.path == "/v1/signals/\(name)/logout")
      #expect(request.values(ofHeader: "Content-Type") == ["application/x-www-form-urlencoded"])
      #expect(request.values(ofHeader: "Authorization") == (name == "first" ? ["Bearer x"] : []))
      let body = String(decoding: request.body, as: UTF8.self)
      #expect(body.hasPrefix("logout_token="))
      let token = DissectedToken(body.dropFirst("logout_token=".count))
      #expect(try token.header()["typ"] == .string("logout+jwt"))
      #expect(try token.header()["alg"] == .string("ES256"))
      #expect(try token.payload()["iss"] == .string("https://\(name).example.com"))
      #expect(try token.payload()["aud"] == .string("client"))
      #expect(try token.payload()["sub"] == .string("alice"))
      #expect(try token.payload()["sid"] == .string("s1"))
      #expect(try token.payload()["exp"] == .integer(1_800_000_120))
      #expect(
        try token.payload()["events"]?["http://schemas.openid.net/event/backchannel-logout"] == .object([]))
    }
  }

  @Test("a security event token names the user at the first issuer of users, or at the order's")
  func event() throws {
    for (more, issuer, event) in [
      ("", "https://users.example.com", "caep/event-type/session-revoked"),
      (
        #","issuer":"https://x.example.com","event":"risc/event-type/account-disabled""#,
        "https://x.example.com", "risc/event-type/account-disabled"
      ),
    ] {
      let request = try Self.issuer().signal(
        try JSONTree(parsing: Array("{\"user\":\"alice\"\(more)}".utf8)), isEvent: true, now: 1_800_000_000)
      #expect(request.path == "/v1/signals/first/events")
      #expect(request.values(ofHeader: "Content-Type") == ["application/secevent+jwt"])
      let token = DissectedToken(String(decoding: request.body, as: UTF8.self))
      #expect(try token.header()["typ"] == .string("secevent+jwt"))
      #expect(try token.payload()["exp"] == nil)
      #expect(try token.payload()["sub_id"]?["iss"] == .string(issuer))
      #expect(try token.payload()["sub_id"]?["sub"] == .string("alice"))
      #expect(try token.payload()["events"]?["https://schemas.openid.net/secevent/" + event] == .object([]))
    }
  }

  struct Row: Sendable {
    let path: String
    let body: String
    var method = "POST"
    var origin: String?
    let status: Int
    let text: String
  }

  @Test(
    "the receiver's answer is passed on, and a wrong order is explained",
    arguments: [
      Row(path: "/dev/logout", body: "user=alice", status: 202, text: "answer"),
      Row(path: "/dev/event", body: #"{"user":"alice"}"#, status: 202, text: "answer"),
      Row(path: "/dev/logout", body: "", status: 400, text: "write user, session or both"),
      Row(
        path: "/dev/event", body: "session=s1", status: 400, text: "write the user whom the event concerns"),
      Row(path: "/dev/logout", body: "name=x", status: 400, text: "unknown member name"),
      Row(
        path: "/dev/logout", body: "user=a&receiver=x", status: 400,
        text: "no such receiver; known are first, second"),
      Row(path: "/dev/logout", body: "", method: "GET", status: 405, text: "send POST: curl -d user=alice"),
      Row(
        path: "/dev/logout", body: "user=a", origin: "https://evil.example.com", status: 403,
        text: "pages of other machines"),
    ])
  func answers(row: Row) async throws {
    let api = GatewayStage.api([try GatewayStage.route("POST /v1/signals/{name}/{signal}")])
    let service = GatewayService(
      gateway: Gateway(apis: [api], location: AWSLocation(), settings: Assumptions()),
      functions: [
        "Backend": GatewayServiceTests.Fixed(
          answer: .response(Array(#"{"statusCode":202,"body":"answer"}"#.utf8)))
      ])
    let responder = GatewayResponder(
      service: service,
      development: DevelopmentEndpoint(
        service: service, issuer: try Self.issuer(), secret: try SampleSecrets.secret.get()),
      invocations: nil)
    let response = await responder.answer(
      GatewayRequest(
        method: row.method, path: row.path,
        headers: [.init("Host", "127.0.0.1:8080")] + (row.origin.map { [.init("Origin", $0)] } ?? []),
        body: Array(row.body.utf8)))
    #expect(response.status == row.status)
    let text = String(decoding: response.body, as: UTF8.self)
    #expect(text.contains(row.text), "\(text)")
  }
}
