import Authorizer

/// A store of revocations that answers from a script and remembers what it was asked.
final class ScriptedRevocations: RevocationSource {
  /// What it says of each subject; nobody else has withdrawn.
  var answers: [String: RevocationAnswer] = [:]
  /// What it says of everybody instead.
  var outage: String?
  private(set) var calls: [String] = []
  private(set) var ends: [Int64?] = []
  /// Runs with each question.
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
