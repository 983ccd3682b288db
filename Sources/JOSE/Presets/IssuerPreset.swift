internal import Bytes

/// A well-known issuer: the properties of its tokens and the URL of its key set. Configuration refers to it by name.
///
/// All values come from the issuer's own documentation. URLs are never discovered at run time: in June 2025 the
/// issuer in Apple's discovery document differed from the issuer in its tokens.
package struct IssuerPreset: Equatable, Sendable {
  /// The spelling in the configuration, argument included: `apple`, `supabase:abcdefgh`.
  package let name: String
  /// The exact values of `iss`; empty if the configuration sets the issuer.
  package let issuers: [String]
  /// The URL of the issuer's key set; `nil` if the configuration sets it.
  package let keysURL: String?
  /// The issuer's signature algorithms; empty if the configuration sets them.
  package internal(set) var algorithms: [Algorithm] = [.rs256]
  /// The accepted values of `typ`.
  package internal(set) var types: IssuerProfile.TypeRule = .standard
  /// The audience, if it is the same for all tokens of the issuer.
  package internal(set) var fixedAudience: String?
  /// Whether the audience is in `client_id`.
  package internal(set) var audienceIsClientID: Bool = false
  /// The maximum lifetime in seconds, for ID tokens.
  package internal(set) var maximumLifetimeSeconds: Int64?
  /// The rules that distinguish this kind of token from other tokens of the issuer.
  package internal(set) var claimRules: [ClaimRule] = []
  /// The claim with the principal, if it is not `sub`.
  package internal(set) var principal: String?
  /// Whether the tokens have a subject.
  package internal(set) var hasSubject: Bool = true
  /// Whether every token has a `kid`.
  package internal(set) var requiresKeyID: Bool = false
  /// Whether tokens may have scopes, in any of the claims that count as such. False only where the issuer documents all
  /// claims and no customer can add one.
  package internal(set) var sendsScopes: Bool = true
  /// Whether `email_verified` says that an e-mail address belongs to the user. False where administrators of any tenant
  /// may write the address.
  package internal(set) var verifiesEmail: Bool = true
  /// The numeric ID of the owner whose repositories' workflows are accepted; `nil` for issuers of other tokens.
  package internal(set) var repositoryOwnerID: String?
  /// The site, in lower case, whose owners' pages are the audiences that the issuer writes if its client names none;
  /// `nil` if it writes none.
  var defaultAudienceSite: String?

  /// Whether the preset describes only a kind of token, and the configuration sets the issuer.
  package var isGeneric: Bool { issuers.isEmpty }

  /// Whether the issuer writes this audience by itself: the site, or the page of an owner directly below it. Such a
  /// token may be for any API. The page of every owner counts, as an owner may have got another name.
  package func isDefaultAudience(_ audience: String) -> Bool {
    guard let site = defaultAudienceSite, audience.utf8.count >= site.utf8.count else { return false }
    let rest = audience.utf8.dropFirst(site.utf8.count)
    return zip(audience.utf8, site.utf8).allSatisfy { $0 == $1 || 0x41...0x5A ~= $0 && $0 | 0x20 == $1 }
      && (rest.first ?? .slash) == .slash && rest.split(separator: .slash).count <= 1
  }

  /// The maximum lifetime of ID tokens: one day (observed at Apple; Google's own library: 86,400 s).
  package static let idTokenLifetimeSeconds: Int64 = 86_400
}

extension IssuerPreset {
  /// The spellings that the configuration accepts, for messages.
  package static let spellings = rows.map { $0.spelling }

  /// Creates the preset with this spelling.
  ///
  /// - Throws: `Flaw` if no preset has the name, or if the argument does not have the issuer's form.
  package init(parsing text: String) throws(Flaw) {
    let parts = text.utf8.split(separator: .colon, maxSplits: 1, omittingEmptySubsequences: false).map {
      String(Substring($0))
    }
    let name = parts[0]
    let argument = parts.count == 2 ? parts[1] : nil
    guard let row = Self.rows.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
      throw .unknown(name)
    }
    switch (row.argument, argument) {
    case (nil, nil): self = row.preset(text, "")
    case (nil, _?): throw .unexpectedArgument(preset: name)
    case (let form?, nil): throw .missingArgument(preset: name, form: form.description)
    case (let form?, let argument?):
      guard form.accepts(argument) else { throw .wrongArgument(preset: name, form: form.description) }
      self = row.preset(text, argument)
    }
  }

  /// The issuer of GitHub Actions: one for the workflows of all owners.
  package static let workflowIssuer = "https://token.actions.githubusercontent.com"

  /// The preset to use for this issuer; `nil` if there is none. A configuration with the plain issuer would lack the
  /// rules that distinguish the issuer's kinds of token.
  package static func spelling(forIssuer issuer: String) -> String? {
    rows.first { row in row.issuers.contains { isNamed(issuer, by: $0) } }?.spelling
  }

  /// Whether an issuer is this one, also with a slash at its end, or begins as this one, whose end is then open.
  private static func isNamed(_ issuer: String, by name: String) -> Bool {
    guard name.utf8.last != .slash, name.utf8.last != .dot else {
      return issuer.utf8.starts(with: name.utf8)
    }
    return issuer.utf8.elementsEqual(name.utf8) || issuer.utf8.elementsEqual((name + "/").utf8)
  }

  /// Whether the issuer's tokens are of GitHub's workflows: of all owners, or of one enterprise, whose name follows
  /// (GitHub, "OpenID Connect reference", "Customizing the issuer value for an enterprise").
  package static func isOfWorkflows(_ issuer: String) -> Bool {
    issuer.utf8.elementsEqual(workflowIssuer.utf8) || issuer.utf8.starts(with: (workflowIssuer + "/").utf8)
  }

  /// The reason why a spelling is not a preset.
  package enum Flaw: Error, Equatable, Sendable {
    case unknown(String)
    case missingArgument(preset: String, form: String)
    case wrongArgument(preset: String, form: String)
    case unexpectedArgument(preset: String)
  }
}
