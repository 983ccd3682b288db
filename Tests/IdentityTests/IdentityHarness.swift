import Foundation
import TestSupport
import FunctionHost
import IssuerKeys
import JSON
import KeyFetcher
import TestTokens
import UserStore
import UserStoreContract

@testable import Identity

/// The identity service with development keys, an in-memory store, and a manual clock.
struct IdentityHarness {
  var service: IdentityService<ScriptedStore, NoNetwork>
  let store: ScriptedStore
  /// Unix milliseconds.
  var now: Int64 = 1_795_000_000_000

  static let secret = "fqvk173nfiURgvloNkACSKWaSe2TNIqjm2kBCisl"
  static let subject = "001234.0123456789abcdef0123456789abcdef.0123"

  static func keys() throws -> DevelopmentKeys { try SharedKeys.all() }

  /// - Parameters:
  ///   - issuesNonces: whether the server issues nonces.
  ///   - more: further members of the configuration.
  ///   - hasKeys: whether Apple's keys are configured; otherwise fetching them fails.
  ///   - store: a store, which other harnesses may share.
  init(
    issuesNonces: Bool = false, more: String = "", hasKeys: Bool = true,
    store: ScriptedStore = ScriptedStore()
  ) throws {
    self.store = store
    service = IdentityService(
      try Self.settings(issuesNonces: issuesNonces, more: more, hasKeys: hasKeys), store: store,
      transport: NoNetwork(), at: now / 1000)
  }

  static func settings(
    issuesNonces: Bool = false, more: String = "", hasKeys: Bool = true, secret: String = secret
  ) throws -> IdentitySettings {
    var source = InMemorySource()
    source.files["keys.json"] = try keys().publicKeySet.bytes()
    source.variables["AUTHORIZER_DEVELOPMENT"] = "1"
    source.variables["NONCE_SECRET"] = secret
    let keys = hasKeys ? #""keys":{"seed":"keys.json","pinned":true},"# : ""
    let nonce = issuesNonces ? #""nonce":{"secret":{"environment":"NONCE_SECRET"}},"# : ""
    source.variables["IDENTITY_CONFIG"] = """
      {"audiences":["com.example.app","com.example.web"],\(keys)\(nonce)\(more)
      "store":{"sqlite":{"path":"users.sqlite"}}}
      """
    return try IdentitySettings(reading: source)
  }

  /// Sends one request.
  mutating func send(_ event: ProxyEvent) throws -> Answered {
    Answered(try service.answer(to: event.bytes, inputs))
  }

  /// Sends a POST with this body.
  mutating func post(_ path: String, _ body: String) throws -> Answered {
    try send(ProxyEvent(method: "POST", path: path, body: body))
  }

  /// Signs in with a token with these claims.
  mutating func signIn(
    _ claims: String = "", omit: [String] = [], nonce: String? = nil, user: String? = nil
  ) throws -> Answered {
    try post("/auth/verify", Self.body(try token(claims, omit: omit), nonce: nonce, user: user))
  }

  static func body(_ token: String, nonce: String? = nil, user: String? = nil) -> String {
    let nonce = nonce.map { #","nonce":"\#($0)""# } ?? ""
    return #"{"identity_token":"\#(token)"\#(nonce)\#(user.map { #","user":\#($0)"# } ?? "")}"#
  }

  /// An identity token as Apple would sign it now.
  func token(_ claims: String = "", omit: [String] = [], more: String = "") throws -> String {
    let omitted = omit.map { "\"\($0)\"" }.joined(separator: ",")
    return try mint(#""preset":"apple","omit":[\#(omitted)],"claims":{\#(claims)}\#(more)"#)
  }

  /// A notification as Apple would sign it now.
  ///
  /// - Parameters:
  ///   - events: the JSON for the claim, which is a string.
  ///   - claims: override the default claims.
  func notification(_ events: String, jti: String = "jti-1", claims: String = "") throws -> String {
    let text = JSONTree.string(events).bytes()
    let omit = #"["sub","email","email_verified","is_private_email","auth_time","nonce_supported"]"#
    let more = claims.isEmpty ? "" : "," + claims
    return try mint(
      #""preset":"apple","omit":\#(omit),"claims":{"jti":"\#(jti)","events":\#(String(decoding: text, as: UTF8.self))\#(more)}"#
    )
  }

  /// The claim `events` of a notification.
  func events(_ type: String, at milliseconds: Int64? = nil, subject: String = subject) -> String {
    #"{"type":"\#(type)","sub":"\#(subject)","event_time":\#(milliseconds ?? now)}"#
  }

  private func mint(_ recipe: String) throws -> String {
    let recipes = try TokenRecipes(parsing: Array("{\"t\":{\(recipe)}}".utf8))
    return try TokenMint(recipes: recipes, keys: try Self.keys(), now: now / 1000).token(named: "t")
  }

  var inputs: InvocationInputs {
    InvocationInputs(
      time: InvocationTime(unixSeconds: now / 1000), unixMilliseconds: now,
      deadlineMilliseconds: now + 8000,
      randomBytes: (0..<16).map { _ in UInt8.random(in: 0...255) })
  }
}

/// The response and the logged facts of a request.
struct Answered {
  let record: RequestRecord
  let status: Int64
  let headers: JSONTree?
  let body: JSONTree?
  let bodyText: String

  init(_ record: RequestRecord) {
    self.record = record
    status = record.status
    let response = try? JSONTree(parsing: record.response, limits: .event)
    headers = response?["headers"]
    if case .string(let text)? = response?["body"] { bodyText = text } else { bodyText = "no body" }
    body = try? JSONTree(parsing: Array(bodyText.utf8), limits: .event)
  }

  var data: JSONTree? { body?["data"] }

  /// `error.code`; `nil` for a 200.
  var code: String? { if case .string(let code)? = body?["error"]?["code"] { code } else { nil } }

  var reason: String? { record.refusal?.reason }

  func text(_ name: String) -> String? { if case .string(let text)? = data?[name] { text } else { nil } }
}

/// A proxy event of either format.
struct ProxyEvent {
  var format = PayloadFormat.v1
  var method = "GET"
  var path: String
  var stage = "prod"
  var body: String?
  var isBase64 = false
  var contentType: String? = "application/json"
  var authorization: String?
  /// The members of the authorizer's context, as JSON.
  var context: String?

  init(
    _ format: PayloadFormat = .v1, method: String = "GET", path: String, body: String? = nil,
    contentType: String? = "application/json", context: String? = nil
  ) {
    self.format = format
    self.method = method
    self.path = path
    self.body = body
    self.contentType = contentType
    self.context = context
  }

  /// A GET by this subject, by default of the authorizer's issuer `apple`.
  static func get(
    _ path: String, as subject: String?, issuer: String = "apple", _ format: PayloadFormat = .v1
  )
    -> ProxyEvent
  {
    let context = subject.map { #"{"sub":"\#($0)","issuer":"\#(issuer)","principalId":"\#($0)"}"# }
    return ProxyEvent(format, path: path, context: context)
  }

  var bytes: [UInt8] {
    let quoted = { (text: String) in String(decoding: JSONTree.string(text).bytes(), as: UTF8.self) }
    let body = self.body.map(quoted) ?? "null"
    let name = format == .v1 ? "Content-Type" : "content-type"
    let headers = contentType.map { #""\#(name)":\#(quoted($0)),"# } ?? ""
    let credential = authorization.map { #""authorization":\#(quoted($0)),"# } ?? ""
    let common =
      #""headers":{\#(headers)\#(credential)"X-Other":"1"},"body":\#(body),"isBase64Encoded":\#(isBase64)"#
    switch format {
    case .v1:
      let multi = contentType.map { #","multiValueHeaders":{"Content-Type":[\#(quoted($0))]}"# } ?? ""
      return Array(
        """
        {"resource":"/","path":\(quoted(path)),"httpMethod":"\(method)",\(common)\(multi),
        "requestContext":{"stage":"\(stage)","path":"/\(stage)","authorizer":\(context ?? "null")}}
        """.utf8)
    case .v2:
      let authorizer = context.map { #","authorizer":{"lambda":\#($0)}"# } ?? ""
      return Array(
        """
        {"version":"2.0","routeKey":"$default","rawPath":\(quoted(path)),\(common),
        "requestContext":{"stage":"\(stage)","http":{"method":"\(method)","path":\(quoted(path))}\(authorizer)}}
        """.utf8)
    }
  }
}

/// An in-memory store that can be set to fail and counts writes.
final class ScriptedStore: UserStore, @unchecked Sendable {
  let contents: InMemoryStore.Contents
  var failure: StoreError?
  /// The number of attempts to store sign-ins and events.
  private(set) var writes = 0
  private(set) var lastSignIn: SignIn?
  private(set) var lastEvent: AccountEvent?
  private(set) var lastOrder: WithdrawalOrder?
  private(set) var deadlines: [Int64] = []
  private var client: InMemoryStore

  init() {
    contents = InMemoryStore.Contents()
    client = InMemoryStore(contents)
  }

  /// Another client of the same contents.
  init(sharing other: ScriptedStore) {
    contents = other.contents
    client = InMemoryStore(contents)
  }

  func keep(_ signIn: SignIn, deadlineMilliseconds: Int64) throws(StoreError) -> SignInOutcome {
    writes += 1
    lastSignIn = signIn
    deadlines.append(deadlineMilliseconds)
    if let failure { throw failure }
    return try client.keep(signIn, deadlineMilliseconds: deadlineMilliseconds)
  }

  func user(subject: [UInt8], deadlineMilliseconds: Int64) throws(StoreError) -> User? {
    deadlines.append(deadlineMilliseconds)
    if let failure { throw failure }
    return try client.user(subject: subject, deadlineMilliseconds: deadlineMilliseconds)
  }

  func record(_ event: AccountEvent, deadlineMilliseconds: Int64) throws(StoreError) -> Recording {
    writes += 1
    lastEvent = event
    deadlines.append(deadlineMilliseconds)
    if let failure { throw failure }
    return try client.record(event, deadlineMilliseconds: deadlineMilliseconds)
  }

  func withdraw(_ order: WithdrawalOrder, deadlineMilliseconds: Int64) throws(StoreError) -> Recording {
    writes += 1
    lastOrder = order
    deadlines.append(deadlineMilliseconds)
    if let failure { throw failure }
    return try client.withdraw(order, deadlineMilliseconds: deadlineMilliseconds)
  }
}

/// A transport whose fetches all fail.
struct NoNetwork: KeyTransport {
  mutating func fetch(_ addresses: [KeyAddress], milliseconds: Int64) -> KeyFetches {
    KeyFetches(results: addresses.map { _ in .failure(.deadlineExceeded) }, elapsedMilliseconds: 0)
  }
}

/// A function's environment and files, without a process.
struct InMemorySource: ConfigurationSource {
  var variables: [String: String] = [:]
  var files: [String: [UInt8]] = [:]

  func variable(_ name: String) -> String? { variables[name] }

  func file(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    guard let bytes = files[path] else { throw .unreadable(errno: 2) }
    guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
    return bytes
  }
}

/// Base64 (RFC 4648 section 4) as in API Gateway's events.
enum Base64Text {
  static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
