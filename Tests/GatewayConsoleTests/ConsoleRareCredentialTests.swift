@testable import AuthorizerContract
@testable import GatewayConsole
@testable import LambdaEmulator
@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import Text
import JSON
import Testing

extension ConsoleRedactionTests {
  /// Places that few clients use, and places where others repeat a credential.
  static func rarePlaces(_ mark: String) -> [Place] {
    let encoded = Self.encoded(mark)
    let json = Self.quoted(mark)
    let headers = [
      "X-Authorization", "X-Forwarded-Authorization", "X-Amzn-Remapped-Authorization", "X-Auth", "X-Pass",
      "X-Pwd", "X-Functions-Key", "Ocp-Apim-Subscription-Key", "X-Aws_Access_Key", "X-Csrf",
    ].map { Place(name: $0, headers: [.init($0, mark)]) }
    let queries = ["sig", "key", "auth", "pass", "pwd", "clientKey"]
      .map { Place(name: "query \($0)", query: "\($0)=\(encoded)") }
    let address = "https://app.example/cb?state=1&code=\(encoded)#access_token=\(encoded)"
    return headers + queries + [
      Place(name: "any header with a scheme", headers: [.init("X-Upstream", "Basic \(mark)")]),
      Place(name: "Referer", headers: [.init("Referer", address)]),
      Place(
        name: "Location",
        response: #"{"statusCode":302,"headers":{"Location":\#(Self.quoted(address))}}"#),
      Place(name: "address in a query", query: "next=\(Self.encoded(address))"),
      Place(name: "members", body: #"{"pass":\#(json),"client":{"clientKey":\#(json)}}"#),
      Place(name: "code of a grant", body: #"{"grant_type":"authorization_code","code":\#(json)}"#),
      Place(
        name: "multipart",
        body: "--x\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n\(mark)\r\n--x--\r\n"),
      Place(name: "path parameter", path: "/prod/invite/\(encoded)", apis: try? [Self.api(mark)]),
      Place(name: "session in the path", path: "/prod/pets/1;jsessionid=\(encoded)"),
      Place(name: "stage variable", apis: try? [Self.api(mark)]),
      Place(
        name: "context that is repeated",
        answer: #","context":{"upstreamToken":\#(json),"note":"uses \#(json.dropFirst().dropLast())"}"#),
    ]
  }

  private static func api(_ mark: String) throws -> GatewayAPI {
    let authorizer = ConsoleStage.authorizer
    return GatewayAPI(
      name: "Api", identifier: "abcdefghij", kind: .rest(GatewayResponses()),
      stage: .init(name: "prod", variables: ["apiToken": mark, "upstream": "see \(mark)"]),
      routes: [
        try GatewayStage.route("GET /invite/{token}", access: .lambda(authorizer)),
        try GatewayStage.route("GET /pets/{id}", access: .lambda(authorizer)),
        try GatewayStage.route("POST /pets", access: .lambda(authorizer)),
      ], access: APIAccess(), binaryMediaTypes: [])
  }
}

/// What an authorizer or a route says about a credential that has no form of its own.
@Suite struct ConsoleRareCredentialTests {
  typealias Rows = ConsoleRedactionTests

  /// An authorizer that repeats its whole event in its error, with and without real keys: neither the console nor the
  /// log of `serve` shows a credential.
  @Test(
    arguments: Rows.places(Rows.plain) + Rows.places(Rows.mark) + Rows.rarePlaces(Rows.plain)
      + Rows.rarePlaces(Rows.mark), [false, true])
  func errorsHaveNoCredential(_ place: Rows.Place, realKeys: Bool) async throws {
    let stage = try ConsoleStage(
      place.apis, keepsEvents: !realKeys, realKeys: realKeys,
      answer: { event in
        let text = Rows.quoted("bad " + String(decoding: event.bytes(), as: UTF8.self))
        return GatewayStage.error(String(text.dropFirst().dropLast()), type: "Error")
      })
    let names = place.headers.map { $0.name.lowercased() }
    await stage.call(
      place.body.isEmpty ? "GET" : "POST", place.body.isEmpty ? place.path : "/prod/pets", query: place.query,
      headers: ConsoleStage.headers.filter { !names.contains($0.name.lowercased()) } + place.headers,
      body: Array(place.body.utf8))
    let reply = try await stage.ask("/dev/decisions/1")
    #expect(reply.text("outcome") == "failure")
    Rows.expectNoMark(in: [reply.text] + stage.lines.texts)
  }

  /// A policy for one route repeats the ARN, and so the credential in the path, of the caller that it was made for.
  @Test(arguments: [false, true])
  func aCachedPolicyHasNoCredentialOfItsCaller(realKeys: Bool) async throws {
    let place = try #require(Rows.rarePlaces(Rows.plain).first { $0.name == "path parameter" })
    let stage = try ConsoleStage(
      place.apis, keepsEvents: !realKeys, realKeys: realKeys,
      answer: { event in
        guard case .string(let arn)? = event["methodArn"] else { return GatewayStage.policy() }
        return GatewayStage.policy(resource: arn)
      })
    await stage.call("GET", place.path)
    await stage.call("GET", "/prod/invite/another-caller")
    let reply = try await stage.ask("/dev/decisions/2")
    #expect(reply.text("warning").contains("the cached policy allows only"))
    Rows.expectNoMark(in: [reply.text, try await stage.ask("/dev/decisions/1").text] + stage.lines.texts)
  }

  /// With real keys, nothing but the policy of an answer is kept.
  @Test func realKeysKeepNoContext() async throws {
    let stage = try ConsoleStage(
      keepsEvents: false, realKeys: true,
      answer: { _ in
        GatewayStage.policy(context: #"{"mail":"ada@example.com"}"#)
      })
    await stage.call()
    let kept = try #require(stage.log.decision(1)?.served.exchange?.evidence?.grant)
    #expect(!String(decoding: kept.bytes, as: UTF8.self).contains("ada"))
    #expect(kept.answer.context.isEmpty)
  }

  /// `code` is an authorization code in a request only: an error's code is for the reader.
  @Test func errorCodesOfAnswersStay() async throws {
    let stage = try ConsoleStage(
      backend: { _ in
        .response(
          Array(
            #"{"statusCode":401,"body":"{\"error\":{\"code\":\"Unauthorized\",\"key\":\"login-first\"}}"}"#
              .utf8))
      })
    await stage.call()
    let body = try await stage.ask("/dev/decisions/1").text("response", "body")
    #expect(body.contains("Unauthorized") && body.contains("login-first"))
  }

  /// Names that contain a word of a credential and are none.
  @Test(arguments: [
    "passenger", "author", "keyboard", "signal", "compass", "token_type", "auth_time", "routeKey",
  ])
  func otherNamesStay(_ name: String) { #expect(!CredentialNames.isCredentialParameter(name)) }

  /// A name that is too long to be searched counts as one of a credential.
  @Test(arguments: [(256, false), (257, true)]) func longNamesAreCredentials(
    _ bytes: Int, _ isCredential: Bool
  ) {
    #expect(CredentialNames.isCredentialParameter(String(repeating: "a", count: bytes)) == isCredential)
  }

  /// A token in another form is found by its shape, in the console and in the log.
  @Test(arguments: ["%", "a%2Eb", "twice", "base64", "with user", "list", "blank", "line"])
  func tokensInOtherFormsAreFound(_ form: String) throws {
    func encoded(_ text: String) -> String {
      Base64Text.encoded(Array(text.utf8)).replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "")
    }
    let space = form == "blank" ? " " : form == "line" ? "\n" : ""
    let parts = [
      encoded(#"{\#(space)"alg":"ES256","kid":"k"}"#), encoded(#"{\#(space)"sub":"ada"}"#),
      encoded("a signature of it"),
    ]
    let token = parts.joined(separator: ".")
    let text =
      switch form {
      case "a%2Eb": "other=" + parts.joined(separator: "%2E")
      case "%": "other=" + token.utf8.map { "%" + String($0, radix: 16) }.joined()
      case "twice": parts.joined(separator: "%252e")
      case "base64": "see \(encoded(token))!"
      case "with user": "Basic \(Base64Text.encoded(Array("ada:\(token)".utf8)))"
      case "list": Rows.quoted(parts[0]) + "," + Rows.quoted(parts[1])
      default: "/pets/\(token)/x"
      }
    let found = Redactor.withoutTokens(in: text)
    #expect(found.contains(Redactor.mark))
    #expect(!found.contains(parts[0]) && !found.contains(encoded(token)), "\(found)")
    if form == "%" { #expect(found == "other=redacted") }
  }

  /// Texts that look like a token at first stay.
  @Test(arguments: [
    "4fa5b1c2-6a2d-4f7e-9a1b-0c9d8e7f6a5b", "execute-api.eu-west-1.amazonaws.com",
    "/viewoptions.of.everything",
    "allowed by Statement[0] for arn:aws:execute-api:eu-west-1:123456789012:abcdefghij/prod/GET/pets", "100%",
    "%zz",
  ]) func otherTextsStay(_ text: String) { #expect(Redactor.withoutTokens(in: text) == text) }

  /// Claims with credentials for other services, such as those of distributed claims. An authorizer repeats one in its
  /// error, or the client repeats it in the path, which is also in the policy for the next request.
  @Test(arguments: [false, true], [false, true])
  func claimsHaveNoCredentials(isRepeated: Bool, isInPath: Bool) async throws {
    let stage = try ConsoleStage(answer: { event in
      guard case .string(let arn)? = event["methodArn"], !isRepeated else {
        return GatewayStage.error("no access with \(Rows.plain)", type: "Error")
      }
      return GatewayStage.policy(resource: arn)
    })
    let claims = #"{"sub":"ada","_claim_sources":{"s":{"access_token":"\#(Rows.plain)"}},"auth_time":1}"#
    let token = [#"{"alg":"ES256"}"#, claims, "signature"].map {
      Base64Text.encoded(Array($0.utf8)).replacing("=", with: "")
    }.joined(separator: ".")
    let headers: [GatewayRequest.Header] = [
      .init("Authorization", "Bearer \(token)"), .init("X-Identity", "x"),
    ]
    await stage.call("GET", isInPath ? "/prod/pets/" + Rows.plain : "/prod/pets/1", headers: headers)
    await stage.call("GET", "/prod/pets/2", headers: headers)
    let reply = try await stage.ask("/dev/decisions/1")
    #expect(reply.text("token", "claims", "sub") == "ada")
    #expect(isRepeated || stage.lines.texts[1].contains("the cached policy allows only"))
    Rows.expectNoMark(in: [reply.text, try await stage.ask("/dev/decisions/2").text] + stage.lines.texts)
  }

  /// A path has a credential of a header, whose other parts are longer than all texts of the log line.
  @Test(arguments: [
    ("Authorization", "Bearer %"), ("Authorization", "Digest nonce=\"~\", response=\"%\""),
    ("Cookie", "long=~; session=%"), ("Sec-WebSocket-Protocol", "~, bearer|%"), ("Referer", "/a?t=~&token=%"),
  ]) func pathsRepeatNoCredential(_ name: String, _ value: String) async throws {
    let stage = try ConsoleStage()
    let long = String(repeating: "0123456789", count: 90)
    let header = value.replacing("%", with: Rows.plain).replacing("~", with: long)
    await stage.call(
      "GET", "/prod/pets/" + Rows.plain,
      headers: ConsoleStage.headers.filter { $0.name != name } + [.init(name, header)])
    Rows.expectNoMark(in: [try await stage.ask("/dev/decisions/1").text] + stage.lines.texts)
  }

  /// Names and values are separated by bytes: a character that joins the equals sign takes nothing of the value away.
  @Test(arguments: ["\u{301}", "\u{200D}"])
  func valuesBeginAfterTheSign(_ joined: String) {
    let pairs = RequestCredentials.pairs("a=\(joined)1; b=2", separator: UInt8(ascii: ";"))
    #expect(pairs.map { Array($0.value.utf8) } == [Array((joined + "1").utf8), Array("2".utf8)])
  }

  /// Of several tokens, the one after the scheme counts.
  @Test func theTokenIsAfterTheScheme() {
    func token(_ subject: String) -> String {
      [#"{"alg":"ES256"}"#, #"{"sub":"\#(subject)"}"#, "signature"].map {
        Base64Text.encoded(Array($0.utf8)).replacing("=", with: "")
      }.joined(separator: ".")
    }
    let request = GatewayRequest(
      method: "GET", path: "/", query: "",
      headers: [.init("Authorization", "\(token("first")) \(token("second"))")])
    #expect(RequestCredentials(in: .init(request: request)).token?.subject == "second")
  }
}
