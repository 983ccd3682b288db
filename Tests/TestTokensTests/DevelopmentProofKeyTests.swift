import Foundation
import JSON
import TestSupport
import Testing

@testable import TestTokens

/// The client's key for DPoP, its proofs, and tokens that are bound to it.
@Suite struct DevelopmentProofKeyTests {
  /// RFC 7638 section 3.2: the hash of the required members in the order of their names. The example of the RFC is an
  /// RSA key; `ProofVectorTests` has the thumbprint of the EC key in RFC 9449.
  @Test func theThumbprintIsThatOfTheRequiredMembers() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("keys")
    try SharedKeys.write(to: URL(filePath: path))
    let key = try DevelopmentProofKey(in: path)
    let stored = try JSONTree(parsing: Array(Data(contentsOf: URL(filePath: path + "/dpop.json"))))
    let canonical = ["crv", "kty", "x", "y"].map { name in
      guard case .string(let text)? = stored[name] else { return "" }
      return #""\#(name)":"\#(text)""#
    }.joined(separator: ",")
    let expected = Base64URL.text(try Libcrypto.hash(Array("{\(canonical)}".utf8)))
    #expect(try key.thumbprint() == expected)
    #expect(expected.utf8.count == 43)
    #expect(try DevelopmentProofKey(in: path).thumbprint() == expected)
    let mode = try FileManager.default.attributesOfItem(atPath: path + "/dpop.json")[.posixPermissions]
    #expect(mode as? Int == 0o600)
    #expect(try DevelopmentKeys(in: path).proofKey().thumbprint() == expected)
  }

  /// RFC 9449 section 7.1: the token of the example, and the hash in its proof.
  @Test func theHashOfTheToken() throws {
    let token = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
    let proof = DissectedToken(
      try DevelopmentProofKey.generate().proof(
        method: "GET", address: "https://resource.example.org/protectedresource?a=1#b", token: token,
        now: testTime
      ) { 7 })
    let claims = try proof.payload()
    #expect(claims["ath"] == .string("fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"))
    #expect(claims["htm"] == .string("GET"))
    #expect(claims["htu"] == .string("https://resource.example.org/protectedresource"))
    #expect(claims["iat"] == .number(String(testTime)))
    #expect(claims["jti"] == .string("AAAAAAAAAAcAAAAAAAAABw"))
  }

  @Test func theHeaderHasThePublicKeyOnly() throws {
    let key = try DevelopmentProofKey.generate()
    let proof = DissectedToken(
      try key.proof(method: "GET", address: "https://a.example/", token: "t", now: 0) { 1 })
    guard case .object(let members) = try proof.header() else { throw CocoaError(.coderInvalidValue) }
    #expect(members.map(\.name) == ["typ", "alg", "jwk"])
    #expect(members[0].value == .string("dpop+jwt"))
    guard case .object(let jwk) = members[2].value else { throw CocoaError(.coderInvalidValue) }
    #expect(jwk.map(\.name) == ["crv", "kty", "x", "y"])
    #expect(proof.signature.count == 64)
  }

  /// A file of another author is neither used nor changed.
  @Test(arguments: ["", "{}", "x", #"{"kty":"oct","kid":"a","alg":"HS256","use":"sig","k":"AAAA"}"#])
  func damagedFiles(_ text: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("keys")
    _ = try DevelopmentProofKey(in: path)
    try Data(text.utf8).write(to: URL(filePath: path + "/dpop.json"))
    let error = #expect(throws: DevelopmentKeysError.self) { try DevelopmentProofKey(in: path) }
    #expect(error.map { caseName($0) } == "damaged")
    #expect(try String(contentsOfFile: path + "/dpop.json", encoding: .utf8) == text)
  }

  @Test func aRecipeBindsItsToken() throws {
    let token = DissectedToken(try mint(#""preset":"apple","bind":"dpop""#))
    #expect(
      try token.payload()["cnf"]?["jkt"] == .string(SharedKeys.all().proofKey().thumbprint()))
  }

  @Test(arguments: [
    (#""bind":"certificate""#, "t.bind", "certificate is not a binding"),
    (#""bind":true"#, "t.bind", "is not a string"),
    (#""bind":"dpop","claims":{"cnf":{}}"#, "t.claims", #"cannot be combined with "bind""#),
    (#""bind":"dpop","rawPayload":"{}""#, "t.rawPayload", #"cannot be combined with "bind""#),
  ]) func refusedBindings(_ recipe: String, _ path: String, _ text: String) throws {
    let error = #expect(throws: TokenFileError.self) {
      _ = try TokenRecipes(parsing: Array("{\"t\":{\(recipe)}}".utf8))
    }
    guard case .invalid(let problems)? = error else { throw CocoaError(.coderInvalidValue) }
    #expect(problems.map(\.path) == [path])
    #expect(problems.first?.text == text)
  }

  /// The proof in an event is for the token in the same event. The same placeholder is the same proof, as in the two
  /// lists of headers, until the event is filled again.
  @Test func eventsGetProofs() throws {
    let recipes = try TokenRecipes(
      parsing: Array(#"{"bound":{"preset":"apple","bind":"dpop","unique":true}}"#.utf8))
    let mint = TokenMint(recipes: recipes, keys: try SharedKeys.all(), now: testTime)
    let text =
      #"{"a":"DPoP {{token bound}}","b":"{{proof bound PUT https://a.example/x?y}}","c":"{{proof bound PUT https://a.example/x}}","d":["{{proof bound PUT https://a.example/x}}"]}"#
    let template = try EventTemplate(parsing: Array(text.utf8))
    let event = try JSONTree(parsing: template.bytes(with: mint))
    guard case .string(let authorization)? = event["a"], case .string(let first)? = event["b"],
      case .string(let second)? = event["c"]
    else { throw CocoaError(.coderInvalidValue) }
    let claims = try DissectedToken(first).payload()
    let hash = Base64URL.text(try Libcrypto.hash(Array(authorization.dropFirst(5).utf8)))
    #expect(claims["ath"] == .string(hash))
    #expect(claims["htu"] == .string("https://a.example/x"))
    #expect(claims["htm"] == .string("PUT"))
    #expect(try DissectedToken(second).payload()["jti"] != claims["jti"])
    #expect(event["d"] == .array([.string(second)]))
    #expect(try JSONTree(parsing: template.bytes(with: mint))["c"] != .string(second))
  }

  @Test(arguments: [
    ("{{proof bound GET}}", "{{proof}} takes exactly 3 arguments"),
    ("{{proof bound GET https://a.example/ x}}", "{{proof}} takes exactly 3 arguments"),
    ("{{proof other GET https://a.example/}}", "there is no token other"),
    ("{{prove bound}}", "{{prove bound}} is not a placeholder"),
  ]) func refusedPlaceholders(_ text: String, _ problem: String) throws {
    let recipes = try TokenRecipes(parsing: Array(#"{"bound":{"preset":"apple","bind":"dpop"}}"#.utf8))
    let mint = TokenMint(recipes: recipes, keys: try SharedKeys.all(), now: testTime)
    let event = EventTemplate(.object([.init(name: "a", value: .string(text))]))
    let error = #expect(throws: TokenFileError.self) { _ = try event.bytes(with: mint) }
    guard case .invalid(let problems)? = error else { throw CocoaError(.coderInvalidValue) }
    #expect(problems.map(\.text) == [problem])
  }
}
