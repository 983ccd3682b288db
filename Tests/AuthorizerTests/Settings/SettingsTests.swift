import JOSE
import Testing

@testable import Authorizer
@testable import IssuerKeys

@Suite("Valid settings")
struct SettingsTests {
  @Test("inline JSON and a file give the same settings")
  func forms() throws {
    var source = try TestIssuers.source()
    let inline = try Settings(reading: source)
    source.variables["AUTHORIZER_CONFIG"] = " \n\t" + TestIssuers.configuration
    let indented = try Settings(reading: source)
    source.files["config/a.json"] = .text(TestIssuers.configuration)
    source.variables["AUTHORIZER_CONFIG"] = "config/a.json"
    let byPath = try Settings(reading: source)
    source.files["authorizer.json"] = .text(TestIssuers.configuration)
    source.variables["AUTHORIZER_CONFIG"] = nil
    let byDefault = try Settings(reading: source)
    for settings in [inline, indented, byPath, byDefault] {
      #expect(settings.issuers.map(\.profile.name) == ["apple", "partner"])
      #expect(settings.issuers.map { $0.keys.seedCount } == [10, 10])
      #expect(settings.tokenSources == [.header("authorization")])
      #expect(!settings.allowsQueryTokens)
    }
  }

  @Test("every member of an issuer's entry sets its profile")
  func profile() throws {
    let settings = try settings(
      """
      {"$schema":"authorizer.schema.json","issuers":[{"name":"partner","issuer":"https://id.example.com",
      "audiences":["api","web"],"algorithms":["ES256","EdDSA","PS384"],"types":["at+jwt"],"leewaySeconds":0,
      "maximumLifetimeSeconds":3600,"maximumAgeSeconds":600,"principal":"app_metadata.user",
      "keys":{"seed":"keys.json","pinned":true,"minimumRSAExponent":3}}],
      "gatewayCache":"off","allowQueryTokens":true,
      "tokenSources":["header:X-Token","cookie:session","query:token"]}
      """)
    #expect(settings.tokenSources == [.header("x-token"), .cookie("session"), .query("token")])
    #expect(settings.allowsQueryTokens)
    let profile = try #require(settings.issuers.first).profile
    #expect(profile.name == "partner")
    #expect(profile.issuers == ["https://id.example.com"])
    #expect(profile.audience == .audience(["api", "web"]))
    #expect(profile.algorithms.map(\.rawValue) == ["ES256", "EdDSA", "PS384"])
    #expect(profile.types == .required(["at+jwt"]))
    #expect(profile.leewaySeconds == 0)
    #expect(profile.maximumLifetimeSeconds == 3600)
    #expect(profile.maximumAgeSeconds == 600)
    #expect(profile.principal.text == "app_metadata.user")
  }

  @Test("an absent member has the documented default")
  func defaults() throws {
    let settings = try settings(
      """
      {"issuers":[{"issuer":"https://id.example.com","audiences":["api"],"algorithms":["RS256"],
      "keys":{"seed":"keys.json","pinned":true}}]}
      """)
    let profile = try #require(settings.issuers.first).profile
    #expect(profile.name == "https://id.example.com")
    #expect(profile.types == .ifPresent(["JWT", "at+jwt"]))
    #expect(profile.leewaySeconds == 60)
    #expect(profile.maximumLifetimeSeconds == nil)
    #expect(profile.maximumAgeSeconds == nil)
    #expect(profile.principal.text == "sub")
  }

  @Test("every gatewayCache accepts one source", arguments: ["token", "tokenAndRoute", "off"])
  func gatewayCache(_ cache: String) throws {
    let text = """
      {"issuers":[{"preset":"apple","audiences":["a"],"keys":{"seed":"keys.json","pinned":true}}],
      "gatewayCache":"\(cache)","tokenSources":["cookie:session"]}
      """
    #expect(try settings(text).tokenSources == [.cookie("session")])
  }

  struct Preset: CustomTestStringConvertible {
    let spelling: String
    var audience: String?
    let name: String
    let issuers: [String]
    let rule: IssuerProfile.AudienceRule
    let algorithms: [String]
    var lifetime: Int64?
    var testDescription: String { spelling }
  }

  static let tenant = "11111111-2222-4333-8444-555555555555"

  static let presets = [
    Preset(
      spelling: "apple", audience: "com.example.app", name: "apple", issuers: ["https://appleid.apple.com"],
      rule: .audience(["com.example.app"]), algorithms: ["RS256"], lifetime: 86_400),
    Preset(
      spelling: "supabase:abcdefghijklmnopqrst", name: "supabase",
      issuers: ["https://abcdefghijklmnopqrst.supabase.co/auth/v1"], rule: .audience(["authenticated"]),
      algorithms: ["ES256", "RS256"]),
    Preset(
      spelling: "supabase:abcdefghijklmnopqrst", audience: "own", name: "supabase",
      issuers: ["https://abcdefghijklmnopqrst.supabase.co/auth/v1"], rule: .audience(["own"]),
      algorithms: ["ES256", "RS256"]),
    Preset(
      spelling: "firebase:example-project", name: "firebase",
      issuers: ["https://securetoken.google.com/example-project"], rule: .audience(["example-project"]),
      algorithms: ["RS256"], lifetime: 86_400),
    Preset(
      spelling: "cognito-id:eu-central-1_Example01", audience: "client", name: "cognito-id",
      issuers: [
        "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example01",
        "https://issuer-cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example01",
      ], rule: .audience(["client"]), algorithms: ["RS256"], lifetime: 86_400),
    Preset(
      spelling: "cognito-access:eu-central-1_Example01", audience: "one, two", name: "cognito-access",
      issuers: [
        "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example01",
        "https://issuer-cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example01",
      ], rule: .clientID(["one", "two"]), algorithms: ["RS256"]),
    Preset(
      spelling: "google", audience: "x.apps.googleusercontent.com", name: "google",
      issuers: ["https://accounts.google.com", "accounts.google.com"],
      rule: .audience(["x.apps.googleusercontent.com"]), algorithms: ["RS256"], lifetime: 86_400),
    Preset(
      spelling: "auth0:example.eu.auth0.com", audience: "https://api.example.com", name: "auth0",
      issuers: ["https://example.eu.auth0.com/"], rule: .audience(["https://api.example.com"]),
      algorithms: ["RS256"]),
    Preset(
      spelling: "entra:\(tenant)", audience: "api", name: "entra",
      issuers: ["https://login.microsoftonline.com/\(tenant)/v2.0"], rule: .audience(["api"]),
      algorithms: ["RS256"]),
    Preset(
      spelling: "https://id.example.com/tenant", audience: " a ,\tb,, c",
      name: "https://id.example.com/tenant",
      issuers: ["https://id.example.com/tenant"], rule: .audience(["a", "b", "c"]),
      algorithms: ["RS256", "ES256"]),
  ]

  @Test("the short form configures one issuer with three variables", arguments: presets)
  func shortForm(_ preset: Preset) throws {
    var source = try TestIssuers.source()
    source.variables["AUTHORIZER_CONFIG"] = nil
    source.variables["AUTHORIZER_ISSUER"] = " \(preset.spelling)\t"
    source.variables["AUTHORIZER_AUDIENCE"] = preset.audience
    source.variables["AUTHORIZER_KEYS"] = " keys.json "
    let settings = try Settings(reading: source)
    #expect(settings.issuers.count == 1)
    #expect(settings.tokenSources == [.header("authorization")])
    let profile = try #require(settings.issuers.first).profile
    #expect(profile.name == preset.name)
    #expect(profile.issuers == preset.issuers)
    #expect(profile.audience == preset.rule)
    #expect(profile.algorithms.map(\.rawValue) == preset.algorithms)
    #expect(profile.maximumLifetimeSeconds == preset.lifetime)
  }

  private func settings(_ text: String) throws -> Settings {
    var source = try TestIssuers.source()
    source.variables["AUTHORIZER_CONFIG"] = text
    return try Settings(reading: source)
  }
}

extension IssuerKeyMaterial {
  /// The number of usable keys in the seed; `nil` for a secret.
  fileprivate var seedCount: Int? {
    guard case .published(let source) = self else { return nil }
    return source.seed?.keys.keys.count
  }
}
