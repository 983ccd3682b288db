internal import Mapping
internal import Text
internal import IAMPolicy
internal import GatewayModel
internal import LambdaEmulator
internal import AuthorizerContract
internal import JSON

/// Outcomes in the text and in the JSON output.
enum OutcomeText {
  /// Returns the details of one outcome, or a table of several.
  static func lines(of outcomes: [EventOutcome]) -> [StyledText] {
    guard outcomes.count == 1, let outcome = outcomes.first else {
      return table(of: outcomes).lines.map { StyledText($0) }
    }
    let evaluation = outcome.evaluation
    let outcomeName = evaluation.outcome.rawValue
    return ["\(field("outcome", ""))\(outcomeName, style(evaluation.outcome))"]
      + details(of: outcome).map { StyledText($0) }
  }

  private static func details(of outcome: EventOutcome) -> [String] {
    let evaluation = outcome.evaluation
    let answer = outcome.result.answer.response.flatMap { try? JSONTree(parsing: $0) }
    var lines: [String] = []
    if let reason = outcome.result.decision?.reason { lines.append(field("reason", reason)) }
    lines.append(field("because", evaluation.explanation))
    if let kind = outcome.eventKind { lines.append(field("event", kind.rawValue)) }
    if case .string(let principal)? = answer?["principalId"] { lines.append(field("principal", principal)) }
    for name in ["policyDocument", "context"] {
      guard let value = answer?[name] else { continue }
      lines.append(name == "context" ? name : "policy")
      lines += String(decoding: value.bytes(indentedBy: 2), as: UTF8.self)
        .splitBytes(at: "\n").map { "  " + $0 }
    }
    var time = "\(outcome.result.microseconds) µs"
    if let own = outcome.result.decision?.microseconds { time += ", \(own) of it in the function" }
    lines.append(field("time", time))
    if let peak = outcome.result.peakMemoryKiB { lines.append(field("memory", "\(peak) KiB at peak")) }
    return lines
  }

  /// Returns one row per outcome.
  private static func table(of outcomes: [EventOutcome]) -> TextTable {
    var table = TextTable(
      columns: ["event", "kind", "outcome", "reason", "µs", "because"], rightAligned: [4])
    for outcome in outcomes {
      table.add([
        Printable.text(outcome.event.name), outcome.eventKind?.rawValue ?? "-",
        outcome.evaluation.outcome.rawValue,
        outcome.result.decision?.reason.map(Printable.text) ?? "-", String(outcome.result.microseconds),
        Printable.text(outcome.evaluation.explanation),
      ])
    }
    return table
  }

  static func json(_ outcomes: [EventOutcome]) -> [UInt8] {
    JSONTree.members(["results": .array(outcomes.map(tree))]).bytes(indentedBy: 2)
  }

  private static func tree(_ outcome: EventOutcome) -> JSONTree {
    let evaluation = outcome.evaluation
    let result = outcome.result
    var (response, error): (JSONTree?, JSONTree?)
    switch result.answer {
    case .response(let bytes): response = value(of: bytes)
    case .error(let report), .initializationFailed(.reported(let report)): error = value(of: report.document)
    case .died(let exit): error = value(of: exit.errorDocument(requestID: result.requestID))
    case .timedOut, .initializationFailed: break
    }
    return .members([
      "event": .string(outcome.event.name), "outcome": .string(evaluation.outcome.rawValue),
      "because": .string(evaluation.explanation), "microseconds": .number(String(result.microseconds)),
      "requestId": .string(result.requestID), "eventKind": (outcome.eventKind?.rawValue).map { .string($0) },
      "reason": result.decision?.reason.map { .string($0) },
      "peakMemoryKiB": result.peakMemoryKiB.map { .number(String($0)) }, "response": response,
      "error": error, "log": .array(result.log.map { .string($0.text) }),
    ])
  }

  private static func value(of bytes: [UInt8]) -> JSONTree {
    (try? JSONTree(parsing: bytes)) ?? .string(String(decoding: bytes, as: UTF8.self))
  }

  private static func field(_ name: String, _ value: String) -> String {
    name + String(repeating: " ", count: max(1, 11 - name.count)) + Printable.text(value)
  }

  private static func style(_ outcome: Outcome) -> Terminal.Style {
    switch outcome {
    case .allowed: .green
    case .forbidden, .unauthorized: .yellow
    case .failure: .red
    }
  }
}
