internal import Bytes
@testable internal import JOSE
internal import JSON
@testable internal import TestTokens

/// Properties of DPoP proofs, their URLs and client certificates.
enum ProofProperties {
  /// Checks the bytes as a proof, as a URL, as a certificate, and as header and payload of a proof on one line each.
  static func check(_ bytes: [UInt8]) throws(Finding) {
    try checkURL(bytes)
    try checkPath(bytes)
    try checkCertificate(bytes)
    try checkProof(bytes)
    let parts = bytes.split(separator: .lineFeed, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return }
    let segments = parts.map { TestTokens.Base64URL.encode(Array($0)) }
    try checkProof(Array(segments.joined(separator: [0x2E])))
  }

  private static let now: Int64 = 1_800_000_000
  private static let policy = ProofPolicy(algorithms: Algorithm.allCases.filter { !$0.isSymmetric })
  private static let target = WebOrigin(host: Array("api.example.com".utf8)).flatMap {
    ProofTarget(method: Array("GET".utf8), path: Array("/prod/pets".utf8), origins: [$0])
  }
  /// The thumbprint of no key: all its bits are zero.
  private static let thumbprint = Thumbprint([UInt8](repeating: 0x41, count: Thumbprint.characters))

  private static func checkProof(_ text: [UInt8]) throws(Finding) {
    guard let policy, let target, let thumbprint, var verifier = PossessionVerifier() else {
      throw Finding(property: "a verifier is created")
    }
    let isVerified =
      (try? verifier.verify(text, for: target, token: [], boundTo: thumbprint, policy, at: now)) != nil
    try Finding.unless(!isVerified, "a proof for no key is refused")
    try Finding.unless(verifier.signatureChecks == 0, "the key of a stranger costs no signature check")
    guard let proof = try? DPoPProof(parsing: text, algorithms: policy.algorithms) else { return }
    try Finding.unless(text.count <= DPoPProof.maximumBytes, "a proof is within its limit")
    try Finding.unless(proof.jws.text == text, "a proof has one spelling")
    try Finding.unless(
      1...DPoPProof.maximumIdentifierBytes ~= proof.identifier.count && !proof.method.isEmpty,
      "a proof has its claims")
    try checkURL(proof.url.text)
    let segments = text.split(separator: .dot, omittingEmptySubsequences: false)
    guard let header = segments.first.flatMap({ TestTokens.Base64URL.decode(Array($0)) }),
      let tree = try? JSONTree(parsing: header, limits: .token), case .object(let members)? = tree["jwk"]
    else { throw Finding(property: "a proof has a key") }
    try Finding.unless(tree["typ"] == .string("dpop+jwt"), "a proof has its type")
    for name in ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] {
      try Finding.unless(!members.contains { $0.name == name }, "a key with \(name) is refused")
    }
  }

  /// A normal form is its own normal form, and has no dot segment.
  private static func checkURL(_ text: [UInt8]) throws(Finding) {
    guard let url = ResourceURL(parsing: text) else { return }
    try Finding.unless(ResourceURL(parsing: url.text) == url, "a normal form is stable")
    try Finding.unless(
      ResourceURL(parsing: url.text)?.text == url.text, "a normal form is the text of its URL")
    let segments = url.path.text.split(separator: .slash, omittingEmptySubsequences: false)
    try Finding.unless(
      !segments.contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }, "no dot segments")
    try Finding.unless(
      url.text.allSatisfy { $0.isVisible && $0 != .backslash && $0 != .questionMark && $0 != .numberSign },
      "a normal form has neither a query nor a fragment")
    try Finding.unless(!url.origin.text.contains(0x40), "an origin has no user")
  }

  /// A path of an event is that of a URL which spells it, and has no dot segment in any reading.
  private static func checkPath(_ text: [UInt8]) throws(Finding) {
    guard let path = RequestPath(text, mayBeDecoded: true) else { return }
    let spelled: [UInt8]
    switch path {
    case .sent(let sent):
      spelled = sent.text
      try Finding.unless(sent.text.count == text.count, "a path in another than its normal form was decoded")
    case .decoded(let decoded):
      spelled = decoded.flatMap { byte -> [UInt8] in
        byte == .slash ? [byte] : [.percent] + [byte].hexadecimal
      }
    }
    guard let url = ResourceURL(parsing: Array("https://api.example.com".utf8) + spelled) else {
      throw Finding(property: "a path has a URL")
    }
    try Finding.unless(path.isPath(of: url), "a path is that of its URL")
    let segments = text.split(separator: .slash, omittingEmptySubsequences: false)
    try Finding.unless(
      !segments.contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }, "no dot segments")
  }

  private static func checkCertificate(_ text: [UInt8]) throws(Finding) {
    guard let certificate = ClientCertificate(pem: text) else { return }
    try Finding.unless(text.count <= ClientCertificate.maximumBytes, "a certificate is within its limit")
    try Finding.unless(certificate.encoding.first == 0x30, "a certificate is a sequence")
    let lines = text.split(separator: .lineFeed, omittingEmptySubsequences: false)
    let dashes = lines.count { $0.starts(with: "-----".utf8) }
    try Finding.unless(dashes == 2, "a certificate is one block")
    let body = lines.filter { !$0.starts(with: "-----".utf8) }.joined()
    let standard = TestTokens.Base64URL.encode(certificate.encoding).map { byte -> UInt8 in
      byte == .hyphen ? .plus : byte == .underscore ? .slash : byte
    }
    try Finding.unless(
      body.prefix { $0 != .equalsSign }.elementsEqual(standard),
      "the base64 of a certificate has one spelling")
  }
}
