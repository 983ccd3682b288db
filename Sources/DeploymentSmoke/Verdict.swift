internal import GatewayModel
package import LibcurlTransfer
internal import Text

/// Whether an answer is as predicted.
package enum Verdict: Equatable, Sendable {
  case same
  /// - Parameter isCertain: whether only API Gateway can have answered so; otherwise the backend may have.
  case differs(Difference, isCertain: Bool)
  case failed(TransferFailure.Reason)
  /// No request was sent, for this reason.
  case notSent(String)

  package var difference: Difference? { if case .differs(let found, _) = self { found } else { nil } }
  var code: String { String("\(self)".prefix { $0 != "(" }) }
  /// What differs, or why nothing is compared.
  var why: String? {
    switch self {
    case .same: nil
    case .differs(let difference, _): difference.sentence
    case .failed(let reason): reason.words
    case .notSent(let why): why
    }
  }
}

/// How an answer differs from its prediction: `sentence` says it. No case has a text of the answer.
package enum Difference: Hashable, Sendable {
  case letsIn(refusal: Int), kept, refuses(Int), authorizerFails(predicted: String), unknownRoute, cached
  case redirects(Int), throttled, status(Int, predicted: Int), header(String), body
}

extension Verdict {
  /// Judges an answer.
  init(_ answer: GatewayResponse, to request: SmokeRequest, beside stable: StablePrediction) {
    let own = GatewayOwnAnswer(answer, to: request)
    let (isHead, isSocket) = (request.method == "HEAD", request.target.api.isWebSocket)
    func differs(_ difference: Difference) -> Verdict {
      // The function of `$connect` may have answered so.
      .differs(difference, isCertain: own?.isCertain ?? (answer.status == 101 || !isSocket))
    }
    if answer.status == 429 {
      self = .differs(.throttled, isCertain: false)
      return
    }
    switch (stable.prediction, own?.meaning) {
    case (.unknown(let why), _): self = .notSent(why)
    case (.passesOn, nil), (.passesOn, .backendFailed?): self = .same
    case (.answer(let predicted), _) where answer.status == predicted.status:
      // What else AWS answers to a handshake is not documented.
      self = isSocket ? .same : Self.compared(answer, predicted, comparesBody: stable.comparesBody && !isHead)
    case (.answer, _) where (300..<400).contains(answer.status):
      self = .differs(.redirects(answer.status), isCertain: true)
    case (_, .authorizerFailed?): self = differs(.authorizerFails(predicted: stable.prediction.words))
    case (_, .noRoute?): self = differs(.unknownRoute)
    case (.passesOn, .refused?): self = differs(.refuses(answer.status))
    case (.answer(let predicted), let meaning):
      // Without a mark of API Gateway's own it is an answer of the backend, which got the request.
      let isOfBackend =
        meaning == .backendFailed
        || meaning == nil && (answer.status < 400 || GatewayOwnAnswer.hasIdentifier(answer))
      if isOfBackend, [401, 403].contains(predicted.status) || answer.status < 400 && predicted.status >= 400
      {
        self = differs(.letsIn(refusal: predicted.status))
      } else if meaning == .refused, predicted.status < 400 {
        // Such as a preflight request.
        self = differs(.refuses(answer.status))
      } else {
        self = differs(.status(answer.status, predicted: predicted.status))
      }
    }
  }

  private static func compared(
    _ answer: GatewayResponse, _ predicted: GatewayResponse, comparesBody: Bool
  ) -> Verdict {
    let names =
      predicted.headers.map { $0.name.lowercased() } + [
        "www-authenticate", "access-control-allow-origin", "x-amzn-errortype",
      ]
    for name in names where values(of: name, in: answer) != values(of: name, in: predicted) {
      return .differs(.header(name), isCertain: true)
    }
    // AWS writes two texts (Tests/Fixtures/agreement/cases.py, source 403), of which `serve` has the shorter one.
    let body = String(decoding: answer.body, as: UTF8.self)
      .replacingBytes(
        of: "with an explicit deny in an identity-based policy\"", with: "with an explicit deny\"")
    if comparesBody, answer.body != predicted.body, !body.utf8.elementsEqual(predicted.body) {
      return .differs(.body, isCertain: true)
    }
    return .same
  }

  /// API Gateway writes media types and error types in several ways.
  private static func values(of name: String, in response: GatewayResponse) -> [String] {
    let values = response.values(ofHeader: name)
    if name == "content-type" { return values.map { String($0.lowercased().filter { $0 != " " }) } }
    return name == "x-amzn-errortype" ? values.map { String($0.head(before: ":")) } : values
  }
}

/// An answer that API Gateway gives itself.
struct GatewayOwnAnswer {
  enum Meaning: Equatable { case refused, authorizerFailed, noRoute, backendFailed }

  let meaning: Meaning
  /// Whether a backend cannot have given it.
  let isCertain: Bool

  /// - Returns: `nil` if the answer has no mark of API Gateway's own.
  init?(_ answer: GatewayResponse, to request: SmokeRequest) {
    switch request.target.api.kind {
    case .rest:
      // A REST API names its error; the list is that of GatewayError.
      guard Self.hasIdentifier(answer), let type = answer.header("x-amzn-errortype") else { return nil }
      isCertain = true
      switch String(type.head(before: ":")) {
      case "AuthorizerConfigurationException": meaning = .authorizerFailed
      case "MissingAuthenticationTokenException": meaning = .noRoute
      case "InternalServerErrorException", "InternalFailureException": meaning = .backendFailed
      default: meaning = .refused
      }
    case .http, .webSocket:
      guard let own = Self.messages[answer.status],
        request.target.api.isWebSocket
          || Self.hasIdentifier(answer)
            && (request.method == "HEAD" || answer.body.elementsEqual(#"{"message":"\#(own.text)"}"#.utf8))
      else { return nil }
      isCertain = false
      // The function of an open route is the backend's.
      let isOpen = !request.route.access.isGuarded
      meaning = own.meaning == .authorizerFailed && isOpen ? .backendFailed : own.meaning
    }
  }

  /// Whether the answer went through API Gateway.
  static func hasIdentifier(_ answer: GatewayResponse) -> Bool {
    answer.header("x-amzn-requestid") != nil || answer.header("apigw-requestid") != nil
  }

  /// What HTTP APIs answer, and a backend can answer too.
  private static let messages: [Int: (text: String, meaning: Meaning)] = [
    401: ("Unauthorized", .refused), 403: ("Forbidden", .refused), 404: ("Not Found", .noRoute),
    500: ("Internal Server Error", .authorizerFailed), 503: ("Service Unavailable", .backendFailed),
  ]
}
