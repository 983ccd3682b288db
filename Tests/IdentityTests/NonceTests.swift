import JOSE
import JSON
import Testing
import UserStore

@testable import Identity

@Suite("Nonces")
struct NonceTests {
  /// A client's nonce, and its SHA-256 in hexadecimal.
  static let clientNonce = "a-nonce-of-the-client-0123456789"
  static let clientNonceHash = SHA256Text.hexadecimal(clientNonce)

  @Test(
    "an issued nonce is unique, has 75 base64url characters and 60 s lifetime, and is not stored"
  )
  func issued() throws {
    var harness = try IdentityHarness(issuesNonces: true)
    var seen: Set<String> = []
    for _ in 0..<100 {
      let answer = try harness.send(ProxyEvent(method: "POST", path: "/auth/nonce", contentType: nil))
      #expect(answer.status == 200)
      #expect(answer.record.outcome == .issued)
      #expect(answer.data?["expires_in"] == .number("60"))
      let nonce = try #require(answer.text("nonce"))
      #expect(nonce.wholeMatch(of: /[A-Za-z0-9_-]{75}/) != nil)
      seen.insert(nonce)
    }
    #expect(seen.count == 100)
    #expect(harness.store.deadlines.isEmpty)
  }

  @Test("no nonce is issued if clients create them")
  func notIssued() throws {
    var harness = try IdentityHarness()
    let answer = try harness.post("/auth/nonce", "")
    #expect(answer.status == 404)
    #expect(answer.code == "not_found")
  }

  @Test("without random bytes no nonce is issued and no user is created")
  func noRandomness() throws {
    var harness = try IdentityHarness(issuesNonces: true)
    let nonce = try #require(try harness.post("/auth/nonce", "").text("nonce"))
    let inputs = InvocationInputs(
      time: harness.inputs.time, unixMilliseconds: harness.now, deadlineMilliseconds: 0, randomBytes: [])
    let body = IdentityHarness.body(try harness.token(#""nonce":"\#(nonce)""#), nonce: nonce)
    for event in [
      ProxyEvent(method: "POST", path: "/auth/nonce"),
      ProxyEvent(method: "POST", path: "/auth/verify", body: body),
    ] {
      let answer = Answered(try harness.service.answer(to: event.bytes, inputs))
      #expect(answer.status == 503)
      #expect(answer.reason == "cryptographyUnavailable")
    }
    #expect(harness.store.writes == 0)
  }

  @Test("an issued nonce is accepted once, as the nonce or its hash", arguments: [false, true])
  func signIn(isHashed: Bool) throws {
    var harness = try IdentityHarness(issuesNonces: true)
    let nonce = try #require(try harness.post("/auth/nonce", "").text("nonce"))
    let claim = isHashed ? SHA256Text.hexadecimal(nonce) : nonce
    harness.now += 59_000
    let body = IdentityHarness.body(try harness.token(#""nonce":"\#(claim)""#), nonce: nonce)
    #expect(try harness.post("/auth/verify", body).record.outcome == .created)
    // Remembered for longer than its lifetime, for machines whose clocks differ.
    let use = try #require(harness.store.lastSignIn?.nonce)
    #expect(use.digest.count == 32)
    #expect(use.expiresAt == (harness.now - 59_000) / 1000 + 60 + 300)
    let replay = try harness.post("/auth/verify", body)
    #expect(replay.status == 401)
    #expect(replay.code == "invalid_credential")
    #expect(replay.reason == "nonceUsedBefore")
  }

  enum Change: String, CaseIterable {
    case expired, expiredAtOnce, fromFuture, forgedTag, forgedRandom, forgedTime, truncated, longer,
      otherSecret
    case padded, empty, clientMade, missing
  }

  static let reasons: [Change: String] = [
    .expired: "nonceExpired", .expiredAtOnce: "nonceExpired", .fromFuture: "nonceFromFuture",
    .empty: "malformedMember", .missing: "nonceMissing",
  ]

  @Test("an invalid nonce is refused, and nothing is stored", arguments: Change.allCases)
  func refused(change: Change) throws {
    var harness = try IdentityHarness(issuesNonces: true)
    var issuer = harness
    if change == .otherSecret {
      issuer.service = IdentityService(
        try IdentityHarness.settings(issuesNonces: true, secret: "another secret of thirty-two byte"),
        store: ScriptedStore(), transport: NoNetwork(), at: 0)
    }
    if change == .fromFuture { issuer.now += 6000 }
    let issued = try #require(try issuer.post("/auth/nonce", "").text("nonce"))
    if change == .expired { harness.now += 3_600_000 }
    if change == .expiredAtOnce { harness.now += 60_000 }
    let nonce: String? =
      switch change {
      case .forgedTag: Self.flipped(issued, at: 70)
      case .forgedRandom: Self.flipped(issued, at: 3)
      case .forgedTime: Self.flipped(issued, at: 28)
      case .truncated: String(issued.dropLast(4))
      case .longer: issued + "AAAA"
      case .padded: issued + "="
      case .empty: ""
      case .clientMade: Self.clientNonce
      case .missing: nil
      default: issued
      }
    let claims = nonce.map { #""nonce":"\#($0)""# } ?? ""
    let answer = try harness.signIn(claims, nonce: nonce)
    #expect(answer.status == (change == .empty ? 400 : 401))
    #expect(answer.code == (change == .empty ? "invalid_request" : "invalid_credential"))
    #expect(answer.reason == Self.reasons[change] ?? "nonceForged")
    #expect(harness.store.writes == 0)
  }

  @Test("a nonce with one changed bit is forged")
  func everyBit() throws {
    let settings = try #require(try IdentityHarness.settings(issuesNonces: true).nonces)
    let mint = NonceMint(settings)
    let time: Int64 = 1_795_000_000_000
    let nonce = try #require(mint.nonce(random: [UInt8](repeating: 0xA5, count: 16), unixMilliseconds: time))
    #expect(try mint.check(nonce, unixMilliseconds: time) == time + 60_000)
    let bytes = try #require(Base64URL.decode(nonce))
    for bit in 0..<bytes.count * 8 {
      var forged = bytes
      forged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: NonceRejection.forged) {
        try mint.check(Base64URL.encode(forged), unixMilliseconds: time)
      }
    }
  }

  @Test("a nonce is accepted throughout its lifetime and refused outside it")
  func life() throws {
    let settings = try #require(try IdentityHarness.settings(issuesNonces: true).nonces)
    let mint = NonceMint(settings)
    let time: Int64 = 1_795_000_000_000
    let nonce = try #require(mint.nonce(random: [UInt8](repeating: 1, count: 16), unixMilliseconds: time))
    for offset: Int64 in [-5000, -1, 0, 1, 59_999] {
      #expect(throws: Never.self) { try mint.check(nonce, unixMilliseconds: time + offset) }
    }
    for offset: Int64 in [60_000, 60_001, 1 << 40] {
      #expect(throws: NonceRejection.expired) { try mint.check(nonce, unixMilliseconds: time + offset) }
    }
    for offset: Int64 in [-5001, -60_000] {
      #expect(throws: NonceRejection.fromFuture) { try mint.check(nonce, unixMilliseconds: time + offset) }
    }
  }

  @Test(
    "a client's nonce is accepted once, as the nonce or its hash", arguments: [clientNonce, clientNonceHash])
  func clientMade(claim: String) throws {
    var harness = try IdentityHarness()
    let body = IdentityHarness.body(try harness.token(#""nonce":"\#(claim)""#), nonce: Self.clientNonce)
    #expect(try harness.post("/auth/verify", body).status == 200)
    #expect(harness.store.lastSignIn?.nonce?.expiresAt == harness.now / 1000 + 60 + 5 + 1 + 300)
    harness.now += 1000
    let replay = try harness.post("/auth/verify", body)
    #expect(replay.status == 401)
    #expect(replay.reason == "nonceUsedBefore")
    // Another token with the nonce is refused too.
    let other = try harness.signIn(#""sub":"other","nonce":"\#(claim)""#, nonce: Self.clientNonce)
    #expect(other.reason == "nonceUsedBefore")
  }

  @Test(
    "a client's nonce that was used in one form is refused in the other",
    arguments: [[clientNonce, clientNonceHash], [clientNonceHash, clientNonce]])
  func eitherSpelling(nonces: [String]) throws {
    var harness = try IdentityHarness()
    let token = try harness.token(#""nonce":"\#(Self.clientNonceHash)""#)
    let first = try harness.post("/auth/verify", IdentityHarness.body(token, nonce: nonces[0]))
    #expect(first.status == 200)
    let replay = try harness.post("/auth/verify", IdentityHarness.body(token, nonce: nonces[1]))
    #expect(replay.status == 401)
    #expect(replay.reason == "nonceUsedBefore")
  }

  /// The first argument is the seconds between token and request.
  @Test(
    "a client's nonce requires a token issued within the last minute",
    arguments: [(0, true), (65, true), (66, false), (3000, false), (-5, true), (-6, false)])
  func clientNonceAge(seconds: Int64, isGood: Bool) throws {
    var harness = try IdentityHarness(more: #""maximumAgeSeconds":86400,"#)
    let token = try harness.token(#""nonce":"\#(Self.clientNonceHash)""#)
    harness.now += seconds * 1000
    let answer = try harness.post("/auth/verify", IdentityHarness.body(token, nonce: Self.clientNonce))
    #expect(answer.status == (isGood ? 200 : 401))
    #expect(answer.reason == (isGood ? nil : "nonceTokenTooOld"))
    #expect(harness.store.writes == (isGood ? 1 : 0))
  }

  struct Pair: Sendable {
    let claims: String
    let nonce: String?
    let reason: String
    var status: Int64 = 401
  }

  @Test(
    "the nonce must be in both request and token, or in neither",
    arguments: [
      Pair(claims: #""nonce":"x""#, nonce: nil, reason: "nonceClaim.unexpected"),
      Pair(claims: "", nonce: clientNonce, reason: "nonceClaim.missing"),
      Pair(claims: #""nonce":"another""#, nonce: clientNonce, reason: "nonceClaim.mismatch"),
      Pair(claims: #""nonce":1"#, nonce: clientNonce, reason: "nonceClaim.malformed"),
      Pair(
        claims: #""nonce":"\#(clientNonceHash.uppercased())""#, nonce: clientNonce,
        reason: "nonceClaim.mismatch"),
      Pair(claims: #""nonce":"short""#, nonce: "short", reason: "malformedMember", status: 400),
    ])
  func bothOrNeither(pair: Pair) throws {
    var harness = try IdentityHarness()
    let answer = try harness.signIn(pair.claims, nonce: pair.nonce)
    #expect(answer.status == pair.status)
    #expect(answer.reason == pair.reason)
    #expect(harness.store.writes == 0)
  }

  private static func flipped(_ text: String, at index: Int) -> String {
    var characters = Array(text)
    characters[index] = characters[index] == "A" ? "B" : "A"
    return String(characters)
  }
}

/// SHA-256 as a client computes it.
enum SHA256Text {
  static func hexadecimal(_ text: String) -> String {
    let digest = TokenVerifier(profiles: []).digest(Array(text.utf8)[...])
    return digest.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }
}
