import Foundation
import JSON
import TestSupport
import TestTokens
import Testing

@testable import authorizer_local

/// Tokens that are bound to a key or a certificate, and their proofs, on the command line.
@Suite struct BoundTokenCommandTests {
  /// Runs a command and returns what it adds to standard output.
  static func run(_ machine: RecordedMachine, _ arguments: [String]) async throws -> String {
    let before = machine.answer.count
    let code = await AuthorizerLocal.end(of: arguments, on: machine.machine)
    try #require(code == 0, "\(machine.notes)")
    return machine.answer.dropFirst(before).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test func theProofIsMadeWithTheKeyOfTheToken() async throws {
    let machine = try RecordedMachine(hasKeys: true)
    let token = try await Self.run(
      machine, ["token", "--preset", "apple", "--audience", "a", "--bind", "dpop"])
    let proof = try await Self.run(
      machine, ["proof", "-X", "PUT", "--url", "https://api.example.com/prod/pets?a", "--token", token])
    let claims = try DissectedToken(proof).payload()
    #expect(claims["htm"] == .string("PUT"))
    #expect(claims["htu"] == .string("https://api.example.com/prod/pets"))
    #expect(claims["iat"] == .number(String(RecordedMachine.now)))
    let thumbprint = try machine.machine.development.proofThumbprint()
    #expect(try DissectedToken(token).payload()["cnf"]?["jkt"] == .string(thumbprint))
    let again = try await Self.run(
      machine, ["proof", "--url", "https://api.example.com/prod/pets", "--token", token])
    #expect(try DissectedToken(again).payload()["jti"] != claims["jti"])
  }

  @Test(
    "a token on standard input is in no list of processes", arguments: ["a.b.c", "a.b.c\n", " a.b.c\r\n"])
  func tokenOnStandardInput(_ input: String) async throws {
    let machine = try RecordedMachine(input: input, hasKeys: true)
    let read = try await Self.run(machine, ["proof", "--url", "https://api.example.com/", "--token", "-"])
    let given = try await Self.run(
      machine, ["proof", "--url", "https://api.example.com/", "--token", "a.b.c"])
    #expect(try DissectedToken(read).payload()["ath"] == DissectedToken(given).payload()["ath"])
  }

  @Test(arguments: ["", "\n", "a.b", "a.b.c d", "a.b.c\na.b.c"])
  func standardInputWithoutAToken(_ input: String) async throws {
    let machine = try RecordedMachine(input: input)
    #expect(await machine.run("proof", "--url", "https://api.example.com/", "--token", "-") == 64)
    #expect(machine.notes.hasPrefix("error: standard input is not a token"), "\(machine.notes)")
  }

  @Test(arguments: [("+1h", 3600), ("-90s", -90)] as [(String, Int64)])
  func aProofCanHaveTheTimeOfAMovedGateway(_ distance: String, _ seconds: Int64) async throws {
    let machine = try RecordedMachine(hasKeys: true)
    let proof = try await Self.run(
      machine,
      ["proof", "--url", "https://api.example.com/", "--token", "a.b.c", "--clock", distance])
    #expect(try DissectedToken(proof).payload()["iat"] == .number(String(RecordedMachine.now + seconds)))
  }

  @Test func aTokenCanHaveBothBindings() async throws {
    let machine = try RecordedMachine(hasKeys: true)
    let own = try machine.machine.development.certificate(at: RecordedMachine.now)
    try machine.write(String(decoding: own.certificate, as: UTF8.self), to: "client.pem")
    let token = try await Self.run(
      machine,
      ["token", "--preset", "apple", "--bind", "certificate=client.pem", "--bind", "dpop"])
    guard case .object(let members)? = try DissectedToken(token).payload()["cnf"] else {
      throw CocoaError(.coderInvalidValue)
    }
    #expect(members.map(\.name) == ["x5t#S256", "jkt"])
    let certificate = try #require(X509Certificate(pem: own.certificate))
    #expect(members.first?.value == .string(try certificate.thumbprint()))
  }

  @Test func aFileWithoutCertificateIsRefused() async throws {
    let machine = try RecordedMachine()
    try machine.write("not a certificate", to: "client.pem")
    let code = await AuthorizerLocal.end(
      of: ["token", "--preset", "apple", "--bind", "certificate=client.pem"], on: machine.machine)
    #expect(code == 64)
    #expect(machine.notes.hasPrefix("error: client.pem has no certificate\n"), "\(machine.notes)")
  }

  /// The URL of a proof is what the authorizer reads in the same event.
  @Test(
    arguments: [
      (
        "restRequest", "https://a1b2c3.execute-api.eu-west-1.amazonaws.com/prod/pets?limit=1", "prod",
        "/prod/pets"
      ),
      ("restRequest", "https://a1b2c3.execute-api.eu-west-1.amazonaws.com/pets", "prod", "/prod/pets"),
      ("http1", "https://api.example.com/prod/pets", "prod", "/prod/pets"),
      ("http2", "https://api.example.com/prod/pets?limit=1", "prod", "/prod/pets"),
      ("http2", "https://api.example.com/pets", "$default", "/pets"),
      // Behind a custom domain the URL has no stage.
      ("restRequest", "https://api.example.com/pets", "prod", "/pets"),
      ("http1", "https://api.example.com/pets", "prod", "/pets"),
      ("http2", "https://api.example.com/pets", "prod", "/pets"),
    ])
  func theEventHasAProofForItsOwnAddress(
    _ kind: String, _ url: String, _ stage: String, _ expected: String
  ) async throws {
    let machine = try RecordedMachine()
    let text = try await Self.run(
      machine,
      [
        "event", "--kind", kind, "--stage", stage, "-X", "DELETE", "--token", "bound", "--proof", url,
      ])
    let event = try JSONTree(parsing: Array(text.utf8))
    let context = try #require(event["requestContext"])
    guard case .string(let host)? = context["domainName"],
      case .string(let path)? = kind == "http2" ? event["rawPath"] : context["path"]
    else { throw CocoaError(.coderInvalidValue) }
    #expect(path == expected)
    #expect(context["stage"] == .string(stage))
    let headers = try #require(event["headers"])
    let name = kind == "restRequest" ? "DPoP" : "dpop"
    #expect(headers[name] == .string("{{proof bound DELETE https://\(host)\(path)}}"))
    #expect(
      headers[kind == "restRequest" ? "Authorization" : "authorization"] == .string("DPoP {{token bound}}"))
  }

  /// REST events and payload 1.0 have each header twice: both must have the same proof.
  @Test(arguments: ["restRequest", "http1", "http2"])
  func theEventWithItsProofIsAccepted(_ kind: String) async throws {
    let machine = try RecordedMachine(hasKeys: true)
    try machine.write(
      #"{"gatewayCache":"off","issuers":[{"preset":"apple","audiences":["app"],"proofOfPossession":{"dpop":{}}}]}"#,
      to: "authorizer.json")
    try machine.write(
      #"{"bound":{"preset":"apple","claims":{"aud":"app"},"bind":"dpop"}}"#, to: "tokens.json")
    let url = "https://a1b2c3.execute-api.eu-west-1.amazonaws.com/prod/pets"
    let template = try await Self.run(
      machine, ["event", "--kind", kind, "--token", "bound", "--proof", url])
    try machine.write(template, to: "event.json")
    try machine.write(try await Self.run(machine, ["event", "render", "event.json"]), to: "filled.json")
    for file in ["event.json", "filled.json"] {
      #expect(await machine.run("explain", file) == 0, "\(machine.answer)")
    }
    try machine.write(template.replacing("{{proof bound GET ", with: "{{proof bound PUT "), to: "other.json")
    #expect(await machine.run("explain", "other.json") == 1, "\(machine.answer)")
    #expect(machine.answer.contains("invalidProof"))
  }

  /// The usual build has no TLS: its library takes minutes to build.
  @Test func serveSaysHowToBuildTLS() async throws {
    let machine = try RecordedMachine(hasKeys: true)
    try machine.write("Resources: {}", to: "template.yaml")
    let code = await AuthorizerLocal.end(of: ["serve", "--tls"], on: machine.machine)
    #expect(code == 69)
    #expect(
      machine.notes == """
        error: this authorizer-local was built without TLS, whose library takes minutes to build
        hint: make serve TLS=1 builds and serves with it; make build TLS=1 builds dist/authorizer-local

        """)
  }
}
