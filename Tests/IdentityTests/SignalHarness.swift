import TestTokens
import UserStore
import Withdrawals

@testable import Identity

/// A service with a receiver of each kind, and the tokens of their senders.
struct SignalHarness {
  var service: IdentityHarness

  static let issuer = "https://id.example.com/realms/acme"
  static let appIssuer = "https://id.example.com"

  /// `idp` sends both kinds for two issuers, one of them its own; `bridge` has no users of its own; `closed` has a
  /// credential.
  static let receivers = #"""
    "receivers":[
    {"name":"idp","issuer":"\#(issuer)","users":["\#(issuer)","https://appleid.apple.com"],"algorithms":["RS256"],
    "audiences":["client"],"accept":["back-channel-logout","security-event-token"],
    "keys":{"seed":"keys.json","pinned":true}},
    {"name":"bridge","issuer":"https://bridge.example.com","users":["https://a.example.com/","https://b.example.com"],
    "algorithms":["RS256"],"audiences":["client"],"accept":["back-channel-logout","security-event-token"],
    "keys":{"seed":"keys.json","pinned":true}},
    {"name":"closed","issuer":"\#(issuer)","algorithms":["RS256"],"audiences":["client"],
    "accept":["security-event-token"],"keys":{"seed":"keys.json","pinned":true},
    "authorization":{"environment":"NONCE_SECRET"}}],
    """#

  init(store: ScriptedStore = ScriptedStore()) throws {
    service = try IdentityHarness(more: Self.receivers, store: store)
  }

  var store: ScriptedStore { service.store }

  static let logoutClaims: [String: String] = [
    "iss": "\"\(issuer)\"", "aud": "\"client\"", "iat": "\"-5s\"", "exp": "\"+2m\"", "jti": "\"1\"",
    "sub": "\"alice\"", "events": #"{"http://schemas.openid.net/event/backchannel-logout":{}}"#,
  ]

  static let eventClaims: [String: String] = [
    "iss": "\"\(issuer)\"", "aud": "\"client\"", "iat": "\"-5s\"", "jti": "\"1\"",
    "sub_id": #"{"format":"iss_sub","iss":"\#(issuer)","sub":"alice"}"#,
    "events": #"{"https://schemas.openid.net/secevent/caep/event-type/session-revoked":{}}"#,
  ]

  /// A token with these claims; an empty text omits one. An empty type omits `typ`.
  func token(
    _ kind: SignalKind, _ changes: [String: String] = [:], type: String? = nil, keyID: String? = nil,
    more: String = ""
  ) throws -> String {
    let claims = (kind == .logout ? Self.logoutClaims : Self.eventClaims).merging(changes) { $1 }
    let members = claims.filter { !$0.value.isEmpty }.map { "\"\($0.key)\":\($0.value)" }
    let type = type ?? (kind == .logout ? "logout+jwt" : "secevent+jwt")
    let named = keyID.map { #","kid":"\#($0)""# } ?? ""
    let header = type.isEmpty ? #""omitHeader":["typ"]"# : #""header":{"typ":"\#(type)"\#(named)}"#
    let recipe = #"{"t":{\#(header),"claims":{\#(members.joined(separator: ","))}\#(more)}}"#
    return try TokenMint(
      recipes: try TokenRecipes(parsing: Array(recipe.utf8)), keys: try IdentityHarness.keys(),
      now: service.now / 1000
    ).token(named: "t")
  }

  /// Sends a token as its kind is sent.
  mutating func send(_ kind: SignalKind, _ token: String, to receiver: String = "idp", _ path: String? = nil)
    throws -> Answered
  {
    let path = path ?? "/signals/\(receiver)/" + (kind == .logout ? "logout" : "events")
    return try service.send(
      ProxyEvent(
        method: "POST", path: path, body: kind == .logout ? "logout_token=" + token : token,
        contentType: kind == .logout ? "application/x-www-form-urlencoded" : "application/secevent+jwt"))
  }

  /// What the last order withdraws: `issuer kind value seconds`, with seconds from now.
  var withdrawn: [String] {
    (store.lastOrder?.withdrawals ?? []).map {
      let issuer = String(decoding: $0.key.issuer, as: UTF8.self)
      let value = String(decoding: $0.key.value, as: UTF8.self)
      return "\(issuer) \($0.key.kind.claim) \(value) \(($0.eventMilliseconds - service.now) / 1000)"
    }
  }
}
