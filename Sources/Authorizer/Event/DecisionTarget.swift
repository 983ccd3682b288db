import JSON

/// What a decision is about.
enum DecisionTarget: Equatable, Sendable {
  /// A method of a REST or HTTP API, or `$connect` of a WebSocket API.
  case method(MethodARN)

  /// Reads the member in which the event names the ARN of the method; `nil` if it is malformed.
  init?(arn member: JSONValue) {
    guard let text = member.utf8Slice, let arn = MethodARN(parsing: text.span) else { return nil }
    self = .method(arn)
  }

  /// The method; `nil` if the decision is about something else.
  var method: MethodARN? {
    switch self {
    case .method(let arn): arn
    }
  }
}
