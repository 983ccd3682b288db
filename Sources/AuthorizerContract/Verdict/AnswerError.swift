package import GatewayModel
package import IAMPolicy
internal import JSON

/// Why API Gateway would refuse an answer (`AuthorizerConfigurationException`).
package enum AnswerError: Error, Equatable, Sendable {
  /// The answer is not JSON, for this reason.
  case notJSON(String)
  /// The answer has more bytes than this kind of API accepts.
  case tooLarge(bytes: Int, limit: Int)
  /// A required member is missing.
  case missing(String)
  /// A required member is missing, and another name is similar to its name.
  case misspelled(String, expected: String)
  /// A required member is empty.
  case empty(String)
  /// A member's name is written in another case.
  case wrongCase(String, expected: String)
  /// A member has another type than expected; the last value is an excerpt of it.
  case wrongType(String, String, String)
  /// A policy and a simple answer together, which AWS does not define.
  case bothForms
  /// A simple answer to an event for which API Gateway supports none.
  case simpleAnswerTo(EventKind)
  /// A simple answer or a policy, whose member is named, where `EnableSimpleResponses` asks for the other form.
  case otherForm(String, simpleAnswers: Bool)
  /// An error as a response, with another message than `Unauthorized`.
  case errorAsResponse(String)
  /// The policy cannot be evaluated.
  case policy(PolicyError)

  /// The message, in lower case.
  package var description: String {
    switch self {
    case .notJSON(let reason): "the answer is not JSON: \(reason)"
    case .tooLarge(let bytes, let limit):
      "the answer has \(bytes) bytes; this kind of API accepts at most \(limit)"
    case .missing(let name): "\(name) is missing"
    case .misspelled(let name, let expected):
      "\(expected) is missing; it has \(name), which API Gateway ignores: did you mean \(expected)?"
    case .empty(let name): "\(name) is empty"
    case .wrongCase(let name, let expected): "\(name) must be spelled \(expected)"
    case .wrongType(let name, let expected, let found): "\(name) must be \(expected), found \(found)"
    case .bothForms: "isAuthorized and policyDocument in one answer: AWS does not define which applies"
    case .simpleAnswerTo(let kind):
      "isAuthorized is valid for HTTP API payload 2.0 only; this event is \(kind.rawValue)"
    case .otherForm(let name, let isSimple):
      "it has \(name), but EnableSimpleResponses of the authorizer is \(isSimple)"
    case .errorAsResponse(let message): "an error returned as a response: \(message)"
    case .policy(let error): error.description
    }
  }
}
