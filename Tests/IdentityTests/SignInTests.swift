import JSON
import Testing
import UserStore

@testable import Identity

@Suite("Sign-in")
struct SignInTests {
  @Test(
    "the first sign-in creates a user, the second finds it", arguments: ["/auth/verify", "/auth/apple"])
  func firstAndSecond(path: String) throws {
    var harness = try IdentityHarness()
    let first = try harness.post(path, IdentityHarness.body(try harness.token()))
    #expect(first.status == 200)
    #expect(first.record.outcome == .created)
    #expect(first.text("apple_user_id") == IdentityHarness.subject)
    #expect(first.text("email") == "ada@example.com")
    #expect(first.data?["email_verified"] == .boolean(true))
    #expect(first.data?["is_new_user"] == .boolean(true))
    #expect(first.text("created_at") == "2026-11-18T11:06:40Z")
    #expect(first.data?["profile_complete"] == .boolean(false))
    #expect(first.text("auth_state") == "profileSetup")
    let identifier = try #require(first.text("user_id"))
    #expect(
      identifier.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
    harness.now += 3_600_000
    let second = try harness.signIn()
    #expect(second.record.outcome == .found)
    #expect(second.text("user_id") == identifier)
    #expect(second.data?["is_new_user"] == .boolean(false))
    #expect(second.text("created_at") == "2026-11-18T11:06:40Z")
  }

  @Test("responses forbid caching and content sniffing")
  func headers() throws {
    var harness = try IdentityHarness()
    for answer in [try harness.signIn(), try harness.signIn("\"aud\":\"x\"")] {
      #expect(answer.headers?["Content-Type"] == .string("application/json"))
      #expect(answer.headers?["Cache-Control"] == .string("no-store"))
      #expect(answer.headers?["X-Content-Type-Options"] == .string("nosniff"))
    }
  }

  @Test("a user is looked up by subject, never by email address")
  func subject() throws {
    var harness = try IdentityHarness()
    let first = try harness.signIn(#""sub":"001234.a.1""#)
    let other = try harness.signIn(#""sub":"001234.A.1""#)
    #expect(other.record.outcome == .created)
    #expect(first.text("email") == other.text("email"))
    #expect(first.text("user_id") != other.text("user_id"))
    harness.now += 1000
    let moved = try harness.signIn(#""sub":"001234.a.1","email":"new@example.com""#)
    #expect(moved.text("user_id") == first.text("user_id"))
  }

  static let user = #"{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"ada@form.example.com"}"#

  @Test(
    "name and address of the first sign-in are stored, as an object or as the text of Apple's form",
    arguments: [user, String(decoding: JSONTree.string(user).bytes(), as: UTF8.self)])
  func firstProfile(user: String) throws {
    var harness = try IdentityHarness()
    let omit = ["email", "email_verified", "is_private_email"]
    let first = try harness.signIn(omit: omit, user: user)
    #expect(first.text("given_name") == "Ada")
    #expect(first.text("family_name") == "Lovelace")
    #expect(first.text("email") == "ada@form.example.com")
    #expect(first.data?["email_verified"] == .boolean(false))
    #expect(first.data?["profile_complete"] == .boolean(true))
    #expect(first.text("auth_state") == "authenticated")
    harness.now += 1000
    let later = try harness.signIn(
      omit: omit, user: #"{"name":{"firstName":"Eve","lastName":"X"},"email":"eve@example.com"}"#)
    #expect(later.text("given_name") == "Ada")
    #expect(later.text("family_name") == "Lovelace")
    #expect(later.text("email") == "ada@form.example.com")
    harness.now += 1000
    // A verified address replaces an unverified one.
    let vouched = try harness.signIn()
    #expect(vouched.text("email") == "ada@example.com")
    #expect(vouched.data?["email_verified"] == .boolean(true))
  }

  /// Addresses in later tokens and requests, with the expected result. The first token has ada@example.com, verified.
  static let addresses: [(claims: String, omit: [String], user: String?, email: String, isVerified: Bool)] = [
    (#""email":"b@example.com""#, [], nil, "b@example.com", true),
    (#""email":"b@example.com","email_verified":false"#, [], nil, "ada@example.com", false),
    (#""email":"b@example.com","email_verified":"false""#, [], nil, "ada@example.com", false),
    (#""email":"b@example.com""#, ["email_verified"], nil, "ada@example.com", false),
    (#""email_verified":false"#, [], nil, "ada@example.com", false),
    ("", [], nil, "ada@example.com", true), ("", ["email"], nil, "ada@example.com", true),
    ("", ["email", "email_verified"], #"{"email":"b@example.com"}"#, "ada@example.com", true),
    (#""email":"no address""#, [], nil, "ada@example.com", true),
  ]

  @Test("email_verified applies to the address in the same token", arguments: addresses)
  func verification(claims: String, omit: [String], user: String?, email: String, isVerified: Bool) throws {
    var harness = try IdentityHarness()
    _ = try harness.signIn()
    harness.now += 1000
    let later = try harness.signIn(claims, omit: omit, user: user)
    #expect(later.text("email") == email)
    #expect(later.data?["email_verified"] == .boolean(isVerified))
    // The address is verified again by a token with it.
    harness.now += 1000
    let last = try harness.signIn()
    #expect(last.text("email") == "ada@example.com")
    #expect(last.data?["email_verified"] == .boolean(true))
  }

  @Test("the body never overrides a claim")
  func claimFirst() throws {
    var harness = try IdentityHarness()
    let answer = try harness.signIn(user: Self.user)
    #expect(answer.text("email") == "ada@example.com")
    let unverified = try harness.signIn(#""sub":"other","email_verified":"false""#, user: Self.user)
    #expect(unverified.text("email") == "ada@example.com")
    #expect(unverified.data?["email_verified"] == .boolean(false))
  }

  @Test("unknown values are null")
  func unknown() throws {
    var harness = try IdentityHarness()
    let answer = try harness.signIn(omit: ["email", "email_verified", "is_private_email"])
    for name in ["email", "given_name", "family_name"] { #expect(answer.data?[name] == .null) }
  }

  @Test("relay address and transfer_sub are stored")
  func extraKeys() throws {
    var harness = try IdentityHarness()
    _ = try harness.signIn(
      #""email":"x@privaterelay.appleid.com","is_private_email":"true","transfer_sub":"001234.t.1""#)
    let profile = try #require(harness.store.lastSignIn?.profile)
    #expect(profile.relayEmail == Array("x@privaterelay.appleid.com".utf8))
    #expect(profile.transferSubject == Array("001234.t.1".utf8))
    _ = try harness.signIn(#""is_private_email":false,"transfer_sub":["x"]"#)
    #expect(harness.store.lastSignIn?.profile.relayEmail == nil)
    #expect(harness.store.lastSignIn?.profile.transferSubject == nil)
  }

  @Test("members that are null count as absent")
  func nulls() throws {
    var harness = try IdentityHarness()
    let token = try harness.token()
    let body = #"{"identity_token":"\#(token)","nonce":null,"user":null}"#
    #expect(try harness.post("/auth/verify", body).status == 200)
    let names = #"{"name":{"firstName":null,"lastName":"  "},"email":"","locale":"de"}"#
    let answer = try harness.signIn(user: names)
    #expect(answer.status == 200)
    #expect(answer.data?["family_name"] == .null)
  }

  @Test("the store gets the deadline")
  func deadline() throws {
    var harness = try IdentityHarness()
    _ = try harness.signIn()
    #expect(harness.store.deadlines == [harness.now + 8000])
  }

  @Test("both payload formats and base64 bodies can sign in", arguments: PayloadFormat.allCases)
  func formats(format: PayloadFormat) throws {
    var harness = try IdentityHarness()
    let body = IdentityHarness.body(try harness.token())
    var event = ProxyEvent(format, method: "POST", path: "/auth/verify", body: body)
    #expect(try harness.send(event).status == 200)
    event.body = Base64Text.encode(Array(body.utf8))
    event.isBase64 = true
    event.contentType = "Application/JSON ; Charset=\"UTF-8\""
    #expect(try harness.send(event).record.outcome == .found)
  }

  @Test("200 concurrent first sign-ins of one subject create one user")
  func raceOfUsers() async throws {
    let store = ScriptedStore()
    let outcomes = try await Race.run(200) { _ in
      var harness = try IdentityHarness(store: ScriptedStore(sharing: store))
      return try harness.signIn().record.outcome
    }
    #expect(outcomes.count { $0 == .created } == 1)
    #expect(outcomes.count { $0 == .found } == 199)
  }

  @Test("of 50 concurrent uses of one nonce, one succeeds")
  func raceOfNonces() async throws {
    let store = ScriptedStore()
    var harness = try IdentityHarness(issuesNonces: true, store: store)
    let nonce = try #require(try harness.post("/auth/nonce", "").text("nonce"))
    let body = IdentityHarness.body(try harness.token(#""nonce":"\#(nonce)""#), nonce: nonce)
    let answers = try await Race.run(50) { _ in
      var harness = try IdentityHarness(issuesNonces: true, store: ScriptedStore(sharing: store))
      let answer = try harness.post("/auth/verify", body)
      return "\(answer.status) \(answer.reason ?? "")"
    }
    #expect(answers.count { $0 == "200 " } == 1)
    #expect(answers.count { $0 == "401 nonceUsedBefore" } == 49)
  }
}

/// Runs concurrent calls.
enum Race {
  static func run<Value: Sendable>(
    _ calls: Int, _ call: @escaping @Sendable (Int) throws -> Value
  ) async throws -> [Value] {
    try await withThrowingTaskGroup(of: Value.self) { group in
      for index in 0..<calls { group.addTask { try call(index) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }
}
