internal import LambdaEmulator
internal import AuthorizerContract
internal import JSON

/// Checks the answers of one function to one load: each must allow the token's user.
struct BenchJudge {
  let events: [BenchEvent]
  let isFloor: Bool
  /// The correct answer to each event so far; equal bytes are not checked again.
  private var accepted: [[UInt8]?]

  /// The principal in the constant answer of `Tests/Fixtures/floor.c`.
  private static let floorPrincipal = "floor"

  init(_ events: [BenchEvent], isFloor: Bool) {
    self.events = events
    self.isFloor = isFloor
    accepted = [[UInt8]?](repeating: nil, count: events.count)
  }

  /// - Throws: `wrongAnswer`.
  mutating func check(_ answer: [UInt8], to number: Int) throws(BenchFault) {
    if accepted[number] == answer { return }
    let event = events[number]
    let outcome = Evaluation(of: .response(answer), to: event.body).outcome
    guard outcome == .allowed else {
      throw .wrongAnswer("\(outcome.rawValue) for \(event.principal ?? "a good token")")
    }
    let expected = isFloor ? Self.floorPrincipal : event.principal
    let found = (try? JSONDocument(parsing: answer, limits: .event))?.root["principalId"]?.text
    if let expected, let found, found != expected {
      throw .wrongAnswer("allowed \(found) for the token of \(expected)")
    }
    accepted[number] = answer
  }
}
