import Bytes
import JOSE
import JSON
import Withdrawals

/// The `context` of the answer: what the backend learns about a token. Not copyable, because a copy would count a
/// reference for each part of the token.
enum ContextMembers: ~Copyable {
  /// Only the code of the refusal.
  case refusal(PublicCode)
  /// That the caller is a guest, and nothing else.
  case guest
  /// The members for the issuer's tokens. Only HTTP APIs with payload format 2.0 accept arrays and objects. The
  /// context has a code if the answer refuses any route.
  case token(VerifiedToken, ScopeSet, ContextTemplate, takesStructures: Bool, refusal: PublicCode?)

  /// The name of the code that a refused caller may see.
  static let denyCodeName = "denyCode"

  /// The member that tells a backend that the caller is a guest. No claim may become it, since users could then choose
  /// its value.
  static let guestName = "anonymous"

  /// Our own limit on one context. API Gateway documents one for WebSocket APIs only: 8 KB for the whole answer.
  static let maximumBytes = 8192

  /// Writes the object.
  ///
  /// - Returns: whether it is within the limit.
  func write(to writer: inout JSONWriter) -> Bool {
    let start = writer.count
    writer.beginObject()
    let code: PublicCode?
    switch self {
    case .refusal(let refusal): code = refusal
    case .guest:
      writer.name(Self.guestName)
      writer.boolean(true)
      code = nil
    case .token(let token, let scopes, let template, let takesStructures, let refusal):
      for member in template.members {
        member.write(token, scopes, takesStructures: takesStructures, to: &writer)
      }
      code = refusal
    }
    if let code {
      writer.name(Self.denyCodeName)
      writer.string(code.rawValue)
    }
    writer.endObject()
    return writer.count - start <= Self.maximumBytes
  }
}

/// All that a caller may learn about a refusal. Only logs show which check failed.
enum PublicCode: String {
  /// The token is missing, malformed or rejected.
  case tokenInvalid = "token_invalid"
  /// The token is accepted but may not reach the requested route.
  case accessDenied = "access_denied"
}

/// Which members the context of one issuer's tokens has.
struct ContextTemplate: Equatable, Sendable {
  private(set) var members: [Member]

  /// One member and where its value comes from. A class, because every answer reads it.
  final class Member: Equatable, Sendable {
    let name: String
    let source: Source
    /// The name in JSON with quotes and colon, the same in every answer.
    fileprivate let label: [UInt8]

    init(name: String, source: Source) {
      self.name = name
      self.source = source
      label = JSONWriter.json(ofName: name)
    }

    static func == (left: Member, right: Member) -> Bool {
      left === right || left.label == right.label && left.source == right.source
    }
  }

  enum Source: Equatable, Sendable {
    /// The configured name of the issuer. A subject is unique only within its issuer (OpenID Connect Core section
    /// 5.7).
    case issuerName
    /// The token's expiry in Unix seconds. An open WebSocket outlives its token unless the backend checks this.
    case expiry
    /// All scopes joined by blanks.
    case scopes
    /// What the caller has proven: `dpop`, `certificate` or `dpop certificate`.
    case confirmation
    /// A text of the configuration.
    case text([UInt8])
    case yes
    /// A claim, unchanged.
    case claim(ClaimPath)
    /// A claim that is a boolean or a boolean as text, as Apple writes them; written as a boolean.
    case booleanClaim(ClaimPath)
    /// A claim that is a list of strings, joined by blanks.
    case joinedList(ClaimPath)
    /// A claim of any kind as JSON text.
    case jsonText(ClaimPath)
  }

  /// Reserved names. API Gateway puts the first two beside the context, `claims` is reserved on HTTP APIs with
  /// payload format 1.0, and the rest are variables of access logs under `$context.authorizer` (API Gateway,
  /// "Variables for access logging").
  static let reservedNames = [
    "principalId", "integrationLatency", "claims", "error", "integrationStatus", "latency", "requestId",
    "status",
    ContextMembers.denyCodeName,
  ]
  /// Standard members by which a backend identifies the caller (Identity does), or learns what the caller has proven.
  /// No configuration may take them from another claim, since users could then choose their values.
  static let identityNames = ["sub", "issuer", "confirmation"]
  /// Members that tell a server of MCP what it must check, in lower case: no claim may become one, in any case.
  static let ownNames = ["mcptoolrules", "mcptools"]
  /// The beginning of the members by which Identity withdraws a token, and of no member that a configuration names.
  static let revocationPrefix = "revocation"
  /// Members of one context; our own limit.
  static let maximumMembers = 50

  /// The members for the tokens of every issuer.
  static let standard: [Member] = [
    Member(name: "sub", source: .claim(ClaimPath(name: "sub"))),
    Member(name: "issuer", source: .issuerName), Member(name: "exp", source: .expiry),
    Member(name: "scope", source: .scopes), Member(name: "confirmation", source: .confirmation),
  ]

  /// The additional members for Apple's identity tokens (Apple, "Authenticating users with Sign in with Apple").
  static let apple: [Member] = [
    Member(name: "email", source: .claim(ClaimPath(name: "email"))),
    Member(name: "emailVerified", source: .booleanClaim(ClaimPath(name: "email_verified"))),
    Member(name: "isPrivateEmail", source: .booleanClaim(ClaimPath(name: "is_private_email"))),
  ]
}

extension ContextTemplate {
  /// Adds the keys by which a token can be withdrawn: `revocationIssuer`, and `revocationSub` and so on. Beside `sub`,
  /// `revocationIat`, with which it is compared.
  mutating func add(_ lookup: WithdrawalLookup) {
    members.append(Member(name: Self.revocationPrefix + "Issuer", source: .text(Array(lookup.name.utf8))))
    for kind in lookup.kinds {
      let name =
        switch kind {
        case .subject: "Sub"
        case .session: "Sid"
        case .token: "Jti"
        case .lineage: "OriginJti"
        }
      add(name, kind.claim)
      if kind == .subject { add("Iat", "iat") }
    }
  }

  private mutating func add(_ name: String, _ claim: String) {
    members.append(Member(name: Self.revocationPrefix + name, source: .claim(ClaimPath(name: claim))))
  }
}

extension ContextTemplate {
  /// The maximum size of the list of callable tools in bytes; a longer one is left out, since a server that maps the
  /// context to headers gets at most 10,240 (API Gateway quotas).
  static let maximumToolListBytes = 2048

  /// Adds what a server of MCP must know on tool routes: `mcpToolRules`, and `mcpTools` as JSON text.
  mutating func add(_ ruling: ToolRuling) {
    members.append(Member(name: "mcpToolRules", source: .yes))
    var list = JSONWriter()
    list.beginArray()
    for pattern in ruling.callableTools { list.string(utf8: pattern) }
    list.endArray()
    guard list.count <= Self.maximumToolListBytes else { return }
    members.append(Member(name: "mcpTools", source: .text(list.takeBytes())))
  }
}

extension ContextTemplate.Member {
  fileprivate func write(
    _ token: VerifiedToken, _ scopes: ScopeSet, takesStructures: Bool, to writer: inout JSONWriter
  ) {
    switch source {
    case .issuerName:
      writer.name(json: label)
      writer.string(token.issuerName)
    case .expiry:
      writer.name(json: label)
      writer.integer(token.expiresAt)
    case .scopes:
      let joined = scopes.joined
      if !joined.isEmpty { write(joined.span, to: &writer) }
    case .confirmation:
      guard let proven = token.confirmation.provenNames else { return }
      writer.name(json: label)
      writer.string(proven)
    case .text(let text):
      writer.name(json: label)
      writer.string(utf8: text)
    case .yes:
      writer.name(json: label)
      writer.boolean(true)
    case .claim(let claim): write(claim.value(in: token.claims), takesStructures, to: &writer)
    case .booleanClaim(let claim):
      guard let boolean = claim.value(in: token.claims)?.flexibleBoolean else { return }
      writer.name(json: label)
      writer.boolean(boolean)
    case .joinedList(let claim):
      guard let value = claim.value(in: token.claims), let joined = Self.joined(value) else { return }
      write(joined.span, to: &writer)
    case .jsonText(let claim):
      guard let value = claim.value(in: token.claims), value.kind != .null else { return }
      var text = JSONWriter()
      text.value(value)
      write(text.bytes.span, to: &writer)
    }
  }

  private func write(_ value: JSONValue?, _ takesStructures: Bool, to writer: inout JSONWriter) {
    guard let value else { return }
    switch value.kind {
    case .null: return
    case .string:
      guard let text = value.utf8Slice else { return }
      write(text.span, to: &writer)
    case .object, .array:
      guard takesStructures else { return }
      writer.name(json: label)
      writer.value(value)
    case .number, .boolean:
      writer.name(json: label)
      writer.value(value)
    }
  }

  /// Omits a string with control characters: mapped to a header, it could end the header.
  private func write(_ text: Span<UInt8>, to writer: inout JSONWriter) {
    guard !ControlCharacters.occur(in: text) else { return }
    writer.name(json: label)
    writer.string(text)
  }

  /// Returns `nil` unless every element is a string without a blank: an element with a blank would read as two.
  private static func joined(_ value: JSONValue) -> [UInt8]? {
    guard value.kind == .array else { return value.utf8 }
    var joined: [UInt8] = []
    for element in value.elements {
      guard let text = element.utf8, !text.isEmpty, !text.contains(.space) else { return nil }
      if !joined.isEmpty { joined.append(.space) }
      joined += text
    }
    return joined
  }
}

extension Confirmation {
  /// What a proven token is bound to; `nil` for a token that is not bound.
  fileprivate var provenNames: String? {
    switch (key, certificate) {
    case (nil, nil): nil
    case (.some, nil): "dpop"
    case (nil, .some): "certificate"
    case (.some, .some): "dpop certificate"
    }
  }
}
