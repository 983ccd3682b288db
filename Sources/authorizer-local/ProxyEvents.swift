internal import JSON

/// Events that API Gateway sends to a backend, for which the outcomes of authorizers are no words.
enum ProxyEvents {
  /// Says so on standard error, where some of the events were of that kind.
  static func note(_ outcomes: [EventOutcome]) {
    guard let first = outcomes.first(where: { isOne($0.event.bytes) }) else { return }
    Terminal.note(
      """
      note: \(first.event.name) is a proxy event, and outcomes are those of authorizers: they say nothing about this answer
      hint: authorizer-local serve sends requests to the functions of a template; --json shows an answer as it is
      """)
  }

  /// Whether an event asks for a response and no verdict: it has a request and no ARN of a method or route ("Input format for
  /// Lambda proxy integrations", "Input to an API Gateway Lambda authorizer").
  static func isOne(_ bytes: [UInt8]) -> Bool {
    guard let event = try? JSONDocument(parsing: bytes, limits: .event).root,
      event["requestContext"]?.kind == .object, event["methodArn"] == nil, event["routeArn"] == nil
    else { return false }
    return event["httpMethod"] != nil || event["requestContext"]?["http"] != nil
  }
}
