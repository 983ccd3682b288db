internal import JSON

/// Detects events that API Gateway sends to a backend. The outcomes of authorizers do not apply to them.
enum ProxyEvents {
  /// Prints a note to standard error if an event is a proxy event, or one of another service.
  static func note(_ outcomes: [EventOutcome], on terminal: Terminal) {
    guard let first = outcomes.first(where: { isOne($0.event.bytes) }) else {
      guard let other = outcomes.first(where: { $0.exit != nil && $0.eventKind == nil }) else { return }
      terminal.note(
        """
        note: \(Printable.text(other.event.name)) is not an event that API Gateway sends to an authorizer
        hint: make one with authorizer-local event https://HOST/STAGE/PATH
        """)
      return
    }
    terminal.note(
      """
      note: \(first.event.name) is a proxy event: the outcomes of authorizers do not apply to its answer
      hint: use authorizer-local serve for the functions of a template; --json prints the answer unchanged
      """)
  }

  /// Whether an event requests a response instead of a decision: it has a request but no ARN of a method or route
  /// ("Input format for Lambda proxy integrations", "Input to an API Gateway Lambda authorizer").
  static func isOne(_ bytes: [UInt8]) -> Bool {
    guard let event = try? JSONDocument(parsing: bytes, limits: .event).root,
      event["requestContext"]?.kind == .object, event["methodArn"] == nil, event["routeArn"] == nil
    else { return false }
    return event["httpMethod"] != nil || event["requestContext"]?["http"] != nil
  }
}
