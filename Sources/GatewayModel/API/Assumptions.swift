internal import Text

/// The choices for behavior that AWS does not document. `serve` lists them at the start.
///
/// `docs/reference/gateway.md` has the evidence that exists.
package struct Assumptions: Hashable, Sendable {
  /// HTTP API: a function that fails with the message `Unauthorized`.
  package var httpThrownUnauthorized = Refused.unauthorized
  /// Any API: a function that returns `{"errorMessage":"Unauthorized"}`.
  package var returnedUnauthorized = Refused.unauthorized
  /// Whether such a returned answer is cached for the TTL.
  package var returnedUnauthorizedIsCached = Choice.no
  /// The time for conditions of a cached policy.
  package var conditionsOnCacheHit = Evaluation.again
  /// `routeArn` of a route with parameters.
  package var httpRouteARN = Path.concrete
  /// An error document whose message is `Unauthorized` and that has no `errorType`.
  package var unauthorizedNeedsErrorType = Choice.no
  /// An HTTP API answer with `isAuthorized` and `policyDocument`.
  package var bothAnswerForms = BothForms.refused
  /// Header names of REST identity sources.
  package var restHeaderNames = Spelling.anyCase
  /// REST and HTTP API: `X-Forwarded-For`, `-Port` and `-Proto` as identity sources and parameters see them.
  package var forwardedHeaders = Forwarded.added
  /// REST API: a method that the most specific resource of a path does not have.
  package var restMissingMethod = MissingMethod.nextResource
  /// REST API: a token without an additional claim of a JWT authorizer that is not `Required`.
  package var restAbsentClaim = AbsentClaim.refused
  /// A path that another reading gives to a route with another guard.
  package var pathReadings = PathReading.closed
  /// The maximum size of an answer to a REST or HTTP API.
  package var answerLimit = AnswerLimit.lambda
  /// A WebSocket route with a route response or a route response selection expression, but not both.
  package var webSocketReply = WebSocketReply.either
  /// A throttle that has only one of rate and burst.
  package var missingThrottleLimit = MissingLimit.zero

  /// HTTP API: the path in events.
  package var httpRawPath = RawPath.asSent
  /// `multiValueHeaders` in events of authorizers with payload format 1.0.
  package var http1MultiValueHeaders = Choice.no
  /// The base path of a custom domain in `rawPath`, and in `path` of events of authorizers and of HTTP APIs.
  package var domainPath = BasePath.kept
  /// A path without a mapping on a custom domain of HTTP APIs alone.
  package var httpDomainWithoutMapping = WithoutMapping.forbidden
  /// How much of a value an identity validation expression must match.
  package var validationExpression = Extent.whole
  /// The `Content-Type` of an answer in payload format 2.0 with a status and without that header.
  package var httpContentType = ContentType.text

  /// A 401, or a 500 as for any other failure.
  package enum Refused: String, CaseIterable, Sendable { case unauthorized = "401", failure = "500" }
  package enum Choice: String, CaseIterable, Sendable { case yes, no }
  /// With the time of each request, or with the time of the function's answer.
  package enum Evaluation: String, CaseIterable, Sendable { case again, first }
  /// The path of the request, or the template of the route.
  package enum Path: String, CaseIterable, Sendable { case concrete, template }
  /// A 500, or the form that the authorizer is configured for.
  package enum BothForms: String, CaseIterable, Sendable { case refused, configured }
  /// Case-sensitive, or in any case.
  package enum Spelling: String, CaseIterable, Sendable { case exact, anyCase = "any-case" }
  /// As API Gateway sets them, or as the client sent them.
  package enum Forwarded: String, CaseIterable, Sendable { case added, asSent = "as-sent" }
  /// The next resource that has the method, even if it is open, or a 403.
  package enum MissingMethod: String, CaseIterable, Sendable { case nextResource = "next-resource", refused }
  /// A 401, or accepted.
  package enum AbsentClaim: String, CaseIterable, Sendable { case refused, accepted }
  /// Closed, or routed as sent.
  package enum PathReading: String, CaseIterable, Sendable { case closed, asSent = "as-sent" }
  /// Lambda's 6 MiB for synchronous answers, or 8 KiB as on WebSocket APIs.
  package enum AnswerLimit: String, CaseIterable, Sendable { case lambda = "6MiB", webSocket = "8KiB" }

  /// Whether one of the two is enough for an answer to the client.
  package enum WebSocketReply: String, CaseIterable, Sendable { case either, both }
  /// The missing number is 0, so that every request is a 429, or the throttle limits nothing.
  package enum MissingLimit: String, CaseIterable, Sendable { case zero, none }

  /// As the client sent it, or decoded and cut at a decoded question mark.
  package enum RawPath: String, CaseIterable, Sendable { case asSent = "as-sent", decoded }
  /// Kept, as measured for integrations of REST APIs, or removed.
  package enum BasePath: String, CaseIterable, Sendable { case kept, removed }
  /// As on REST APIs, or as for a path without a route.
  package enum WithoutMapping: String, CaseIterable, Sendable { case forbidden = "403", notFound = "404" }
  /// The whole value, or a part of it.
  package enum Extent: String, CaseIterable, Sendable { case whole, part }
  /// Plain text, or JSON as for an answer without a status.
  package enum ContentType: String, CaseIterable, Sendable {
    case text = "text/plain; charset=utf-8"
    case json = "application/json"
  }
  /// The serial number of a client certificate in events.
  package var certificateSerial = CertificateSerial.short
  /// Whether the PEM text of a client certificate ends with a line feed.
  package var certificateEndsWithLineFeed = Choice.yes

  /// Decimal where it has at most 64 bits, as OpenSSL prints it, else hexadecimal; or always hexadecimal.
  package enum CertificateSerial: String, CaseIterable, Sendable { case short, hexadecimal }

  /// The defaults.
  package init() {}

  private struct Setting: Sendable {
    let name: String
    let words: [String]
    let meaning: String
    let value: @Sendable (Assumptions) -> String
    let set: @Sendable (inout Assumptions, String) -> Void

    init<Word: RawRepresentable & CaseIterable & Sendable>(
      _ name: String, _ path: any WritableKeyPath<Assumptions, Word> & Sendable, _ meaning: String
    ) where Word.RawValue == String {
      self.name = name
      words = Word.allCases.map(\.rawValue)
      self.meaning = meaning
      value = { $0[keyPath: path].rawValue }
      set = { if let word = Word(rawValue: $1) { $0[keyPath: path] = word } }
    }
  }

  private static let settings: [Setting] = [
    Setting(
      "http-thrown-unauthorized", \.httpThrownUnauthorized, "HTTP API, the function fails with Unauthorized"
    ),
    Setting(
      "returned-unauthorized", \.returnedUnauthorized,
      #"the function returns {"errorMessage":"Unauthorized"}"#),
    Setting(
      "returned-unauthorized-cached", \.returnedUnauthorizedIsCached, "whether that answer is cached"),
    Setting("conditions-on-cache-hit", \.conditionsOnCacheHit, "time conditions in a cached policy"),
    Setting("http-route-arn", \.httpRouteARN, "routeArn of a route with parameters"),
    Setting(
      "unauthorized-needs-error-type", \.unauthorizedNeedsErrorType, "whether a 401 needs an errorType"),
    Setting("both-answer-forms", \.bothAnswerForms, "isAuthorized and policyDocument in one answer"),
    Setting("rest-header-names", \.restHeaderNames, "REST identity sources, spelling of header names"),
    Setting(
      "forwarded-headers", \.forwardedHeaders,
      "REST and HTTP API, X-Forwarded-For, -Port, -Proto as identity sources and parameters"),
    Setting(
      "rest-missing-method", \.restMissingMethod, "REST API, the resource of a path lacks the method"),
    Setting(
      "rest-absent-claim", \.restAbsentClaim,
      "REST API, JWT authorizer: a token without a claim that is not Required"),
    Setting(
      "path-readings", \.pathReadings,
      "a path with %, //, dot segments or a last slash that may reach another guard"),
    Setting("answer-limit", \.answerLimit, "REST and HTTP API, maximum size of an answer"),
    Setting("websocket-reply", \.webSocketReply, "what a route needs to answer a WebSocket message"),
    Setting(
      "missing-throttle-limit", \.missingThrottleLimit, "a throttle with only one of rate and burst"),
    Setting("http-raw-path", \.httpRawPath, "HTTP API, the path in events"),
    Setting(
      "http1-multi-value-headers", \.http1MultiValueHeaders,
      "HTTP API, payload 1.0: whether authorizers see all values of a header, not only the last"),
    Setting("domain-path", \.domainPath, "base path of a custom domain in paths of events"),
    Setting(
      "http-domain-without-mapping", \.httpDomainWithoutMapping,
      "custom domain of HTTP APIs, a path without a mapping"),
    Setting(
      "validation-expression", \.validationExpression, "how much of a value the expression must match"),
    Setting(
      "http-content-type", \.httpContentType, "payload 2.0, an answer with a status and without the header"),
    Setting(
      "client-certificate-serial", \.certificateSerial, "serialNumber of a client certificate in events"),
    Setting(
      "client-certificate-line-feed", \.certificateEndsWithLineFeed,
      "whether clientCertPem in events ends with a line feed"),
  ]

  /// Sets one choice by `NAME=VALUE`.
  ///
  /// - Returns: an error message, or `nil`.
  package mutating func assume(_ text: String) -> String? {
    let parts = text.splitBytes(at: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let setting = Self.settings.first(where: { $0.name == parts[0] }) else {
      return "unknown setting \(parts[0]); use \(Self.settings.map(\.name).joined(separator: ", "))"
    }
    guard parts.count == 2, setting.words.contains(parts[1]) else {
      return "\(setting.name) must be one of \(setting.words.joined(separator: ", "))"
    }
    setting.set(&self, parts[1])
    return nil
  }

  /// The name of each choice, with the words for its values.
  package static var choices: [(name: String, values: [String])] { settings.map { ($0.name, $0.words) } }

  /// Returns the word for the value of a choice; `nil` for an unknown name.
  package func value(of name: String) -> String? {
    Self.settings.first { $0.name.hasSameBytes(as: name) }?.value(self)
  }

  /// One line `name=value  meaning` for each choice.
  package var lines: [String] { Self.settings.map { "\($0.name)=\($0.value(self))  \($0.meaning)" } }
}
