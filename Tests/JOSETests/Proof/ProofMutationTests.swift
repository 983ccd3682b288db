import JSON
import TestTokens
import Testing

@testable import JOSE

/// No change of a good proof is accepted.
@Suite("Mutations of a good proof")
struct ProofMutationTests {
  @Test("a change of any byte is rejected", arguments: [0x01, 0x02, 0x20, 0x80] as [UInt8])
  func bytes(change: UInt8) throws {
    let proof = try ProofForge().text()
    #expect(try ProofForge.flaw(proof) == nil)
    for index in proof.indices {
      var mutant = proof
      mutant[index] ^= change
      #expect(try ProofForge.flaw(mutant) != nil, "byte \(index)")
    }
  }

  @Test("a proof without its first or last bytes, or with one more, is rejected")
  func lengths() throws {
    let proof = try ProofForge().text()
    for count in 1...8 {
      #expect(try ProofForge.flaw(Array(proof.dropLast(count))) != nil)
      #expect(try ProofForge.flaw(Array(proof.dropFirst(count))) != nil)
    }
    for byte in UInt8.min...UInt8.max {
      #expect(try ProofForge.flaw(proof + [byte]) != nil)
      #expect(try ProofForge.flaw([byte] + proof) != nil)
    }
  }

  static let members = ["typ", "alg", "jwk", "jti", "htm", "htu", "iat", "ath"]

  @Test("each member is required, and none may occur twice", arguments: members)
  func eachMember(name: String) throws {
    let proof = try ProofForge()
    #expect(try ProofForge.flaw(proof.withHeader(name, nil).withClaim(name, nil).text()) != nil)
    var doubled = proof
    doubled.header += proof.header.filter { $0.name == name }
    doubled.claims += proof.claims.filter { $0.name == name }
    #expect(try ProofForge.flaw(doubled.text()) == .form(.malformedToken))
    // The same name, spelled with an escape.
    var escaped = proof
    let spelled = "\\u00" + String(name.utf8.first ?? 0, radix: 16) + name.dropFirst()
    escaped.header += proof.header.filter { $0.name == name }.map { (spelled, $0.value) }
    escaped.claims += proof.claims.filter { $0.name == name }.map { (spelled, $0.value) }
    #expect(try ProofForge.flaw(escaped.text()) == .form(.malformedToken))
  }

  @Test("each member of the key is required, and none may occur twice", arguments: ["kty", "crv", "x", "y"])
  func keyMembers(name: String) throws {
    guard case .object(let members)? = try TestKeys.made().es256.publicJWK else {
      Issue.record("no key")
      return
    }
    let wanted = members.filter { ["kty", "crv", "x", "y"].contains($0.name) }
    let without = JSONTree.object(wanted.filter { $0.name != name })
    let twice = JSONTree.object(wanted + wanted.filter { $0.name == name })
    for (jwk, check) in [(without, ProofCheck.key), (twice, .form)] {
      let text = try ProofForge().withHeader("jwk", String(decoding: jwk.bytes(), as: UTF8.self)).text()
      #expect(try ProofForge.flaw(text)?.check == check)
    }
  }

  @Test("a token is not a proof, and a proof is not a token")
  func confusion() throws {
    let keys = try TestKeys.made()
    #expect(try ProofForge.flaw(TokenForge.token(key: keys.rsa))?.check == .type)
    let gatekeeper = try Gatekeeper.standard()
    // Signed with the issuer's own key and with all claims of a token.
    var proof = try ProofForge(keys.es256)
    proof.header.append(("kid", "\"es256\""))
    for (name, value) in [
      ("iss", "\"\(TokenForge.issuer)\""), ("sub", "\"u\""), ("aud", "\"api\""),
      ("exp", "\(ProofForge.now + 60)"),
    ] { proof.claims.append((name, value)) }
    #expect(try gatekeeper.verdict(on: proof.text()).rejection?.code == .wrongType)
  }
}
