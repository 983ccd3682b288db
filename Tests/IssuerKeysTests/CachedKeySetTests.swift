import JOSE
import JSON
import KeyFetcher
import TestTokens
import Testing

@testable import IssuerKeys

@Suite("Keys of one issuer")
struct CachedKeySetTests {
  private static func source() throws -> KeySource {
    KeySource(
      address: try KeyAddress(parsing: "https://id.example.com/jwks", development: false), seed: nil,
      policy: KeyPolicy(minimumRSAExponent: 65537), algorithms: [.es256],
      lifetimes: KeyLifetimes(grace: 300, staleOnError: 86_400, seedMaximumAge: 86_400),
      acceptsDevelopmentKeys: false)
  }

  /// A document with a new key.
  private static func keySet() throws -> [UInt8] {
    let key = try #require(try SigningKey.generate(.es256, id: "a").publicJWK)
    return JSONTree.object([.init(name: "keys", value: .array([key]))]).bytes()
  }

  private static func result(_ document: [UInt8]) -> KeyFetchResult {
    .success(KeySetResponse(body: document, maximumAgeSeconds: nil))
  }

  @Test(
    "a fetch result is parsed without the key state, and only the fetch in progress may store it"
  )
  func lateAnswers() throws {
    let document = try Self.keySet()
    let other = try Self.keySet()
    var keys = CachedKeySet(try Self.source(), now: 0)
    let first = keys.beginFetch()
    #expect(keys.take(first.read(Self.result(document)), of: first, at: 1) == nil)
    let second = keys.beginFetch()
    let third = keys.beginFetch()
    #expect(keys.take(second.read(Self.result(other)), of: second, at: 2) == nil)
    #expect(keys.fetchUnderWay == third.number, "a late result changes nothing")
    #expect(keys.take(second.read(.failure(.deadlineExceeded)), of: second, at: 2) == nil)
    #expect(!keys.isFailing)
    guard case .keys(let kept, _) = third.read(Self.result(document)),
      case .keys(let before, _) = first.read(Self.result(document))
    else {
      Issue.record("no keys")
      return
    }
    #expect(kept.keys.first !== before.keys.first, "parsing a document twice gives two key sets")
    guard case .keys(let again, _) = keys.beginFetch().read(Self.result(document)) else {
      Issue.record("no keys")
      return
    }
    #expect(kept.keys.first === again.keys.first, "an unchanged document keeps its key objects")
  }

  @Test("a transport with missing results leaves no fetch in progress")
  func missingAnswer() throws {
    final class Silent: KeyTransport {
      func fetch(_ addresses: [KeyAddress], milliseconds: Int64) -> KeyFetches {
        KeyFetches(results: [], elapsedMilliseconds: 0)
      }
    }
    var cache = KeyCache([(IssuerID(position: 0), try Self.source())], transport: Silent(), now: 0)
    cache.fillEmpty(at: InvocationTime(unixSeconds: 0))
    #expect(
      cache.takeNotices().map(\.event) == [
        .fetchFailed("fetchOutput", reason: KeyNotice.reason(KeyFetchError.malformedOutput.description))
      ])
    cache.fillEmpty(at: InvocationTime(unixSeconds: 100))
    #expect(cache.fetches == 2)
  }

  @Test(
    "the logged reason is one short line of printable ASCII without URLs",
    arguments: [
      (
        "no address: Could not resolve host: id.example.com",
        "no address: Could not resolve host: id.example.com"
      ),
      ("status 302\nhint: the final address", "status 302"),
      ("a\u{1B}[31m\r\t\u{0} caf\u{E9}\u{2028}", "a[31m caf"),
      ("GET https://id.example.com/jwks?key=secret failed", "GET [URL] failed"),
      ("proxy user:secret@proxy.example, /jwks?key=secret", "proxy [URL] [URL]"),
      (String(repeating: "x", count: 1000), String(repeating: "x", count: 320)),
      ("", ""),
    ])
  func reason(description: String, expected: String) {
    #expect(KeyNotice.reason(description) == expected)
  }
}
