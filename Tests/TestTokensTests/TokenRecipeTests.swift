import Testing

@testable import TestTokens

/// Relative times.
@Suite struct RelativeTimeTests {
  @Test(
    "reads a sign, a number and a unit",
    arguments: [
      ("+0s", 0), ("-0s", 0), ("+90s", 90), ("-1s", -1), ("+10m", 600), ("-1h", -3600), ("+2d", 172_800),
      ("+007m", 420), ("+3652500d", 315_576_000_000), ("-315576000000s", -315_576_000_000),
    ] as [(String, Int64)])
  func good(_ text: String, _ seconds: Int64) {
    #expect(RelativeTime(text)?.seconds == seconds)
    #expect(RelativeTime(text)?.moment(after: 1_000_000) == 1_000_000 + seconds)
  }

  @Test(
    "refuses other texts",
    arguments: [
      "", "+", "+m", "10m", "+10", "+10x", "+10M", "+1.5h", "+ 1h", "+1 h", "+1h30m", "++1h", "+-1h", "+1h ",
      "+٣m", "+3652501d", "-315576000001s", "+9223372036854775808s", "+9223372036854775807d",
    ])
  func bad(_ text: String) { #expect(RelativeTime(text) == nil) }

  @Test("is limited to the range of Int64")
  func saturates() throws {
    #expect(try #require(RelativeTime("+1s")).moment(after: .max) == .max)
    #expect(try #require(RelativeTime("-1s")).moment(after: .min) == .min)
  }
}

/// Refused recipe files.
@Suite struct TokenRecipeTests {
  @Test(
    "a claim that the issuer never sends is signed on demand alone",
    arguments: [
      (#""preset":"apple","claims":{"scope":"a","email":"b"}"#, ["t.claims.scope"]),
      (#""preset":"google","claims":{"groups":["a"],"hd":"b"}"#, ["t.claims.groups"]),
      (#""preset":"auth0","claims":{"scope":"a","permissions":["a"]}"#, []),
      (#""preset":"cognito-access","claims":{"cognito:groups":["a"]}"#, []),
      (#""claims":{"scope":"a"}"#, []),
    ] as [(String, [String])])
  func unsent(_ recipe: String, _ paths: [String]) throws {
    let file = Array("{\"t\":{\(recipe)}}".utf8)
    var found: [FileProblem] = []
    do throws(TokenFileError) {
      _ = try TokenRecipes(parsing: file, signsUnsentClaims: false)
    } catch {
      if case .invalid(let problems) = error { found = problems }
    }
    #expect(found.map(\.path) == paths)
    #expect(found.allSatisfy { $0.hint == "leave it out, or sign it all the same with --unsent-claims" })
    #expect(try TokenRecipes(parsing: file).names == ["t"])
  }

  struct Fault: Sendable, CustomTestStringConvertible {
    let recipe: String, path: String, text: String, hint: String?
    var testDescription: String { recipe }

    init(_ recipe: String, _ path: String, _ text: String, hint: String? = nil) {
      self.recipe = recipe
      self.path = path
      self.text = text
      self.hint = hint
    }
  }

  private static let timeHint = "write a sign, a whole number and one of s, m, h, d, such as +10m"

  @Test(
    "reports the path of each problem",
    arguments: [
      Fault(#"{"claim":{}}"#, "t.claim", "is not a member of a recipe", hint: "did you mean claims?"),
      Fault(
        #"{"preset":"apple","expires":"-1h"}"#, "t.expires", "is not a member of a recipe",
        hint: #"a claim is a member of claims: "claims": {"exp": "-1h"}"#),
      Fault(
        #"{"user":"bob"}"#, "t.user", "is not a member of a recipe",
        hint: #"a claim is a member of claims: "claims": {"sub": "alice"}"#),
      Fault(
        #"{"scope":"a"}"#, "t.scope", "is not a member of a recipe",
        hint: #"a claim is a member of claims: "claims": {"scope": "orders:read"}"#),
      Fault(
        #"{"audience":["a"]}"#, "t.audience", "is not a member of a recipe",
        hint: #"a claim is a member of claims: "claims": {"aud": "api"}"#),
      Fault("[]", "t", "is not an object"), Fault(#"{"preset":1}"#, "t.preset", "is not a string"),
      Fault(#"{"preset":"aple"}"#, "t.preset", "is not a preset", hint: "did you mean apple?"),
      Fault(
        #"{"preset":"apple:x"}"#, "t.preset", "has a tenant that is not valid for apple",
        hint: "remove the colon and everything after it"),
      Fault(
        #"{"preset":"cognito-id:nopool"}"#, "t.preset", "has a tenant that is not valid for cognito-id",
        hint: "remove the colon and everything after it"),
      Fault(#"{"claims":[]}"#, "t.claims", "is not an object"),
      Fault(
        #"{"claims":{"exp":"+10x"}}"#, "t.claims.exp", "+10x is not a relative time", hint: timeHint),
      Fault(
        #"{"claims":{"auth_time":"-"}}"#, "t.claims.auth_time", "- is not a relative time", hint: timeHint),
      Fault(
        #"{"preset":"apple","omit":"isss"}"#, "t.omit", "isss is not present, so it cannot be omitted",
        hint: "did you mean iss?"),
      Fault(
        #"{"claims":{"sub":"x","exp":1},"omit":"aud"}"#, "t.omit",
        "aud is not present, so it cannot be omitted",
        hint: "use one of sub, exp"),
      Fault(#"{"preset":"oidc","omit":["iss",1]}"#, "t.omit[1]", "is not a string"),
      Fault(#"{"omit":{}}"#, "t.omit", "is neither a string nor a list of strings"),
      Fault(
        #"{"omitHeader":["kidd"]}"#, "t.omitHeader[0]", "kidd is not present, so it cannot be omitted",
        hint: "did you mean kid?"
      ),
      // A replaced member is named once.
      Fault(
        #"{"header":{"kid":"x","crit":[]},"omitHeader":["absent"]}"#, "t.omitHeader[0]",
        "absent is not present, so it cannot be omitted", hint: "use one of alg, kid, typ, crit"),
      Fault(#"{"header":"x"}"#, "t.header", "is not an object"),
      Fault(#"{"key":"rs255"}"#, "t.key", "rs255 is not a development key", hint: "did you mean rs256?"),
      Fault(
        #"{"algorithm":"none"}"#, "t.algorithm", "none is not a signature algorithm",
        hint: #"write "header": {"alg": "none"} and "damage": "dropSignature""#),
      Fault(
        #"{"algorithm":"RS257"}"#, "t.algorithm", "RS257 is not a signature algorithm",
        hint: "did you mean RS256?"),
      Fault(
        #"{"key":"rs256","algorithm":"ES256"}"#, "t.algorithm", "the key cannot be used with ES256",
        hint: #"to change only the header's alg, write "header": {"alg": "ES256"}"#),
      Fault(
        #"{"secret":"x","algorithm":"RS256"}"#, "t.algorithm", "the key cannot be used with RS256",
        hint: #"to change only the header's alg, write "header": {"alg": "RS256"}"#),
      Fault(#"{"secret":"x","key":"hs256"}"#, "t.key", #"cannot be combined with "secret""#),
      Fault(#"{"secret":1}"#, "t.secret", #"is neither a string nor {"publicKey": KEY}"#),
      Fault(
        #"{"secret":{"publicKey":"hs256"}}"#, "t.secret.publicKey", "is a secret, which has no public key"),
      Fault(
        #"{"damage":["signature","signatur"]}"#, "t.damage[1]", "signatur is not a kind of damage",
        hint: "did you mean signature?"),
      Fault(#"{"unique":1}"#, "t.unique", "is not true or false"),
      Fault(#"{"raw":"x","claims":{}}"#, "t.claims", #"cannot be combined with "raw""#),
      Fault(#"{"raw":null}"#, "t.raw", "is not a string"),
      Fault(#"{"rawPayload":"{}","claims":{}}"#, "t.claims", #"cannot be combined with "rawPayload""#),
      Fault(
        #"{"rawHeader":"{}","omitHeader":"kid"}"#, "t.omitHeader", #"cannot be combined with "rawHeader""#),
      Fault(
        #"{"rawPayload":"{{time 10m}}"}"#, "t.rawPayload", "10m is not a relative time", hint: timeHint),
      Fault(
        #"{"rawPayload":"{{now}}"}"#, "t.rawPayload", "{{now}} is not a placeholder", hint: "write {{time …}}"
      ),
      Fault(#"{"description":1}"#, "t.description", "is not a string"),
    ])
  func fault(_ fault: Fault) {
    #expect(
      problems(of: "{\"t\":\(fault.recipe)}") == [
        FileProblem(path: fault.path, text: fault.text, hint: fault.hint)
      ])
  }

  @Test("reports all problems of a file at once, in its order")
  func allAtOnce() {
    let file =
      #"{"a":{"x":1,"unique":2},"b c":{},"d":{"key":"?","damage":"?"},"$schema":"tokens.schema.json"}"#
    #expect(problems(of: file).map(\.path) == ["a.x", "a.unique", #"["b c"]"#, "d.key", "d.damage"])
  }

  @Test(
    "refuses a file that is not an object of recipes",
    arguments: [
      ("", "not JSON"), (#"{"a":{},"a":{}}"#, "not JSON"),
      ("[]", "is not an object of recipes by name"),
    ])
  func wholeFile(_ text: String, _ reason: String) { #expect(problems(of: text).map(\.text) == [reason]) }

  @Test("keeps the names in the order of the file")
  func names() throws {
    let recipes = try TokenRecipes(parsing: Array(#"{"z":{},"a":{"raw":""},"m":{"preset":"apple"}}"#.utf8))
    #expect(recipes.names == ["z", "a", "m"])
    #expect(recipes["a"] != nil)
    #expect(recipes["b"] == nil)
  }

  @Test("prints a problem's hint on a separate line")
  func description() {
    let error = TokenFileError.invalid([
      FileProblem(path: "a.b", text: "is wrong", hint: "do this"), FileProblem(path: "", text: "is worse"),
    ])
    #expect(error.description == "a.b: is wrong\n  hint: do this\nis worse")
  }
}
