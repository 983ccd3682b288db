import Testing
import TestSupport

/// C2SP/wycheproof: vectors for known errors of verifiers. Each exception has a documented reason.
@Suite("Wycheproof", .enabled(if: Wycheproof.isPresent, Comment(rawValue: SharedMaterial.absence)))
struct WycheproofTests {
  @Test("JSON Web Signatures: 393 of 401 agree, the other eight are documented exceptions")
  func jsonWebSignatures() throws {
    let result = try Wycheproof.webSignatures()
    #expect(result.cases == 401)
    #expect(result.differences == Set(Wycheproof.webSignatureExceptions.keys))
  }

  @Test("signatures with raw keys", arguments: Wycheproof.signatureFiles)
  func signatures(file: Wycheproof.File) throws {
    let result = try Wycheproof.signatures(file)
    #expect(result.cases == file.cases)
    #expect(result.differences == Set(file.exceptions.keys))
  }

  @Test("HMAC", arguments: Wycheproof.macFiles)
  func macs(file: Wycheproof.File) throws {
    let result = try Wycheproof.macs(file)
    #expect(result.cases == file.cases)
    #expect(result.differences == Set(file.exceptions.keys))
  }
}
