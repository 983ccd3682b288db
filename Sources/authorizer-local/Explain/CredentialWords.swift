internal import Text
internal import GatewayEmulator
internal import GatewayModel
internal import Authorizer
internal import enum Authorizer.EventKind
internal import JOSE

/// What the authorizer reads from an event before it verifies the token.
struct CredentialWords {
  let rows: [ExplanationReport.Row]
  /// Set if the event or its credential is refused.
  let verdict: VerdictWords?
  /// The token. If the credential is refused: the value that looks like a token, so that the other checks are shown
  /// too.
  let token: [UInt8]?
  /// The kind of the event; `nil` for no event of an authorizer.
  private(set) var kind: EventKind?

  init(_ event: [UInt8], settings: Settings) {
    let credential: EventCredential
    let guest: GuestRuling?
    do throws(EventFlaw) {
      credential = try EventCredential(in: event, settings: settings)
      guest = try GuestRuling(on: event, settings: settings)
    } catch {
      rows = [Self.row("event", .invalidEvent, Self.kinds, error.description)]
      verdict = VerdictWords(
        code: ReasonCode.invalidEvent.rawValue, sentence: error.description,
        hint: Self.hint(error))
      token = nil
      return
    }
    kind = credential.kind
    let event = Self.row("event", nil, Self.kinds, credential.kind.rawValue)
    let found = credential.values.map { String(decoding: $0, as: UTF8.self) }
    let places = Self.places(credential.kind, settings)
    switch credential.token {
    case .found(let text):
      rows = [
        event, Self.row("credential", nil, "one token in \(places)", "one token of \(text.count) bytes"),
      ]
      verdict = nil
      token = text
    case .refused(let reason):
      let text = found.isEmpty ? "none" : found.joined(separator: " and ")
      rows = [event, Self.row("credential", reason, "one token in \(places)", text)]
      let (sentence, hint) = Self.words(reason, found, credential.kind, places)
      verdict = VerdictWords(code: reason.rawValue, sentence: sentence, hint: hint)
      token = Self.likelyToken(found)
    case .guest:
      rows =
        [event, Self.row("credential", nil, "one token in \(places), or nothing", "nothing: a guest")]
        + (guest.map { [$0.row] } ?? [])
      verdict = guest?.verdict(settings.guestRoutes)
      token = nil
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
      "an authorizer event has a type, TOKEN or REQUEST, and methodArn or routeArn; the event of a route's "
        + "integration is a different one"
    case .malformedARN:
      "expected: arn:aws:execute-api:REGION:ACCOUNT:API/STAGE/VERB/PATH"
    }
  }

  private static func places(_ kind: EventKind, _ settings: Settings) -> String {
    let acceptsDPoP = settings.issuers.contains { $0.profile.proofOfPossession.acceptsDPoP }
    let scheme = acceptsDPoP ? "after \"Bearer \" or \"DPoP \"" : "after \"Bearer \""
    if let member = kind.credentialMember { return "\(member), \(scheme)" }
    return settings.tokenSources.map { source in
      switch source {
      case .header(let name): "the header \(name), \(scheme)"
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
        "the event has more than one credential",
        "send exactly one: the authorizer and the backend might choose different ones"
      )
    case .missingToken:
      let hint =
        kind == .restToken || kind == .restRequest
        ? "if the identity source is missing, API Gateway answers 401 without invoking the authorizer"
        : "searched: \(places); configure other places with tokenSources"
      return ("the event has no token", hint)
    default:
      return ("the credential is not \"Bearer\", one space and one token", values.first.flatMap(bearerHint))
    }
  }

  /// Returns what is wrong with the value of a header.
  private static func bearerHint(_ value: String) -> String? {
    let words = value.splitBytes(at: " ", omittingEmptySubsequences: true).map(String.init)
    guard let first = words.first else { return nil }
    if words.count == 1, looksLikeToken(first) {
      return "the scheme is missing: put \"Bearer \" in front of the token"
    }
    if first.lowercased() == "dpop" {
      return
        "the scheme is DPoP, which only issuers with \"proofOfPossession\": { \"dpop\": {} } accept; others need Bearer"
    }
    if first.lowercased() != "bearer" {
      return first.lowercased().hasBytePrefix("bearer")
        ? "separate Bearer and the token by one space and nothing else"
        : "the scheme is \(first); expected Bearer"
    }
    if value.containsBytes(of: "  ") {
      return "there are several spaces; separate Bearer and the token by one"
    }
    if value.containsBytes(of: "\"") { return "the token is quoted; remove the quotes" }
    if words.count > 2, words[1].lowercased() == "bearer" { return "Bearer is repeated; send it once" }
    return words.count > 2 ? "there is text after the token; remove it" : "the token has an invalid character"
  }

  private static func looksLikeToken(_ text: String) -> Bool {
    text.count { $0 == "." } >= 2 && text.hasBytePrefix("ey")
  }

  /// Returns the only text among the values that looks like a token; `nil` for none or several.
  private static func likelyToken(_ values: [String]) -> [UInt8]? {
    let texts = values.flatMap { $0.split { $0 == " " || $0 == "," || $0 == "\"" } }.map(String.init)
    let tokens = texts.filter(looksLikeToken)
    return tokens.count == 1 ? tokens.first.map { Array($0.utf8) } : nil
  }
}
