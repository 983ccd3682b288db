internal import Text
internal import Foundation
internal import JOSE
internal import JSON
internal import TestTokens

/// The issuer of a new project, in the short form: a preset or an https issuer, its audiences, and its key set.
struct StarterIssuer: Sendable {
  /// The issuer in the starter files.
  static let sample = StarterIssuer(issuer: apple, audiences: [sampleAudience], keys: nil)
  /// The same of an MCP server, whose clients request tokens for its URL.
  static let mcpSample = StarterIssuer(
    issuer: "https://id.example.com", audiences: ["https://mcp.example.com/mcp"],
    keys: "https://id.example.com/jwks")
  static let sampleAudience = "com.example.app"
  private static let apple = "apple"

  private let issuer: String
  private let audiences: [String]
  private let keys: String?

  /// Whether the issuer is an address, without a preset.
  private var isPlain: Bool { issuer.containsBytes(of: "://") }

  var isApple: Bool { issuer == Self.apple }

  /// Whether an MCP server can have this issuer: its address is in a document, and the audience is a URL.
  var isForMCP: Bool {
    isPlain && audiences.count == 1 && audiences[0].hasBytePrefix("https://")
      && audiences[0].hasByteSuffix("/mcp")
  }

  /// The issuer's address, for a project of an MCP server.
  var address: String { issuer }

  /// The URL of the API of an MCP server: its audience without `/mcp`.
  var resourceBase: String { String((audiences.first ?? "").dropLast(bytes: "/mcp".utf8.count)) }

  /// The issuer in a sentence.
  var title: String { "the issuer \(issuer)" }

  private func checkPreset() throws(CommandFailure) {
    let preset = try Result { () throws(IssuerPreset.Flaw) in try IssuerPreset(parsing: issuer) }
      .mapError { CommandFailure(.usage, "--issuer: \($0.sentence)", hint: $0.advice) }.get()
    if preset.isGeneric {
      throw CommandFailure(
        .usage, "--issuer: \(issuer) is a kind of token, not an issuer",
        hint: "give the issuer itself: --issuer https://id.example.com --keys URL")
    }
    if keys != nil {
      throw CommandFailure(
        .usage, "--keys is for an https issuer; the preset \(issuer) has the address of its keys",
        hint: "omit --keys")
    }
  }

  // MARK: In the files

  /// What a project requires for its guarded route, in JSON.
  struct Condition {
    /// The member of `require`.
    let requirement: String
    /// The claim of a token that meets it, and what follows the claims of one that does not.
    let met: String
    let unmet: String
    /// The reason of the refusal.
    var reason = "claimNotAllowed"
  }

  /// Returns a condition that tokens of the issuer meet in production: a claim where they have no scopes by themselves.
  func condition(scope: String) -> Condition {
    switch issuer.splitBytes(at: ":").first ?? "" {
    case "apple", "google", "firebase", "cognito-id":
      Condition(
        requirement: #""claims": { "email_verified": true }"#, met: #""email_verified": true"#,
        unmet: #", "email_verified": false"#)
    case "supabase":
      Condition(
        requirement: #""claims": { "is_anonymous": false }"#, met: #""is_anonymous": false"#,
        unmet: #", "is_anonymous": true"#)
    case "aws":
      Condition(
        requirement:
          #""claims": [{ "path": ["https://sts.amazonaws.com/", "aws_account"], "is": "123456789012" }]"#,
        met: #""https://sts.amazonaws.com/": { "aws_account": "123456789012" }"#,
        unmet: #", "https://sts.amazonaws.com/": { "aws_account": "210987654321" }"#)
    case "github":
      Condition(
        requirement: #""claims": { "repository": "octo-org/example" }"#,
        met: #""repository": "octo-org/example""#, unmet: #", "repository": "octo-org/other""#)
    case let preset:
      Condition(
        requirement: #""scopes": ["\#(scope)"]"#,
        met: #""\#(preset.hasBytePrefix("entra") ? "scp" : "scope")": "\#(scope)""#, unmet: "",
        reason: "insufficientScope")
    }
  }

  /// The entry in `issuers` of `authorizer.json`.
  var entry: String {
    let known = audiences.isEmpty ? "" : ", \"audiences\": \(audienceList)"
    guard isPlain else { return "{ \"preset\": \(Self.json(issuer))\(known) }" }
    // The algorithms of the short form.
    return "{ \"issuer\": \(Self.json(issuer))\(known), \"algorithms\": [\"RS256\", \"ES256\"],"
      + " \"keys\": { \"url\": \(Self.json(keys ?? "")) } }"
  }

  var audienceList: String { "[\(audiences.map(Self.json).joined(separator: ", "))]" }

  /// The beginning of a recipe in `tokens.json`, up to the claims that do not depend on the issuer.
  var tokenMembers: String {
    let preset = isPlain ? "oidc:" + issuer : issuer
    let claim = audiences.isEmpty ? nil : TokenPreset(preset)?.audienceClaim([audiences[0]])
    let audience = claim.map { "\(Self.json($0.name)): \(Self.json(audiences[0])), " } ?? ""
    return "\"preset\": \(Self.json(preset)), \"claims\": { \(audience)"
  }

  private static func json(_ text: String) -> String {
    String(decoding: JSONTree.string(text).bytes(), as: UTF8.self)
  }
}

extension StarterIssuer {
  /// Creates the issuer from the options of the command line.
  ///
  /// - Parameter audience: the audiences, separated by commas.
  /// - Throws: `CommandFailure` for an unknown preset, and for an issuer without the address of its keys.
  init(_ issuer: String?, audience: String?, keys: String?) throws(CommandFailure) {
    let issuer = issuer ?? Self.apple
    let given = audience.map {
      $0.splitBytes(at: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
    if given?.isEmpty == true {
      throw CommandFailure(.usage, "--audience is empty", hint: "give the audiences that the tokens are for")
    }
    let audiences = given ?? (issuer == Self.apple ? [Self.sampleAudience] : [])
    self.init(issuer: issuer, audiences: audiences, keys: keys)
    if isPlain {
      guard keys == nil else { return }
      throw CommandFailure(
        .usage, "the address of the keys of \(issuer) is missing",
        hint: "give --keys URL: the jwks_uri in the issuer's discovery document")
    }
    try checkPreset()
  }
}
