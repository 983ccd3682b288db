import JOSE
import JSON
import TestTokens
import Testing

@testable import Authorizer

/// A client with a key and a certificate: its tokens, its proofs and its events.
struct ProvingClient: Sendable {
  let key: SigningKey

  /// The owner of the tokens, and a thief with a key of their own.
  static func owner() throws -> ProvingClient { try made.get() }
  static func thief() throws -> ProvingClient { try stolen.get() }

  private static let made = Result { ProvingClient(key: try .generate(.es256, id: "client")) }
  private static let stolen = Result { ProvingClient(key: try .generate(.es256, id: "thief")) }

  static let url = "https://api.example.com/prod/pets"

  /// RFC 7638, computed without the authorizer's code.
  func thumbprint() throws -> String {
    func member(_ name: String) -> String { key.publicJWK?[name]?.text ?? "" }
    return try hash(
      #"{"crv":"\#(member("crv"))","kty":"\#(member("kty"))","x":"\#(member("x"))","y":"\#(member("y"))"}"#)
  }

  /// `cnf` of a token that is bound to the key.
  func binding() throws -> String { #""cnf":{"jkt":"\#(try thumbprint())"}"# }

  /// Returns a proof; each parameter of a good one can be replaced.
  func proof(
    for token: String, method: String = "GET", url: String = url, at time: Int64 = TestIssuers.now,
    identifier: String = "j1"
  ) throws -> String {
    let members = ["kty", "crv", "x", "y"].map { #""\#($0)":"\#(key.publicJWK?[$0]?.text ?? "")""# }
    let header = #"{"typ":"dpop+jwt","alg":"ES256","jwk":{\#(members.joined(separator: ","))}}"#
    let claims =
      #"{"jti":"\#(identifier)","htm":"\#(method)","htu":"\#(url)","iat":\#(time),"ath":"\#(try hash(token))"}"#
    let input = [header, claims].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: [0x2E])
    let signature = Base64URL.encode(try key.signature(over: Array(input)))
    return String(decoding: Array(input) + [0x2E] + signature, as: UTF8.self)
  }

  private func hash(_ text: String) throws -> String {
    let digest = TokenVerifier(profiles: []).digest(Array(text.utf8)[...])
    try #require(digest.count == 32)
    return String(decoding: Base64URL.encode(digest), as: UTF8.self)
  }

  /// RFC 8705 appendix A.
  static let certificate =
    [
      "-----BEGIN CERTIFICATE-----",
      "MIIBBjCBrAIBAjAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARtdGxzMB4XDTE4MTAx",
      "ODEyMzcwOVoXDTIyMDUwMjEyMzcwOVowDzENMAsGA1UEAwwEbXRsczBZMBMGByqG",
      "SM49AgEGCCqGSM49AwEHA0IABNcnyxwqV6hY8QnhxxzFQ03C7HKW9OylMbnQZjjJ",
      "/Au08/coZwxS7LfA4vOLS9WuneIXhbGGWvsDSb0tH6IxLm8wCgYIKoZIzj0EAwID",
      "SQAwRgIhAP0RC1E+vwJD/D1AGHGzuri+hlV/PpQEKTWUVeORWz83AiEA5x2eXZOV",
      "bUlJSGQgjwD5vaUaKlLR50Q2DmFfQj1L+SY=",
      "-----END CERTIFICATE-----",
    ].joined(separator: "\n") + "\n"
  static let certificateHash = "A4DtL2JmUMhAsvJj5tKyn64SqzmuXbMrJa0n761y5v0"
  static let certificateBinding = #""cnf":{"x5t#S256":"\#(certificateHash)"}"#
}

/// A request with its proofs and its certificate, as an event of any kind.
struct ProvenRequest {
  var authorization: String
  /// The values of the `DPoP` headers.
  var proofs: [JSONTree] = []
  var method = "GET"
  /// The path as the client sent it; `nil` if the event has none.
  var path: String? = "/prod/pets"
  var domain: String? = "api.example.com"
  var certificate: JSONTree?

  static let kinds: [EventKind] = [.restRequest, .http1, .http2]

  init(_ scheme: String, _ token: String, _ proofs: [String] = [], certificate: String? = nil) {
    authorization = scheme + " " + token
    self.proofs = proofs.map { .string($0) }
    self.certificate = certificate.map { .string($0) }
  }

  func event(_ kind: EventKind, arn: String? = nil) -> [UInt8] {
    if kind == .restToken {
      return TestEvent.bytes(kind, arn: arn, [TestEvent.text("authorizationToken", authorization)])
    }
    let isVersion2 = kind == .http2
    var headers = [TestEvent.text(isVersion2 ? "authorization" : "Authorization", authorization)]
    let name = isVersion2 ? "dpop" : "DPoP"
    if isVersion2 {
      // Payload 2.0 joins repeated headers.
      let texts = proofs.compactMap(\.text)
      if texts.count == proofs.count, !texts.isEmpty {
        headers.append(TestEvent.text(name, texts.joined(separator: ",")))
      } else if let proof = proofs.first {
        headers.append(.init(name: name, value: proof))
      }
    } else if let last = proofs.last {
      headers.append(.init(name: name, value: last))
    }
    var members = [TestEvent.object("headers", headers)]
    if !isVersion2 {
      let lists = [JSONTree.Member(name: "Authorization", value: .array([.string(authorization)]))]
      let all = proofs.isEmpty ? [] : [JSONTree.Member(name: name, value: .array(proofs))]
      members.append(TestEvent.object("multiValueHeaders", lists + all))
    }
    guard kind != .webSocket else { return TestEvent.bytes(kind, arn: arn, members) }
    let presented = [
      TestEvent.object("clientCert", certificate.map { [.init(name: "clientCertPem", value: $0)] } ?? [])
    ]
    var context: [JSONTree.Member] = domain.map { [TestEvent.text("domainName", $0)] } ?? []
    if isVersion2 {
      context.append(TestEvent.object("http", [TestEvent.text("method", method)]))
      context.append(TestEvent.object("authentication", presented))
      if let path { members.append(TestEvent.text("rawPath", path)) }
    } else {
      members.append(TestEvent.text("httpMethod", method))
      // The path of the event lacks the stage, or has the mapping of the domain.
      members.append(TestEvent.text("path", "/pets"))
      if let path { context.append(TestEvent.text("path", path)) }
      context.append(TestEvent.object("identity", presented))
    }
    return TestEvent.bytes(kind, arn: arn, members + [TestEvent.object("requestContext", context)])
  }
}

/// A memory of proofs that answers from a script, shared by all workers.
final class ScriptedProofs: ProofMemory {
  private(set) var uses: [ProofUse] = []
  private(set) var ends: [Int64?] = []
  var outage: String?

  func remember(_ use: ProofUse, endMilliseconds: Int64?) -> ProofMemoryAnswer {
    ends.append(endMilliseconds)
    if let outage { return .unavailable(outage) }
    defer { uses.append(use) }
    return uses.contains { $0.fingerprint == use.fingerprint } ? .repeated : .first
  }

  func forAnotherWorker() -> ScriptedProofs { self }
}

extension JSONTree {
  /// The text of a string; `nil` for any other value.
  var text: String? {
    if case .string(let text) = self { text } else { nil }
  }
}
