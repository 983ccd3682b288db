import Foundation
import TestTokens
import Testing

/// Tokens that the harness signs without options are valid for a configuration with the same preset.
@Suite("Default tokens of the presets")
struct PresetTokenTests {
  struct Preset: Sendable, CustomTestStringConvertible {
    /// The value of `token --preset`.
    let token: String
    var audiences: [String] = ["first", "second"]
    /// Other members of the configuration: the issuer and algorithms of a generic preset.
    var members = ""
    var configuration: String?
    var algorithm: String?

    var testDescription: String { token }

    var entry: String {
      let list = audiences.isEmpty ? "" : #","audiences":["\#(audiences.joined(separator: #"",""#))"]"#
      return #"{"issuers":[{"preset":"\#(configuration ?? token)"\#(list)\#(members)}]}"#
    }
  }

  private static let generic =
    #","issuer":"https://id.example.com","keys":{"url":"https://id.example.com/jwks"},"algorithms":"#

  static let all = [
    Preset(token: "apple"), Preset(token: "supabase:abcdefghijklmnopqrst", audiences: []),
    Preset(token: "supabase:abcdefghijklmnopqrst"), Preset(token: "firebase:example-project", audiences: []),
    Preset(token: "cognito-id:eu-central-1_Example01"),
    Preset(token: "cognito-access:eu-central-1_Example01"),
    Preset(token: "cognito-access:eu-central-1_Example01@eu-west-1"),
    Preset(token: "cognito-id:eu-central-1_Example01@eu-west-1"),
    Preset(token: "auth0:example.eu.auth0.com"), Preset(token: "google"),
    Preset(token: "entra:11111111-2222-4333-8444-555555555555"),
    Preset(token: "entra-v1:11111111-2222-4333-8444-555555555555"),
    Preset(token: "aws:a1b2c3d4-1177-4468-9351-2f0123456789"), Preset(token: "github:octo-org@65"),
    Preset(
      token: "rfc9068:https://id.example.com", members: generic + #"["ES256"]"#, configuration: "rfc9068",
      algorithm: "ES256"),
    Preset(
      token: "oidc:https://id.example.com", members: generic + #"["Ed25519"]"#, configuration: "oidc",
      algorithm: "EdDSA"),
  ]

  @Test func coversEveryPreset() {
    #expect(Set(Self.all.map { String($0.token.prefix { $0 != ":" }) }) == Set(TokenPreset.names))
  }

  @Test(arguments: all) func configurationAcceptsTokensOfTheTokenCommand(_ preset: Preset) async throws {
    let workshop = try Workshop()
    try workshop.write(preset.entry, to: "authorizer.json")
    for audience in preset.audiences.isEmpty ? [nil] : preset.audiences.map({ $0 }) {
      let more = audience.map { ["--audience", $0] } ?? []
      let algorithm = preset.algorithm.map { ["--algorithm", $0] } ?? []
      let token = try await workshop.run(["token", "--preset", preset.token] + more + algorithm)
      #expect(token.exit == 0, "\(token.errors)")
      let verdict = try await workshop.run(["explain", "-"], input: token.output)
      #expect(verdict.exit == 0, "\(verdict.output)")
    }
  }

  @Test(.needsBootstrap, arguments: all)
  func functionAcceptsTokensOfTheDevelopmentIssuer(_ preset: Preset) async throws {
    let workshop = try Workshop()
    try workshop.write(preset.entry, to: "authorizer.json")
    let gateway = try ServedGateway(
      workshop,
      [
        "--template", Workshop.packageRoot.path + "/template/template.yaml", "--config", "authorizer.json",
        "--function", Workshop.bootstrap,
      ])
    let token = try await gateway.token("user=alice")
    let answer = try await gateway.send(
      "GET", "/RestApi/prod/me", headers: ["Authorization": "Bearer \(token)"])
    #expect(answer.status == 200, "\(gateway.logText)")
  }

  @Test func clientTokensHaveOneAudience() async throws {
    let answer = try await Workshop().run([
      "token", "--preset", "cognito-access", "--audience", "a", "--audience", "b",
    ])
    #expect(answer.exit == 64)
    #expect(answer.errors.contains("hint: give --audience once"))
  }
}
