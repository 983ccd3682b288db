@testable import AuthorizerContract
@testable import GatewayModel
@testable import LambdaEmulator
import Testing

/// One answer of an authorizer and what API Gateway makes of it, for each kind of event.
struct AnswerSample: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let answer: InvocationAnswer
  private let outcome: Outcome
  private let exceptions: [EventKind: Outcome]
  let kinds: [EventKind]
  /// `EnableSimpleResponses` of the authorizer for payload format 2.0.
  let isSimple: Bool
  let assumptions: [String]

  init(
    _ name: String, _ answer: InvocationAnswer, _ outcome: Outcome,
    except exceptions: [EventKind: Outcome] = [:],
    kinds: [EventKind] = EventKind.allCases, isSimple: Bool = false, assuming assumptions: [String] = []
  ) {
    testDescription = name
    self.answer = answer
    self.outcome = outcome
    self.exceptions = exceptions
    self.kinds = kinds
    self.isSimple = isSimple
    self.assumptions = assumptions
  }

  init(
    _ name: String, returned text: String, _ outcome: Outcome, except exceptions: [EventKind: Outcome] = [:],
    kinds: [EventKind] = EventKind.allCases, isSimple: Bool = false, assuming assumptions: [String] = []
  ) {
    self.init(
      name, .response(Array(text.utf8)), outcome, except: exceptions, kinds: kinds, isSimple: isSimple,
      assuming: assumptions)
  }

  func outcome(for kind: EventKind) -> Outcome { exceptions[kind] ?? outcome }

  // MARK: Parts

  /// Returns an answer with a policy of one statement.
  static func policy(
    _ effect: String = #""Allow""#, action: String = #""Action":"execute-api:Invoke""#,
    resource: String = #""Resource":"*""#, version: String = #""Version":"2012-10-17","#,
    condition: String = "", principal: String = #""principalId":"u","#, more: String = ""
  ) -> String {
    let condition = condition.isEmpty ? "" : #","Condition":\#(condition)"#
    return #"{\#(principal)"policyDocument":{\#(version)"Statement":[{"Effect":\#(effect),\#(action),"#
      + #"\#(resource)\#(condition)}]}\#(more)}"#
  }

  static func thrown(_ document: String) -> InvocationAnswer {
    .error(FunctionErrorReport(headerType: "Function.Any", document: Array(document.utf8)))
  }

  static let http: [EventKind] = [.http1, .http2]
  static let all =
    policies + refusedPolicies + conditions + members + contexts + simple + bothForms + errors
    + returnedErrors
    + texts + sizes + ends

  // MARK: Policies

  private static let policies = [
    AnswerSample("Allow", returned: policy(), .allowed),
    AnswerSample("Deny", returned: policy(#""Deny""#), .forbidden),
    AnswerSample("no statement matches", returned: policy(resource: #""Resource":"arn:other""#), .forbidden),
    AnswerSample(
      "Resource as a list", returned: policy(resource: #""Resource":["arn:other","arn:aws:execute-api:*"]"#),
      .allowed),
    AnswerSample(
      "Action as a list", returned: policy(action: #""Action":["s3:*","execute-api:invoke"]"#), .allowed),
    AnswerSample("another Action", returned: policy(action: #""Action":"s3:*""#), .forbidden),
    AnswerSample(
      "NotAction excludes", returned: policy(action: #""NotAction":"execute-api:Invoke""#), .forbidden),
    AnswerSample("NotAction of another", returned: policy(action: #""NotAction":"s3:*""#), .allowed),
    AnswerSample("NotResource excludes", returned: policy(resource: #""NotResource":"*""#), .forbidden),
    AnswerSample(
      "NotResource of another", returned: policy(resource: #""NotResource":"arn:other""#), .allowed),
    AnswerSample(
      "Statement as an object",
      returned:
        #"{"principalId":"u","policyDocument":{"Statement":{"Effect":"Allow","Action":"*","Resource":"*"}}}"#,
      .allowed),
    AnswerSample(
      "Deny after Allow",
      returned:
        #"{"principalId":"u","policyDocument":{"Statement":[{"Effect":"Allow","Action":"*","Resource":"*"},"#
        + #"{"Effect":"Deny","Action":"*","Resource":"*"}]}}"#,
      .forbidden),
    AnswerSample("the original Version", returned: policy(version: #""Version":"2008-10-17","#), .allowed),
    AnswerSample("no Version", returned: policy(version: ""), .allowed),
    AnswerSample(
      "a policy variable", returned: policy(resource: #""Resource":"arn:aws:execute-api:*:*:${*}""#),
      .forbidden),
    AnswerSample("an unknown member", returned: policy(more: #","policyDocuments":7"#), .allowed),
  ]

  private static let refusedPolicies = [
    AnswerSample("an unknown Version", returned: policy(version: #""Version":"2020-01-01","#), .failure),
    AnswerSample("Version as a number", returned: policy(version: #""Version":2012,"#), .failure),
    AnswerSample("Effect in lower case", returned: policy(#""allow""#), .failure),
    AnswerSample(
      "Action and NotAction", returned: policy(action: #""Action":"*","NotAction":"a:*""#), .failure),
    AnswerSample("no Action", returned: policy(action: #""Sid":"a""#), .failure),
    AnswerSample("an empty Resource list", returned: policy(resource: #""Resource":[]"#), .failure),
    AnswerSample("no Resource", returned: policy(resource: #""Sid":"a""#), .failure),
    AnswerSample(
      "a Resource over 512 characters",
      returned: policy(resource: #""Resource":"\#(String(repeating: "a", count: 513))""#), .failure),
    AnswerSample(
      "a Principal", returned: policy(resource: #""Resource":"*","Principal":"*""#), .failure),
    AnswerSample("Condition null", returned: policy(condition: "null"), .failure),
    AnswerSample(
      "an empty Statement", returned: #"{"principalId":"u","policyDocument":{"Statement":[]}}"#, .failure),
    AnswerSample("no Statement", returned: #"{"principalId":"u","policyDocument":{}}"#, .failure),
    AnswerSample(
      "statement in lower case", returned: #"{"principalId":"u","policyDocument":{"statement":[]}}"#, .failure
    ),
    AnswerSample("the policy is null", returned: #"{"principalId":"u","policyDocument":null}"#, .failure),
    AnswerSample("the policy is a string", returned: #"{"principalId":"u","policyDocument":"{}"}"#, .failure),
    AnswerSample("PolicyDocument", returned: #"{"principalId":"u","PolicyDocument":{}}"#, .failure),
    AnswerSample("no policy", returned: #"{"principalId":"u"}"#, .failure),
  ]

  /// The event of a TOKEN authorizer has none of these keys, and the gateway has all of them.
  private static let conditions =
    [
      ("the address", #"{"IpAddress":{"aws:SourceIp":"192.0.2.0/24"}}"#, Outcome.allowed),
      ("another address", #"{"IpAddress":{"aws:SourceIp":"10.0.0.0/8"}}"#, .forbidden),
      ("no Referer", #"{"Null":{"aws:Referer":"true"}}"#, .allowed),
      ("no VPC", #"{"Null":{"aws:SourceVpc":"true","aws:SourceVpce":"true"}}"#, .allowed),
      ("no address in a VPC", #"{"Null":{"aws:VpcSourceIp":"true"}}"#, .allowed),
      ("no source ARN", #"{"Null":{"aws:SourceArn":"true"}}"#, .allowed),
    ].map {
      AnswerSample(
        $0, returned: policy(condition: $1), $2, kinds: EventKind.allCases.filter { $0 != .restToken })
    }
    + [
      ("before the end", #"{"DateLessThan":{"aws:CurrentTime":"2024-06-18"}}"#, Outcome.allowed),
      ("after the end", #"{"DateLessThan":{"aws:EpochTime":"1718600000"}}"#, .forbidden),
      ("TLS", #"{"Bool":{"aws:SecureTransport":"true"}}"#, .allowed),
      ("no signer", #"{"Null":{"aws:PrincipalArn":"true"}}"#, .allowed),
      ("an unknown operator", #"{"StringIs":{"aws:Referer":"a"}}"#, .failure),
      ("an unknown key", #"{"StringEquals":{"s3:prefix":"a"}}"#, .failure),
    ].map { AnswerSample($0, returned: policy(condition: $1), $2) }

  // MARK: Other members

  private static let members = [
    AnswerSample("no principalId", returned: policy(principal: ""), .failure),
    AnswerSample("an empty principalId", returned: policy(principal: #""principalId":"","#), .failure),
    AnswerSample("principalId as a number", returned: policy(principal: #""principalId":7,"#), .failure),
    AnswerSample("principalId null", returned: policy(principal: #""principalId":null,"#), .failure),
    AnswerSample("PrincipalId", returned: policy(principal: #""PrincipalId":"u","#), .failure),
    AnswerSample("principleId", returned: policy(principal: #""principleId":"u","#), .failure),
    AnswerSample("usageIdentifierKey", returned: policy(more: #","usageIdentifierKey":"k""#), .allowed),
    AnswerSample("usageIdentifierKey null", returned: policy(more: #","usageIdentifierKey":null"#), .failure),
    AnswerSample(
      "usageIdentifierKey as a number", returned: policy(more: #","usageIdentifierKey":1"#), .failure),
  ]

  private static let contexts =
    [
      ("context with simple values", #"{"a":"b","c":1.50,"d":false}"#, Outcome.allowed, Outcome.allowed),
      ("an empty context", "{}", .allowed, .allowed),
      ("context null", "null", .failure, .failure), ("context as a list", "[]", .failure, .failure),
      ("context as a string", #""a""#, .failure, .failure),
      ("an object in the context", #"{"a":{"b":1}}"#, .failure, .allowed),
      ("a list in the context", #"{"a":[1]}"#, .failure, .allowed),
      ("null in the context", #"{"a":null}"#, .failure, .allowed),
      ("principalId in the context", #"{"principalId":"x"}"#, .allowed, .allowed),
      ("claims in the context", #"{"claims":"x"}"#, .allowed, .allowed),
      ("integrationLatency in the context", #"{"integrationLatency":"x"}"#, .allowed, .allowed),
    ].map {
      AnswerSample($0, returned: policy(more: #","context":\#($1)"#), $2, except: [.http2: $3])
    }

  // MARK: Simple answers

  private static let simple =
    [
      AnswerSample("true, policies expected", returned: #"{"isAuthorized":true}"#, .failure),
      AnswerSample("false, policies expected", returned: #"{"isAuthorized":false}"#, .failure),
    ]
    + [
      ("true", #"{"isAuthorized":true}"#, Outcome.allowed), ("false", #"{"isAuthorized":false}"#, .forbidden),
      ("true with a context", #"{"isAuthorized":true,"context":{"a":[1,{"b":null}]}}"#, .allowed),
      ("true with context null", #"{"isAuthorized":true,"context":null}"#, .failure),
      ("true with a principal", #"{"isAuthorized":true,"principalId":7}"#, .allowed),
      ("as a string", #"{"isAuthorized":"true"}"#, .failure),
      ("as a number", #"{"isAuthorized":1}"#, .failure),
      ("null", #"{"isAuthorized":null}"#, .failure), ("isauthorized", #"{"isauthorized":true}"#, .failure),
      ("isAuthorised", #"{"isAuthorised":true}"#, .failure), ("an empty object", "{}", .failure),
      ("a policy, simple answers expected", policy(), .failure),
      ("a Deny, simple answers expected", policy(#""Deny""#), .failure),
      ("a returned Unauthorized", #"{"errorMessage":"Unauthorized"}"#, .unauthorized),
    ].map { AnswerSample("simple: \($0)", returned: $1, $2, kinds: [.http2], isSimple: true) }

  private static let bothForms = [
    AnswerSample("both forms", returned: policy(more: #","isAuthorized":true"#), .failure),
    AnswerSample(
      "both forms, simple answers expected", returned: policy(more: #","isAuthorized":true"#), .failure,
      kinds: [.http2], isSimple: true),
    AnswerSample(
      "both forms: the configured policy", returned: policy(more: #","isAuthorized":false"#), .failure,
      except: [.http2: .allowed], assuming: ["both-answer-forms=configured"]),
    AnswerSample(
      "both forms: the configured simple answer", returned: policy(more: #","isAuthorized":false"#),
      .forbidden,
      kinds: [.http2], isSimple: true, assuming: ["both-answer-forms=configured"]),
  ]

  // MARK: Errors

  private static let errors = [
    AnswerSample(
      "Unauthorized is thrown", thrown(#"{"errorMessage":"Unauthorized","errorType":"T"}"#), .unauthorized),
    AnswerSample("without an errorType", thrown(#"{"errorMessage":"Unauthorized"}"#), .unauthorized),
    AnswerSample(
      "with the errorType null", thrown(#"{"errorMessage":"Unauthorized","errorType":null}"#), .unauthorized),
    AnswerSample(
      "with more members", thrown(#"{"stackTrace":[],"errorMessage":"Unauthorized","errorType":"T"}"#),
      .unauthorized),
    AnswerSample("unauthorized is thrown", thrown(#"{"errorMessage":"unauthorized"}"#), .failure),
    AnswerSample("Unauthorized with a blank", thrown(#"{"errorMessage":"Unauthorized "}"#), .failure),
    AnswerSample("[401] Unauthorized", thrown(#"{"errorMessage":"[401] Unauthorized"}"#), .failure),
    AnswerSample("only the errorType", thrown(#"{"errorType":"Unauthorized"}"#), .failure),
    AnswerSample("the message is a list", thrown(#"{"errorMessage":["Unauthorized"]}"#), .failure),
    AnswerSample("an empty error", thrown(""), .failure),
    AnswerSample("the error is {}", thrown("{}"), .failure),
    AnswerSample("the error is a string", thrown(#""Unauthorized""#), .failure),
    AnswerSample("the error is not JSON", thrown("Unauthorized"), .failure),
    AnswerSample(
      "HTTP APIs fail for a thrown Unauthorized", thrown(#"{"errorMessage":"Unauthorized","errorType":"T"}"#),
      .unauthorized, except: [.http1: .failure, .http2: .failure], assuming: ["http-thrown-unauthorized=500"]),
    AnswerSample(
      "an errorType is needed, and there is none", thrown(#"{"errorMessage":"Unauthorized"}"#), .failure,
      assuming: ["unauthorized-needs-error-type=yes"]),
    AnswerSample(
      "an errorType is needed, and there is one", thrown(#"{"errorMessage":"Unauthorized","errorType":"T"}"#),
      .unauthorized, assuming: ["unauthorized-needs-error-type=yes"]),
  ]

  private static let returnedErrors = [
    AnswerSample("Unauthorized is returned", returned: #"{"errorMessage":"Unauthorized"}"#, .unauthorized),
    AnswerSample(
      "with a context", returned: #"{"errorMessage":"Unauthorized","context":{"a":1}}"#, .unauthorized),
    AnswerSample("with a policy", returned: policy(more: #","errorMessage":"Unauthorized""#), .allowed),
    AnswerSample("unauthorized is returned", returned: #"{"errorMessage":"unauthorized"}"#, .failure),
    AnswerSample("another error is returned", returned: #"{"errorMessage":"no keys"}"#, .failure),
    AnswerSample("the returned message is null", returned: #"{"errorMessage":null}"#, .failure),
    AnswerSample(
      "a returned Unauthorized fails", returned: #"{"errorMessage":"Unauthorized"}"#, .failure,
      assuming: ["returned-unauthorized=500"]),
  ]

  private static let texts =
    [
      ("no bytes", ""), ("an empty object", "{}"), ("null", "null"), ("true", "true"), ("a number", "7"),
      ("a string", #""Unauthorized""#), ("a list", "[]"), ("not JSON", "allow"),
      ("a byte order mark", "\u{FEFF}{}"),
      ("a member twice", #"{"principalId":"a",\#(policy().dropFirst())"#), ("two texts", policy() + policy()),
    ].map { AnswerSample("the answer: \($0)", returned: $1, .failure) }
    + [
      AnswerSample(
        "the answer: not UTF-8", .response(Array(#"{"a":""#.utf8) + [0xFF] + Array(#""}"#.utf8)), .failure)
    ]

  /// Returns a policy of this many bytes.
  private static func policy(bytes: Int) -> String {
    let short = policy(more: #","context":{"a":""}"#)
    let room = String(repeating: "x", count: bytes - short.utf8.count)
    return policy(more: #","context":{"a":"\#(room)"}"#)
  }

  private static let sizes = [
    AnswerSample("8 KiB", returned: policy(bytes: 8192), .allowed),
    AnswerSample("over 8 KiB", returned: policy(bytes: 8193), .allowed, except: [.webSocket: .failure]),
    AnswerSample(
      "8 KiB is the limit", returned: policy(bytes: 8193), .failure, assuming: ["answer-limit=8KiB"]),
    AnswerSample("over 6 MiB", returned: policy(bytes: (6 << 20) + 1), .failure),
  ]

  private static let ends = [
    AnswerSample("a crash", .died(.status(1)), .failure),
    AnswerSample("a signal", .died(.signal(9)), .failure),
    AnswerSample("a timeout", .timedOut(milliseconds: 29_000), .failure),
    AnswerSample("no start", .initializationFailed(.notStarted("no such file")), .failure),
    AnswerSample("a start too slow", .initializationFailed(.timedOut(milliseconds: 10_000)), .failure),
    AnswerSample("a crash at the start", .initializationFailed(.died(.status(2))), .failure),
    AnswerSample(
      "Unauthorized at the start",
      .initializationFailed(
        .reported(
          FunctionErrorReport(headerType: nil, document: Array(#"{"errorMessage":"Unauthorized"}"#.utf8)))),
      .failure),
  ]
}
