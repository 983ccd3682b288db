import JSON
import TestSupport
import Testing

@testable import TestTokens

/// Events with placeholders.
@Suite struct EventTemplateTests {
  /// The hint that lists the placeholders.
  static let forms = "write {{token …}} or {{proof NAME METHOD URL}}"

  private static func mint() throws -> TokenMint {
    let recipes =
      #"{"good":{"raw":"a.b.c"},"other":{"raw":"d\"e"},"es":{"algorithm":"ES256"},"#
      + #""impossible":{"damage":["dropSignature","signature"]}}"#
    return TokenMint(
      recipes: try TokenRecipes(parsing: Array(recipes.utf8)), keys: try SharedKeys.all(), now: testTime)
  }

  @Test(
    "fills placeholders and changes nothing else",
    arguments: [
      (#"{"authorizationToken":"Bearer {{token good}}"}"#, #"{"authorizationToken":"Bearer a.b.c"}"#),
      (#"{"b":"{{token good}}","a":1.50,"c":[null,true]}"#, #"{"b":"a.b.c","a":1.50,"c":[null,true]}"#),
      (#"["{{token good}}{{token good}}"]"#, #"["a.b.ca.b.c"]"#),
      (#"{"rawQueryString":"x=1&t={{token good}}&y=2"}"#, #"{"rawQueryString":"x=1&t=a.b.c&y=2"}"#),
      (#"{"body":"{{ token  good }}"}"#, #"{"body":"a.b.c"}"#),
      (#""{{token other}}""#, #""d\"e""#), (#""{ {token good}} }}""#, #""{ {token good}} }}""#),
      (#""\u007b{token good}}""#, #""a.b.c""#), (#"{"é":"é {{token good}} é"}"#, #"{"é":"é a.b.c é"}"#),
      ("[]", "[]"),
    ])
  func fills(_ template: String, _ expected: String) throws {
    let bytes = try EventTemplate(parsing: Array(template.utf8)).bytes(with: Self.mint())
    #expect(String(decoding: bytes, as: UTF8.self) == expected)
  }

  @Test("fills a single value")
  func value() throws {
    let filled = try EventTemplate(.string("Bearer {{token good}}")).filled(with: Self.mint()).tree
    #expect(filled == .string("Bearer a.b.c"))
  }

  @Test("fills the same token for the same name in one event, though ECDSA signatures differ")
  func sameToken() throws {
    let template = try EventTemplate(parsing: Array(#"["{{token es}}","{{token es}}"]"#.utf8))
    guard case .array(let elements) = try template.filled(with: Self.mint()).tree else {
      Issue.record("no array")
      return
    }
    #expect(elements[0] == elements[1])
    #expect(try template.filled(with: Self.mint()).tree != .array(elements))
  }

  @Test(
    "lists the claims that depend on the time of minting",
    arguments: [
      (#"{"claims":{"iat":"+0s","exp":"+10m","nbf":5}}"#, [0, 600]),
      (#"{"claims":{"nbf":"+0s","exp":"+1s"}}"#, [0, 1]), (#"{"claims":{"exp":1,"sub":"2"}}"#, []),
      (#"{"preset":"auth0:a.eu.auth0.com","omit":["iat"],"claims":{"exp":"+7m"}}"#, [420]),
      (#"{"rawPayload":"{\"exp\":{{time +1h}}}"}"#, [3600]), (#"{"rawPayload":"{{time +1h}}"}"#, []),
      (#"{"raw":"a.b.c"}"#, []),
    ] as [(String, [Int64])])
  func times(_ recipe: String, _ distances: [Int64]) throws {
    let mint = TokenMint(
      recipes: try TokenRecipes(parsing: Array(#"{"t":\#(recipe)}"#.utf8)), keys: try SharedKeys.all(),
      now: testTime)
    let event = try EventTemplate(.string("Bearer {{token t}}")).filled(with: mint)
    #expect(event.tokenTimes == Set(distances.map { testTime + $0 }))
  }

  @Test(
    "reports the path of each problem",
    arguments: [
      #"{"headers":{"authorization":"{{token god}}"}}"#:
        FileProblem(path: "headers.authorization", text: "there is no token god", hint: "did you mean good?"),
      #"{"a":["x","{{tokn good}}"]}"#:
        FileProblem(path: "a[1]", text: "{{tokn good}} is not a placeholder", hint: forms),
      #"{"a.b":"{{"}"#: FileProblem(path: #"["a.b"]"#, text: "{{ is not closed by }}", hint: forms),
      #""{{}}""#: FileProblem(path: "", text: "{{}} is not a placeholder", hint: forms),
      #""{{token}}""#: FileProblem(path: "", text: "{{token}} takes exactly one argument", hint: forms),
      #""{{token a b}}""#: FileProblem(path: "", text: "{{token}} takes exactly one argument", hint: forms),
      #"{"{{token good}}":1}"#: FileProblem(
        path: #"["{{token good}}"]"#, text: "a member name contains {{",
        hint: "use placeholders only in values"),
      #"["{{token impossible}}"]"#: FileProblem(
        path: "[0]",
        text: "the damage signature cannot be applied to the token impossible: "
          + "segment 3 is empty or missing",
        hint: "change the order of the damages, or remove this one"),
    ])
  func faults(_ template: String, _ problem: FileProblem) throws {
    let template = try EventTemplate(parsing: Array(template.utf8))
    #expect(throws: TokenFileError.invalid([problem])) { try template.bytes(with: Self.mint()) }
  }

  @Test("reports all problems at once")
  func allAtOnce() throws {
    let template = try EventTemplate(parsing: Array(#"{"a":"{{x}}","b":["{{token no}}"],"c":"{{"}"#.utf8))
    let mint = try Self.mint()
    let error = #expect(throws: TokenFileError.self) { try template.bytes(with: mint) }
    guard case .invalid(let problems)? = error else { return }
    #expect(problems.map(\.path) == ["a", "b[0]", "c"])
  }

  @Test("refuses a text that is not JSON")
  func notJSON() {
    let error = #expect(throws: TokenFileError.self) { try EventTemplate(parsing: Array("{".utf8)) }
    guard case .notJSON? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
