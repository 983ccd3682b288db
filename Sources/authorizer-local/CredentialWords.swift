internal import Authorizer
internal import JOSE

/// What the authorizer makes of an event before it looks at a token.
struct CredentialWords {
  let rows: [ExplanationReport.Row]
  /// Set where the event or its credential is refused.
  let verdict: VerdictWords?
  /// The token; where the credential is refused, what looks like one, so that the other checks show too.
  let token: [UInt8]?

  init(_ event: [UInt8], settings: Settings) {
    let credential: EventCredential
    do throws(EventFlaw) {
      credential = try EventCredential(in: event, settings: settings)
    } catch {
      rows = [Self.row("event", .invalidEvent, Self.kinds, error.description)]
      verdict = VerdictWords(
        code: ReasonCode.invalidEvent.rawValue, sentence: error.description,
        hint: Self.hint(error))
      token = nil
      return
    }
    let event = Self.row("event", nil, Self.kinds, credential.kind.rawValue)
    let found = credential.values.map { String(decoding: $0, as: UTF8.self) }
    let places = Self.places(credential.kind, settings)
    switch credential.token {
    case .found(let text):
      rows = [event, Self.row("credential", nil, "one token in \(places)", "one of \(text.count) bytes")]
      verdict = nil
      token = text
    case .refused(let reason):
      let text = found.isEmpty ? "none" : found.joined(separator: " and ")
      rows = [event, Self.row("credential", reason, "one token in \(places)", text)]
      let (sentence, hint) = Self.words(reason, found, credential.kind, places)
      verdict = VerdictWords(code: reason.rawValue, sentence: sentence, hint: hint)
      token = Self.likelyToken(found)
    }
  }

  private static let kinds = "an event of a Lambda authorizer"

  private static func row(
    _ name: String, _ reason: ReasonCode?, _ expected: String, _ found: String
  ) -> ExplanationReport.Row {
    ExplanationReport.Row(
      check: name, title: name, result: reason == nil ? "passed" : "FAILED", reason: reason?.rawValue,
      expected: expected, found: found)
  }

  private static func hint(_ flaw: EventFlaw) -> String? {
    switch flaw {
    case .notJSON: nil
    case .notAnAuthorizerEvent:
      "authorizer events have a type, TOKEN or REQUEST, and methodArn or routeArn; what a route's own function gets is "
        + "another event"
    case .malformedARN:
      "arn:aws:execute-api:REGION:ACCOUNT:API/STAGE/VERB/PATH is expected"
    }
  }

  private static func places(_ kind: EventKind, _ settings: Settings) -> String {
    if kind == .restToken { return "authorizationToken, after \"Bearer \"" }
    return settings.tokenSources.map { source in
      switch source {
      case .header(let name): "the header \(name), after \"Bearer \""
      case .cookie(let name): "the cookie \(name)"
      case .query(let name): "the query parameter \(name)"
      }
    }.joined(separator: " or ")
  }

  private static func words(
    _ reason: ReasonCode, _ values: [String], _ kind: EventKind, _ places: String
  ) -> (String, String?) {
    switch reason {
    case .ambiguousToken:
      return (
        "the event brings more than one credential",
        "send one: an authorizer that chose could choose another one than the backend does"
      )
    case .missingToken:
      let hint =
        kind == .restToken || kind == .restRequest
        ? "API Gateway answers 401 itself where the identity source is absent"
        : "looked for in \(places); tokenSources names other places"
      return ("the event brings no token", hint)
    default:
      return ("the credential is not \"Bearer\", one blank and one token", values.first.flatMap(bearerHint))
    }
  }

  /// What is wrong with a header's value.
  private static func bearerHint(_ value: String) -> String? {
    let words = value.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
    guard let first = words.first else { return nil }
    if words.count == 1, looksLikeToken(first) {
      return "the token stands alone: put \"Bearer \" in front of it"
    }
    if first.lowercased() == "dpop" {
      return
        "the scheme is DPoP: it is accepted for issuers with \"proofOfPossession\": \"ignore\", others need Bearer"
    }
    if first.lowercased() != "bearer" {
      return first.lowercased().hasPrefix("bearer")
        ? "between Bearer and the token stands one blank and nothing else"
        : "the scheme is \(first), expected is Bearer"
    }
    if value.contains("  ") { return "one blank, not several, stands between Bearer and the token" }
    if value.contains("\"") { return "the token stands without quotes" }
    if words.count > 2, words[1].lowercased() == "bearer" { return "Bearer stands twice" }
    return words.count > 2 ? "something follows the token" : "the token holds a character that none may hold"
  }

  private static func looksLikeToken(_ text: String) -> Bool {
    text.count { $0 == "." } >= 2 && text.hasPrefix("ey")
  }

  /// The one text among the values that has the looks of a token.
  private static func likelyToken(_ values: [String]) -> [UInt8]? {
    let texts = values.flatMap { $0.split { $0 == " " || $0 == "," || $0 == "\"" } }.map(String.init)
    let tokens = texts.filter(looksLikeToken)
    return tokens.count == 1 ? tokens.first.map { Array($0.utf8) } : nil
  }
}
