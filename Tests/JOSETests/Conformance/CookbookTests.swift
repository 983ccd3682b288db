import Testing
import TestSupport

@Suite("JOSE cookbook", .enabled(if: Cookbook.isPresent, Comment(rawValue: SharedMaterial.absence)))
struct CookbookTests {
  private static func verdicts(in folder: String, form: String) throws -> [String] {
    try Cookbook.outcomes().filter { $0.file.hasPrefix(folder) && $0.form == form }.map(\.verdict)
  }

  @Test("RFC 7520 4.1 to 4.4 are verified; 4.5 has no payload to verify")
  func compactSignatures() throws {
    #expect(
      try Self.verdicts(in: "jws/", form: "compact") == [
        "verified", "verified", "verified", "verified", "signatureMismatch",
      ])
  }

  @Test("RFC 8037 A.4 is verified; the key agreement example is an encrypted token")
  func edwardsCurve() throws {
    #expect(try Self.verdicts(in: "curve25519/", form: "compact") == ["encryptedToken", "verified"])
  }

  @Test("every JSON serialization is refused at its first byte", arguments: ["json", "json_flat"])
  func jsonSerializations(form: String) throws {
    let verdicts = try Cookbook.outcomes().filter { $0.form.hasSuffix(form) }.map(\.verdict)
    #expect(verdicts.count > 20)
    #expect(Set(verdicts) == ["malformedToken: illegal byte at 0"])
  }

  @Test("RFC 7797: an unencoded payload is refused at its first space")
  func unencodedPayload() throws {
    let verdicts = try Self.verdicts(in: "rfc7797/", form: "compact")
    #expect(verdicts == ["malformedToken: illegal byte at 61"])
  }

  @Test("RFC 7520 5.1 to 5.9 are encrypted tokens")
  func encryption() throws {
    let verdicts = try Self.verdicts(in: "jwe/", form: "compact")
    #expect(verdicts == [String](repeating: "encryptedToken", count: 9))
  }

  @Test("RFC 7520 6: the outer token of a nested token is an encrypted token")
  func nesting() throws {
    #expect(try Self.verdicts(in: "6.", form: "encrypt compact") == ["encryptedToken"])
    #expect(try Self.verdicts(in: "6.", form: "sign compact") == ["verified"])
  }

  @Test("RFC 7520 3: public keys are usable, private keys and secrets are not")
  func keys() throws {
    #expect(
      try Self.verdicts(in: "jwk/", form: "key") == [
        "usable", "privateKeyPublished", "usable", "privateKeyPublished", "symmetric", "notForSignatures",
      ])
  }
}
