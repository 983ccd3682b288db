package import GatewayModel
package import LambdaEmulator
package import LibcurlTransfer

extension SmokePlan {
  /// Predicts, asks and compares, one request after the other; after the wait again what has another prediction then.
  ///
  /// - Parameters:
  ///   - rate: requests in a second, greater than 0.
  ///   - onProgress: called with the number of finished requests.
  ///   - send: sends a request to a URL.
  /// - Throws: if the task is cancelled.
  package func report(
    by predictor: Predictor, tokens: [RoleToken], rate: Double, clock: LambdaClock,
    onProgress: (Int) -> Void = { _ in },
    send: (GatewayRequest, String) async -> Result<DeployedAnswer, TransferFailure>
  ) async throws -> SmokeReport {
    var results: [SmokeResult] = []
    var unreachable: [String: TransferFailure.Reason] = [:]
    var hasSent = false
    // What API Gateway may keep is of the beginning of the run.
    var begin: [Int: Prediction] = [:]
    for (index, request) in requests.enumerated() where request.keeper != nil {
      let (own, api) = (request.exchange(tokens).request, request.target.api)
      begin[index] = await predictor.stablePrediction(of: own, to: api).prediction
    }
    func ask(
      _ request: SmokeRequest, begin: Prediction? = nil, after earlier: StablePrediction? = nil
    ) async throws {
      let (exchange, url) = request.exchange(tokens)
      let (api, origin) = (request.target.api, request.target.address.origin)
      // Before the prediction, which is of the time of the request.
      if hasSent { try await clock.wait(Int((1000 / rate).rounded(.up))) }
      hasSent = false
      let stable = await predictor.stablePrediction(of: exchange, to: api)
      if stable.prediction == earlier?.prediction { return }
      var result = SmokeResult(request: request, stable: stable, earlier: earlier)
      if case .unknown(let why) = stable.prediction {
        result.verdict = .notSent(why)
      } else if let begin, begin != stable.prediction {
        result.verdict = .notSent("the token expired during the run")
      } else if let reason = unreachable[origin] {
        result.verdict = .notSent(reason.words)
      } else {
        hasSent = true
        switch await send(exchange, url) {
        case .failure(let failure):
          if failure.reason != .timeout, failure.reason != .transfer { unreachable[origin] = failure.reason }
          result.verdict = .failed(failure.reason)
        case .success(let answer):
          result.take(answer)
          result.dependence = await predictor.dependence(of: exchange, to: api, stable)
        }
      }
      results.append(result)
    }
    for (index, request) in requests.enumerated() {
      try await ask(request, begin: begin[index])
      onProgress(results.count)
    }
    let kept = results.filter { wait > 0 && $0.verdict == .same && $0.request.keeper != nil }
    if !kept.isEmpty { try await clock.wait(wait * 1000) }
    for first in kept {
      var request = first.request
      request.after = wait
      try await ask(request, after: first.stable)
    }
    return SmokeReport(results, skipped: skipped, base: predictor.base, wait: wait)
  }
}

/// A request, its prediction, and what became of it.
package struct SmokeResult: Sendable {
  package let request: SmokeRequest
  package let stable: StablePrediction
  /// The prediction of the same request before the wait.
  private let earlier: StablePrediction?
  package internal(set) var verdict = Verdict.same
  /// The status of the answer; `nil` without one.
  package private(set) var status: Int?
  package private(set) var isSlow = false
  var dependence: Dependence?
  private var answer: GatewayResponse?

  init(request: SmokeRequest, stable: StablePrediction, earlier: StablePrediction? = nil) {
    (self.request, self.stable, self.earlier) = (request, stable, earlier)
  }

  mutating func take(_ deployed: DeployedAnswer) {
    status = deployed.response.status
    isSlow = deployed.milliseconds >= SmokeLimit.slowMilliseconds
    var response = deployed.response
    response.body = Array(response.body.prefix(SmokeLimit.bodyBytes))
    answer = response
    verdict = judged(stable) ?? .same
    if let earlier, judged(earlier) == .same {
      switch (verdict, earlier.prediction) {
      // Any answer without a mark of API Gateway's fits a backend: only one of its own, or an entry, was kept.
      case (.differs(.letsIn, let isCertain), _), (.differs(_, let isCertain), .answer):
        verdict = .differs(.kept, isCertain: isCertain)
      case (.differs, _), (.same, _), (.failed, _), (.notSent, _): break
      }
    }
    // What API Gateway answers itself is never of a certain age (RFC 9111 section 5.1).
    if case .answer = stable.prediction, (deployed.response.header("age").flatMap { Int($0) } ?? 0) > 0 {
      verdict = .differs(.cached, isCertain: true)
    }
  }

  /// Whether the answer is a difference that no behavior of AWS excuses: a missing rule lets callers in alike.
  var isFault: Bool {
    switch verdict.difference {
    case .cached?, .kept?, .letsIn?: true
    default: false
    }
  }

  /// Whether the answer fits a prediction under other assumptions; `nil` if that cannot be told.
  func fits(_ prediction: Prediction) -> Bool? {
    switch judged(stable.comparable(prediction)) {
    case .same?: return true
    case .failed?, .notSent?, .differs(.throttled, _)?, nil: return nil
    // Where a pass is predicted, the backend may have refused.
    case .differs(_, let isCertain)?: return isCertain || prediction != .passesOn ? false : nil
    }
  }

  private func judged(_ stable: StablePrediction) -> Verdict? {
    answer.map { Verdict($0, to: request, beside: stable) }
  }
}
