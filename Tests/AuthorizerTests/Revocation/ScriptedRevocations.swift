import Authorizer

/// A revocation store that answers from a script and records its calls.
final class ScriptedRevocations: RevocationSource {
  /// The answer for each subject; other subjects are not revoked.
  var answers: [String: RevocationAnswer] = [:]
  /// The error for every lookup, if set.
  var outage: String?
  private(set) var calls: [String] = []
  private(set) var ends: [Int64?] = []
  /// Runs with each lookup.
  var whenAsked: () -> Void = {}
  private(set) var workers = 1

  func answer(about subject: [UInt8], endMilliseconds: Int64?) -> RevocationAnswer {
    let subject = String(decoding: subject, as: UTF8.self)
    calls.append(subject)
    ends.append(endMilliseconds)
    whenAsked()
    return outage.map { .unavailable($0) } ?? answers[subject] ?? .notRevoked
  }

  func forAnotherWorker() -> ScriptedRevocations {
    workers += 1
    return self
  }
}
