internal import GatewayModel

/// What the answers say about the behavior that AWS does not document.
///
/// A fault of the deployment can look like another behavior, so that answers count only where the same authorizer,
/// or without one the same API, answered another request as predicted whatever is assumed, and nothing else differs.
struct AssumptionEvidence {
  /// The settled value of each assumption.
  private(set) var settled: [String: String] = [:]
  /// Assumptions that some answer depended on, but that are not settled.
  private(set) var open: [String] = []

  init(_ results: [SmokeResult]) {
    let depending = results.filter { $0.dependence?.names.isEmpty == false }
    // If it cannot be told whether a case fits, each value may be the right one.
    let usable = depending.filter { result in
      Self.hasControl(result, results) && !result.isFault
        && result.dependence?.cases.allSatisfy { result.fits($0.prediction) != nil } == true
    }
    var found: [String: Set<String>] = [:]
    var last = found
    repeat {
      (last, settled) = (found, found.compactMapValues { $0.count == 1 ? $0.first : nil })
      for result in usable {
        let matching = cases(of: result).filter { result.fits($0.prediction) == true }
        for name in result.dependence?.names ?? [] {
          let values = Set(matching.compactMap { $0.values[name] })
          if values.count == 1 { found[name, default: []].formUnion(values) }
        }
      }
    } while found != last
    // Answers that contradict each other settle nothing.
    if found.contains(where: { $0.value.count > 1 }) { settled = [:] }
    open = Set(depending.flatMap { $0.dependence?.names ?? [] }).filter { settled[$0] == nil }.sorted()
  }

  /// Whether an answer is as predicted with what is settled, whatever is open.
  func explains(_ result: SmokeResult) -> Bool {
    let fits = cases(of: result).map { result.fits($0.prediction) == true }
    return !result.isFault && !fits.isEmpty && !fits.contains(false)
  }

  /// The cases that agree with what is settled.
  private func cases(of result: SmokeResult) -> [Dependence.Case] {
    (result.dependence?.cases ?? []).filter { $0.values.allSatisfy { (settled[$0] ?? $1) == $1 } }
  }

  private static func hasControl(_ result: SmokeResult, _ results: [SmokeResult]) -> Bool {
    let isGuarded = result.request.route.access.isGuarded
    let own = results.filter { other in
      other.request.target == result.request.target
        && (!isGuarded || other.request.route.access == result.request.route.access)
    }
    let isFaulty = own.contains { other in
      if other.isFault { return true }
      guard let found = other.dependence, !found.names.isEmpty else { return other.verdict != .same }
      return !found.cases.isEmpty && found.cases.allSatisfy { other.fits($0.prediction) == false }
    }
    return !isFaulty
      && own.contains { other in
        // A refusal of API Gateway itself does not show that the function works.
        let isPass =
          if case .role = other.request.credential { other.stable.prediction == .passesOn } else { false }
        return other.dependence?.names.isEmpty == true && (isPass || !isGuarded)
      }
  }
}
