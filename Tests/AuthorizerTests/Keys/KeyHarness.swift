import JSON
import KeyFetcher
import TestSupport
import TestTokens
import Testing

@testable import Authorizer
@testable import IssuerKeys

/// One issuer with fetched keys, a scripted key server, and a manual clock.
struct KeyHarness {
  static let address = "https://id.example.com/jwks"
  let transport = ScriptedTransport()
  var authorizer: Authorizer<ScriptedTransport>
  var now: Int64 = TestIssuers.now

  /// - Parameters:
  ///   - seedAgeDays: the age of a seed with the key `a`; `nil` for no seed.
  ///   - verdictCache: the size of the verdict cache.
  init(
    seedAgeDays: Int64? = nil, published: [SigningKey] = [TestKeys.a], keys: String = "",
    verdictCache: Int = 0
  ) throws {
    if !published.isEmpty {
      transport.answers[Self.address] = .document(try Self.keySet(published), maxAge: nil)
    }
    var members = #""url": "\#(Self.address)""# + keys
    if seedAgeDays != nil { members += #", "seed": "seed.json""# }
    var source = InMemorySource(variables: [
      "AUTHORIZER_CONFIG": """
      {"issuers":[{"name":"partner","issuer":"https://id.example.com","audiences":["api"],"algorithms":["ES256"],
      "keys":{\(members)}}],"verdictCache":\(verdictCache)}
      """
    ])
    if let seedAgeDays {
      source.files["seed.json"] = .bytes(
        try Self.keySet([TestKeys.a], fetchedAt: TestIssuers.now - seedAgeDays * 86_400))
    }
    authorizer = Authorizer(settings: try Settings(reading: source), transport: transport, at: now)
  }

  static func keySet(_ keys: [SigningKey], fetchedAt: Int64? = nil) throws -> [UInt8] {
    var document = JSONTree.object([
      .init(name: "keys", value: .array(try keys.map { try #require($0.publicJWK) }))
    ])
    if let fetchedAt { document["fetchedAt"] = .number("\(fetchedAt)") }
    return document.bytes()
  }

  func publish(_ keys: [SigningKey], maxAge: Int64? = nil) throws {
    transport.answers[Self.address] = .document(try Self.keySet(keys), maxAge: maxAge)
  }

  func fail(_ error: KeyFetchError = .deadlineExceeded) { transport.answers[Self.address] = .failure(error) }

  /// Runs one invocation: the decision, then the work after the response.
  @discardableResult
  mutating func invoke(_ key: SigningKey, kid: String? = nil, remainingMilliseconds: Int64? = nil) throws
    -> ReasonCode?
  {
    let token = try TestKeys.token(signedWith: key, kid: kid ?? key.id, now: now)
    let time = InvocationTime(unixSeconds: now, remainingMilliseconds: remainingMilliseconds)
    let decision = authorizer.decide(on: TestEvent.bytes(.restToken, token: token), at: time)
    authorizer.refreshKeys(at: time)
    return decision.reason
  }
}

/// Keys shared by several tests, since generating one takes time.
enum TestKeys {
  static let a = make("a")
  static let b = make("b")
  /// A different key with the key ID of `a`.
  static let otherA = make("a")

  private static func make(_ id: String) -> SigningKey {
    do { return try SigningKey.generate(.es256, id: id) } catch { fatalError("no key: \(error)") }
  }

  static func token(signedWith key: SigningKey, kid: String, now: Int64) throws -> String {
    let header = #"{"alg":"ES256","kid":"\#(kid)"}"#
    let claims =
      #"{"iss":"https://id.example.com","aud":"api","sub":"u1","iat":\#(now - 5),"exp":\#(now + 600)}"#
    let input = [header, claims].map { base64URLEncoded(Array($0.utf8)) }.joined(separator: ".")
    return input + "." + base64URLEncoded(try key.signature(over: Array(input.utf8)))
  }
}
