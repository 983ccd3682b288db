package import GatewayEmulator
package import GatewayModel

/// Predicts answers with the gateway of `serve`. No backend is called, and no answer is cached: a cache is never the
/// reason for another answer of an authorizer that answers alike.
package final class Predictor {
  /// The assumptions of the user.
  let base: Assumptions
  private let functions: Set<String>
  private let service: (Assumptions) -> GatewayService
  private var services: [[String]: GatewayService] = [:]

  /// - Parameters:
  ///   - functions: the names of the authorizers that run here.
  ///   - service: makes the gateway for assumptions.
  package init(
    _ base: Assumptions, functions: Set<String>, service: @escaping (Assumptions) -> GatewayService
  ) {
    (self.base, self.functions, self.service) = (base, functions, service)
  }

  /// Returns what `serve` answers under these assumptions.
  func prediction(
    of request: GatewayRequest, to api: GatewayAPI, _ assumptions: Assumptions, later: Bool = false
  ) async -> Prediction {
    let service = services[assumptions.lines] ?? self.service(assumptions)
    services[assumptions.lines] = service
    let options = service.trialOptions(
      readsCache: false, offsetMilliseconds: later ? SmokeLimit.laterMilliseconds : 0)
    // The stage as this gateway has it, with values of API keys.
    let own = service.gateway.apis.first { $0.address == api.address } ?? api
    return Prediction(await service.run(request, to: own, options).served, functions: functions)
  }

  func stablePrediction(of request: GatewayRequest, to api: GatewayAPI) async -> StablePrediction {
    let now = await prediction(of: request, to: api, base)
    return now.stable(beside: await prediction(of: request, to: api, base, later: true))
  }

  /// Finds the assumptions that the answer to a request depends on, alone and together.
  func dependence(
    of request: GatewayRequest, to api: GatewayAPI, _ stable: StablePrediction
  ) async -> Dependence {
    var names: [String] = []
    while true {
      var cases: [Dependence.Case] = []
      var found: String?
      for assignment in Self.assignments(of: names) {
        let assumptions = base.assuming(assignment)
        let own = stable.comparable(await prediction(of: request, to: api, assumptions))
        cases.append((assignment, own))
        for choice in Assumptions.choices where found == nil && !names.contains(choice.name) {
          for value in choice.values where value != assumptions.value(of: choice.name) {
            let other = assumptions.assuming([choice.name: value])
            if stable.comparable(await prediction(of: request, to: api, other)) != own { found = choice.name }
          }
        }
      }
      guard let found else { return Dependence(names: names, cases: cases) }
      names.append(found)
      if names.count > SmokeLimit.assumptions { return Dependence(names: names, cases: []) }
    }
  }

  /// All combinations of the values of these assumptions; one, empty, of none.
  private static func assignments(of names: [String]) -> [[String: String]] {
    names.reduce([[:]]) { combinations, name in
      let values = Assumptions.choices.first { $0.name == name }?.values ?? []
      return combinations.flatMap { combination in
        values.map { combination.merging([name: $0]) { $1 } }
      }
    }
  }
}

/// The assumptions that the answer to a request depends on.
struct Dependence: Sendable {
  let names: [String]
  /// The prediction for each combination of their values; empty if they were too many to be tried.
  let cases: [Case]

  typealias Case = (values: [String: String], prediction: Prediction)
}

extension Assumptions {
  fileprivate func assuming(_ values: [String: String]) -> Assumptions {
    var assumptions = self
    for (name, value) in values { _ = assumptions.assume(name + "=" + value) }
    return assumptions
  }
}
