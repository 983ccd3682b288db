import Authorizer

/// A revocation store that answers from a script and records its calls.
final class ScriptedRevocations: RevocationSource {
  /// The event of each item by what follows `revocation#`; the others are not revoked.
  var events: [String: Int64] = [:]
  /// The error for every lookup, if set.
  var outage: String?
  private(set) var calls: [String] = []
  private(set) var ends: [Int64?] = []
  /// Runs with each lookup.
  var whenAsked: () -> Void = {}
  private(set) var workers = 1

  func answer(about items: [[UInt8]], at now: Int64, endMilliseconds: Int64?) -> RevocationAnswer {
    let names = items.map { String(decoding: $0.dropFirst("revocation#".utf8.count), as: UTF8.self) }
    calls.append(names.joined(separator: " "))
    ends.append(endMilliseconds)
    whenAsked()
    return outage.map { .unavailable($0) } ?? .events(names.map { events[$0] })
  }

  func forAnotherWorker() -> ScriptedRevocations {
    workers += 1
    return self
  }
}
