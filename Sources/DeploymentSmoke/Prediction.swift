internal import GatewayEmulator
package import GatewayModel
internal import LambdaEmulator
internal import Text

/// What `serve` answers to a request.
package enum Prediction: Equatable, Sendable {
  /// API Gateway itself answers so.
  case answer(GatewayResponse)
  /// The backend gets the request, and answers anything.
  case passesOn
  /// Nothing is known, for this reason.
  case unknown(String)

  /// - Parameter functions: the names of the authorizers that run here.
  init(_ served: CompletedRequest, functions: Set<String>) {
    switch served.refusal {
    case .notEmulated(let finding)?: self = .unknown("serve does not emulate this: \(finding.problem)")
    case .authorizerFailed?:
      if let why = Self.failure(served, functions) { self = .unknown(why) } else { fallthrough }
    case .some: self = .answer(Self.withoutIDs(served.response))
    // An empty 200 in place of the backend's answer opens the connection.
    case nil where served.api.isWebSocket: self = .answer(GatewayResponse(status: 101))
    case nil:
      // An exchange that ends before the backend has an answer without headers; each of API Gateway has its ID.
      let endsBefore = served.exchange != nil && served.response.headers.isEmpty
      self = endsBefore ? .passesOn : .answer(Self.withoutIDs(served.response))
    }
  }

  /// The status, or that the backend answers.
  package var words: String {
    switch self {
    case .answer(let response): String(response.status)
    case .passesOn: "the backend's answer"
    case .unknown: "unknown"
    }
  }

  /// Why the failure of an authorizer here says nothing about AWS; `nil` if its answer is the same there.
  private static func failure(_ served: CompletedRequest, _ functions: Set<String>) -> String? {
    let name = served.exchange?.route.authorizer?.function ?? ""
    guard functions.contains(name) else { return "no program for the authorizer \(name): --handler or --run" }
    switch served.functionAnswer {
    case .initializationFailed?, .died?, .timedOut?: return "the authorizer \(name) fails on this machine"
    case .response?, .error?, nil: break
    }
    // This project's authorizer fails only if it cannot know the answer, such as without the keys of an issuer.
    return served.redactedRecord.reason.map { "the authorizer \(name) does not know the answer here: \($0)" }
  }

  /// Headers that differ from request to request.
  static let identifiers = [
    "x-amzn-requestid", "x-amz-apigw-id", "apigw-requestid", "x-amzn-trace-id", "date",
  ]

  private static func withoutIDs(_ response: GatewayResponse) -> GatewayResponse {
    var response = response
    response.headers.removeAll { identifiers.containsText($0.name.lowercased()) }
    return response
  }

  /// What stays the same in another prediction of the same request a minute later: parts that change, such as a
  /// request ID in a body, cannot be compared.
  func stable(beside later: Prediction) -> StablePrediction {
    guard case .answer(let one) = self, case .answer(let other) = later, one.status == other.status else {
      let isSame = self == later
      return StablePrediction(
        isSame ? self : .unknown("the answer depends on the time: a token may expire"), comparesBody: false,
        changingHeaders: [])
    }
    let changing = one.headers.filter { !other.headers.contains($0) }.map { $0.name.lowercased() }
    return StablePrediction(self, comparesBody: one.body == other.body, changingHeaders: changing)
  }
}

/// A prediction, as far as it does not change from request to request.
package struct StablePrediction: Equatable, Sendable {
  package let prediction: Prediction
  /// Whether the body does not change.
  let comparesBody: Bool
  /// The names of the headers that change, in lower case.
  let changingHeaders: [String]

  init(_ prediction: Prediction, comparesBody: Bool, changingHeaders: [String]) {
    (self.comparesBody, self.changingHeaders) = (comparesBody, changingHeaders)
    guard case .answer(var response) = prediction else {
      self.prediction = prediction
      return
    }
    if !comparesBody { response.body = [] }
    response.headers.removeAll { changingHeaders.containsText($0.name.lowercased()) }
    self.prediction = .answer(response)
  }

  /// Returns another prediction of the same request without the parts that change.
  func comparable(_ prediction: Prediction) -> StablePrediction {
    StablePrediction(prediction, comparesBody: comparesBody, changingHeaders: changingHeaders)
  }
}
