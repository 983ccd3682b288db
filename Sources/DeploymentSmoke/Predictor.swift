package import GatewayEmulator
package import GatewayModel
internal import Synchronization

/// Predicts answers with the gateway of `serve`. No backend is called, and no answer is cached: a cache is never the
/// reason for another answer of an authorizer that answers alike, until the token expires.
package final class Predictor {
  /// The assumptions of the user.
  let base: Assumptions
  private let functions: Set<String>
  private let service: (Assumptions) -> GatewayService
  private var services: [Assumptions: GatewayService] = [:]
  /// What all predictions of a request have in common, so that an authorizer is called once for each different event.
  private var identity: RequestIdentity?
  private var called: [String: any FunctionInvoking] = [:]

  /// - Parameters:
  ///   - functions: the names of the authorizers that run here.
  ///   - service: makes the gateway for assumptions.
  package init(
    _ base: Assumptions, functions: Set<String>, service: @escaping (Assumptions) -> GatewayService
  ) {
    (self.base, self.functions, self.service) = (base, functions, service)
  }

  private func service(under assumptions: Assumptions) -> GatewayService {
    let service = services[assumptions] ?? self.service(assumptions)
    services[assumptions] = service
    return service
  }

  /// Returns what `serve` answers under these assumptions.
  ///
  /// - Parameter later: the IDs and the time of another request.
  private func prediction(
    of request: GatewayRequest, to api: GatewayAPI, _ assumptions: Assumptions, later: RequestIdentity? = nil
  ) async -> Prediction {
    let service = service(under: assumptions)
    let options = service.trialOptions(
      readsCache: false, functions: called,
      offsetMilliseconds: later == nil ? 0 : SmokeLimit.laterMilliseconds,
      connectionID: api.isWebSocket ? identity?.extendedRequestID : nil, identity: later ?? identity)
    // The stage as this gateway has it, with values of API keys.
    let own = service.gateway.apis.first { $0.address == api.address } ?? api
    return Prediction(await service.run(request, to: own, options).served, functions: functions)
  }

  func stablePrediction(of request: GatewayRequest, to api: GatewayAPI) async -> StablePrediction {
    let service = service(under: base)
    let functions = { service.functions.mapValues { CalledOnce(function: $0) as any FunctionInvoking } }
    let first = functions()
    (identity, called) = (service.newIdentity(), first)
    let now = await prediction(of: request, to: api, base)
    // A TOKEN event has no time: a second call shows what changes from call to call.
    called = functions()
    let later = service.newIdentity(offsetMilliseconds: SmokeLimit.laterMilliseconds)
    let other = await prediction(of: request, to: api, base, later: later)
    called = first
    return now.stable(beside: other)
  }

  /// Finds the assumptions on which the answer to the request that was predicted last depends, alone and together.
  func dependence(
    of request: GatewayRequest, to api: GatewayAPI, _ stable: StablePrediction
  ) async -> Dependence {
    var names: [String] = []
    while true {
      var cases: [Dependence.Case] = []
      var found: String?
      for assignment in Self.assignments(of: names) {
        let assumptions = base.assuming(assignment)
        let own = stable.comparable(await prediction(of: request, to: api, assumptions)).prediction
        cases.append((assignment, own))
        for choice in Assumptions.choices where found == nil && !names.contains(choice.name) {
          for value in choice.values where value != assumptions.value(of: choice.name) {
            let other = assumptions.assuming([choice.name: value])
            let changed = stable.comparable(await prediction(of: request, to: api, other)).prediction
            if changed != own { found = choice.name }
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

/// A function that answers the same event with its first outcome, to one caller after the other.
private final class CalledOnce: FunctionInvoking {
  private let function: any FunctionInvoking
  private let outcomes = Mutex<[[UInt8]: FunctionOutcome]>([:])

  init(function: any FunctionInvoking) { self.function = function }

  func outcome(of event: [UInt8]) async -> FunctionOutcome {
    if let outcome = outcomes.withLock({ $0[event] }) { return outcome }
    let outcome = await function.outcome(of: event)
    outcomes.withLock { $0[event] = outcome }
    return outcome
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
