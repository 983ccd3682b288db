import Testing

@testable import JOSE

/// The spellings of presets, and the resulting issuers and URLs.
@Suite("C. Preset arguments")
struct PresetArgumentTests {
  private static let examples: [(spelling: String, issuer: String, keysURL: String)] = [
    ("apple", "https://appleid.apple.com", "https://appleid.apple.com/auth/keys"),
    ("google", "https://accounts.google.com", "https://www.googleapis.com/oauth2/v3/certs"),
    (
      "supabase:abcdefghijklmnopqrst", "https://abcdefghijklmnopqrst.supabase.co/auth/v1",
      "https://abcdefghijklmnopqrst.supabase.co/auth/v1/.well-known/jwks.json"
    ),
    (
      "firebase:example-project", "https://securetoken.google.com/example-project",
      "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
    ),
    (
      "cognito-id:us-gov-west-1_AbCdEfGhI",
      "https://cognito-idp.us-gov-west-1.amazonaws.com/us-gov-west-1_AbCdEfGhI",
      "https://cognito-idp.us-gov-west-1.amazonaws.com/us-gov-west-1_AbCdEfGhI/.well-known/jwks.json"
    ),
    (
      "cognito-access:eu-central-1_AbCdEfGhI@eu-west-1",
      "https://cognito-idp.eu-west-1.amazonaws.com/eu-central-1_AbCdEfGhI",
      "https://cognito-idp.eu-west-1.amazonaws.com/eu-central-1_AbCdEfGhI/.well-known/jwks.json"
    ),
    (
      "auth0:login.example.com", "https://login.example.com/",
      "https://login.example.com/.well-known/jwks.json"
    ),
    (
      "entra:11111111-2222-4333-8444-555555555555",
      "https://login.microsoftonline.com/11111111-2222-4333-8444-555555555555/v2.0",
      "https://login.microsoftonline.com/11111111-2222-4333-8444-555555555555/discovery/v2.0/keys"
    ),
    (
      "entra-v1:11111111-2222-4333-8444-555555555555",
      "https://sts.windows.net/11111111-2222-4333-8444-555555555555/",
      "https://login.microsoftonline.com/11111111-2222-4333-8444-555555555555/discovery/v2.0/keys"
    ),
    (
      "aws:a1b2c3d4-1177-4468-9351-2f0123456789",
      "https://a1b2c3d4-1177-4468-9351-2f0123456789.tokens.sts.global.api.aws",
      "https://a1b2c3d4-1177-4468-9351-2f0123456789.tokens.sts.global.api.aws/.well-known/jwks.json"
    ),
    (
      "github:octo-org@65", "https://token.actions.githubusercontent.com",
      "https://token.actions.githubusercontent.com/.well-known/jwks"
    ),
  ]

  @Test("every preset of an issuer has an example")
  func everyPreset() {
    let names = Self.examples.map { $0.spelling.prefix { $0 != ":" } }
    #expect(Set(names) == Set(IssuerPreset.rows.filter { !$0.isGeneric }.map { $0.name[...] }))
  }

  @Test("addresses and issuers", arguments: examples)
  func addresses(spelling: String, issuer: String, keysURL: String) throws {
    let preset = try IssuerPreset(parsing: spelling)
    #expect(preset.name == spelling)
    #expect(preset.issuers.first == issuer)
    #expect(preset.keysURL == keysURL)
  }

  @Test("a pool and its replica do not accept each other's tokens")
  func replicas() throws {
    let pool = "eu-central-1_AbCdEfGhI"
    let primary = try IssuerPreset(parsing: "cognito-id:" + pool)
    let replica = try IssuerPreset(parsing: "cognito-id:\(pool)@eu-west-1")
    #expect(
      primary.issuers == [
        "https://cognito-idp.eu-central-1.amazonaws.com/" + pool,
        "https://issuer-cognito-idp.eu-central-1.amazonaws.com/" + pool,
      ])
    #expect(replica.issuers == ["https://cognito-idp.eu-west-1.amazonaws.com/" + pool])
    #expect(replica.claimRules == primary.claimRules)
  }

  @Test("the ID of a workflow's owner is kept, and an audience that GitHub writes by itself is known")
  func workflows() throws {
    let preset = try IssuerPreset(parsing: "github:Octo_Org@65")
    #expect(preset.repositoryOwnerID == "65")
    for audience in [
      "https://github.com/octo-org", "https://GitHub.com/octo-org", "https://github.com/OCTO-ORG/",
      // The owner's name may have changed, so this may be the same owner.
      "https://github.com/octo-org2", "https://github.com/o", "https://github.com", "https://github.com/",
    ] {
      #expect(preset.isDefaultAudience(audience), "\(audience)")
    }
    for audience in [
      "https://api.example.com", "https://gist.github.com/a", "", "github.com/octo-org",
      "https://github.com.example.com", "https://github.com.example.com/octo-org", "https://github.community",
      "https://github.com:8443/octo-org", "https://github.com/octo-org/api", "https://github.co",
    ] {
      #expect(!preset.isDefaultAudience(audience), "\(audience)")
    }
    #expect(try !IssuerPreset(parsing: "apple").isDefaultAudience("https://github.com/octo-org"))
  }

  @Test(
    "unknown names are refused",
    arguments: ["", ":", "Apple", "apple ", " apple", "facebook", "entra-v3:x", "cognito:x"])
  func unknown(spelling: String) {
    let name = String(spelling.prefix { $0 != ":" })
    #expect(throws: IssuerPreset.Flaw.unknown(name)) { try IssuerPreset(parsing: spelling) }
  }

  @Test("an unexpected argument is refused", arguments: ["apple:", "apple:x", "google:", "google:client"])
  func unexpected(spelling: String) {
    let name = String(spelling.prefix { $0 != ":" })
    #expect(throws: IssuerPreset.Flaw.unexpectedArgument(preset: name)) {
      try IssuerPreset(parsing: spelling)
    }
  }

  private static let named = IssuerPreset.rows.filter(\.takesArgument).map(\.name)

  @Test("a missing argument is refused", arguments: named)
  func missing(name: String) throws {
    let flaw = try #require(throws: IssuerPreset.Flaw.self) { try IssuerPreset(parsing: name) }
    guard case .missingArgument(name, _) = flaw else {
      Issue.record("\(flaw)")
      return
    }
  }

  static let hostile = [
    "", " ", "a/b", "a b", "../x", "a?b", "a#b", "a@b", "a:b", "a%2Fb", "a\nb", "a\u{0}b", "a\u{11}b",
    "\u{e9}", "a\\b", "a,b",
    "*", "${x}", String(repeating: "a", count: 129),
  ]

  @Test("an argument that could change a URL is refused in every preset", arguments: named, hostile)
  func hostileArgument(name: String, argument: String) throws {
    let flaw = try #require(throws: IssuerPreset.Flaw.self) {
      try IssuerPreset(parsing: name + ":" + argument)
    }
    guard case .wrongArgument(name, _) = flaw else {
      Issue.record("\(flaw)")
      return
    }
  }

  @Test(
    "arguments of the wrong form are refused",
    arguments: [
      "supabase:abc.supabase.co", "supabase:ABC", "supabase:a-b", "firebase:Example", "firebase:a_b",
      "firebase:a.b",
      "cognito-id:eu-central-1", "cognito-id:_abc", "cognito-id:eu-central-1_", "cognito-id:eu-central-1_a_b",
      "cognito-id:eu-central-1_a-b", "cognito-id:EU-CENTRAL-1_abc", "cognito-id:eu-central-1_\u{11}\u{19}",
      "cognito-access:eu-central-1_abc\u{10}", "cognito-id:eu-central-1_abc@", "cognito-id:@eu-west-1",
      "cognito-id:eu-central-1_abc@eu-central-1", "cognito-id:eu-central-1_abc@eu-west-1@eu-west-2",
      "cognito-id:eu-central-1_abc@evil.example", "cognito-id:eu-central-1_abc@eu-west-1/x",
      "cognito-id:eu-central-1@eu-west-1_abc", "auth0:localhost", "auth0:example", "auth0:.com",
      "auth0:example.",
      "auth0:a..b", "auth0:https://example.eu.auth0.com", "auth0:example.eu.auth0.com/",
      "auth0:Example.auth0.com",
      "auth0:127.0.0.1", "auth0:10.0.0.1", "auth0:-a.auth0.com", "auth0:a-.auth0.com", "firebase:-",
      "firebase:a-",
      "entra:common", "entra:organizations", "entra:consumers", "entra:contoso.onmicrosoft.com",
      "entra:11111111-2222-4333-8444-55555555555", "entra:11111111-2222-4333-8444-5555555555555",
      "entra:11111111222243338444555555555555", "entra:AAAAAAAA-2222-4333-8444-555555555555",
      "entra:gggggggg-2222-4333-8444-555555555555", "entra-v1:common", "aws:A1b2", "aws:a.b", "aws:a_b",
      "aws:-a", "aws:a-", "github:octo-org", "github:65", "github:@65", "github:octo-org@",
      "github:octo-org@065",
      "github:octo-org@6x", "github:octo-org@65@66", "github:-octo@65", "github:octo/org@65",
      "github:octo.org@65",
    ])
  func wrongForm(spelling: String) throws {
    let flaw = try #require(throws: IssuerPreset.Flaw.self) { try IssuerPreset(parsing: spelling) }
    guard case .wrongArgument = flaw else {
      Issue.record("\(flaw)")
      return
    }
  }
}
