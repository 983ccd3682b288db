internal import Mapping
package import Text
package import AuthorizerContract
package import GatewayModel
internal import JSON

/// The call of an authorizer for one request: its event and the values of the cache key.
package struct AuthorizerCall: Sendable {
  package let event: [UInt8]
  /// The ARN that its policy is evaluated for.
  let resourceARN: String
  /// The values of each identity source; empty without identity sources.
  let identityValues: [[String]]
}

/// What an authorizer was asked about a request and what it answered: for records of the decision, never for the
/// decision.
package final class AuthorizerEvidence: Sendable {
  /// The Lambda authorizer; `nil` if API Gateway decided itself.
  package let authorizer: GatewayAuthorizer?
  /// Its call, made or answered from the cache; `nil` without an event.
  package let call: AuthorizerCall?
  /// The answer; `nil` if there is none, or no valid one.
  package let grant: AuthorizerGrant?
  /// What the answer means for this request; `nil` without an answer.
  package let evaluation: Evaluation?

  package init(
    authorizer: GatewayAuthorizer? = nil, call: AuthorizerCall? = nil, grant: AuthorizerGrant? = nil,
    evaluation: Evaluation? = nil
  ) {
    (self.authorizer, self.call, self.grant, self.evaluation) = (authorizer, call, grant, evaluation)
  }
}

package enum IdentityProblem: Error, Equatable, Sendable {
  case missing(IdentitySource)
  /// The value of the header does not match the identity validation expression.
  case notMatching(header: String, value: String, ValidationExpression)

  var description: String {
    switch self {
    case .missing(let source): "\(source.description) is missing"
    case .notMatching(let header, let value, let expression):
      "\(header) is not \(expression.words)" + (Self.scheme(value).map { " (it begins with \($0))" } ?? "")
    }
  }

  /// The code of the authorizers for a request without a token; `nil` where something else is missing or wrong.
  var reason: String? {
    switch self {
    case .missing(.header), .missing(.query): TokenRefusal.missing.code
    case .missing(.stageVariable), .missing(.context), .notMatching: nil
    }
  }

  /// The sentence for a request without a token.
  var why: String? {
    reason.map { _ in "The token is missing: \(description), so the authorizer was not called" }
  }

  /// The scheme of other credentials than a token; `nil` for every other first word, which could be a secret.
  private static func scheme(_ value: String) -> String? {
    let first = value.head(before: " ").lowercased()
    return ["Basic", "Digest", "DPoP", "Negotiate", "AWS4-HMAC-SHA256"].first { $0.lowercased() == first }
  }
}

extension GatewayAuthorizer {
  /// Makes the checks of API Gateway, then builds the event.
  ///
  /// On a REST API, a REQUEST authorizer without caching does not require its identity sources ("the presence check
  /// is for when caching is enabled"); all other authorizers do.
  func call(for exchange: RequestContext) throws(IdentityProblem) -> AuthorizerCall {
    let settings = exchange.settings
    var identityValues: [[String]] = []
    for source in identitySources {
      let values = source.values(in: exchange, isRESTStrict: isREST && settings.restHeaderNames == .exact)
      if !values.joined(separator: ",").isEmpty {
        identityValues.append(values)
      } else if isCompulsory {
        throw .missing(source)
      }
    }
    let values = identityValues.map { $0.joined(separator: ",") }
    if case .token(let header, let validation?) = form, let value = values.first,
      !validation.matches(value, partIsEnough: settings.validationExpression == .part)
    {
      throw .notMatching(header: header, value: value, validation)
    }
    let isConcrete = eventKind != .http2 && eventKind != .http1 || settings.httpRouteARN == .concrete
    let arn = exchange.resourceARN(concrete: isConcrete)
    return AuthorizerCall(
      event: event(
        for: exchange, arn: arn, identityValues: values,
        repeatsHTTP1Headers: settings.http1MultiValueHeaders == .yes
      ).bytes(), resourceARN: arn, identityValues: identityValues)
  }

  /// Returns the event for a request that no gateway gets, whatever it lacks.
  ///
  /// - Parameters:
  ///   - host: the host that the client wrote.
  ///   - path: the path without the stage.
  ///   - found: the route and its parameters.
  package func event(
    for request: GatewayRequest, at host: String, _ path: String, of found: RouteTable.Found,
    to api: GatewayAPI, in location: AWSLocation, unixMilliseconds: Int64
  ) -> [UInt8] {
    let identity = RequestIdentity(
      requestID: "7c1e9a52-4d0b-4f68-9b3a-2e5d8c7f1a06", extendedRequestID: "CqT6ziuIvHcEMWA=",
      traceID: "Root=1-6740a1c2-3f5b7d9e1a2c4e6f8091b3d5", unixMilliseconds: unixMilliseconds)
    let exchange = RequestContext(
      api: api, location: location, request: request, path: path, route: found.route,
      pathParameters: found.parameters, identity: identity,
      connectionID: eventKind == .webSocket ? "CqT7gcXzDoECJuw=" : nil, host: host)
    let values = identitySources.map {
      $0.values(in: exchange, isRESTStrict: false).joined(separator: ",")
    }
    return event(
      for: exchange, arn: exchange.resourceARN(concrete: true), identityValues: values.filter { !$0.isEmpty },
      repeatsHTTP1Headers: false
    ).bytes()
  }

  private var isREST: Bool { eventKind == .restToken || eventKind == .restRequest }

  private var isCompulsory: Bool { eventKind != .restRequest || timeToLiveSeconds > 0 }

  private func event(
    for exchange: RequestContext, arn: String, identityValues: [String], repeatsHTTP1Headers: Bool
  ) -> JSONTree {
    let parts = EventParts(exchange: exchange)
    switch form {
    case .token:
      return .members([
        "type": .string("TOKEN"), "methodArn": .string(arn),
        "authorizationToken": .string(identityValues.first ?? ""),
      ])
    case .restRequest: return parts.requestEvent(arn)
    case .http1: return parts.http1Event(arn, identityValues, repeatsHTTP1Headers)
    case .http2: return parts.http2Event(ofAuthorizer: (arn, identityValues))
    case .webSocket: return parts.connectEvent(arn)
    }
  }
}

extension IdentitySource {
  package func values(in exchange: RequestContext, isRESTStrict: Bool) -> [String] {
    switch self {
    case .header(let name):
      exchange.request.values(
        ofHeader: name, isCaseSensitive: isRESTStrict, adding: exchange.addedHeaders)
    case .query(let name):
      exchange.request.queryItems.filter { $0.name.hasSameBytes(as: name) }.map(\.value)
    case .stageVariable(let name): exchange.api.stage.variables.value(named: name).map { [$0] } ?? []
    case .context(let name): exchange.variables.value(name).map { [$0] } ?? []
    }
  }
}

extension EventParts {
  fileprivate func requestEvent(_ arn: String) -> JSONTree {
    .members([
      "type": .string("REQUEST"), "methodArn": .string(arn),
      "resource": .string(exchange.resourcePath),
      "path": .string(exchange.eventPath(isAuthorizerEvent: true)),
      "httpMethod": .string(exchange.request.method),
      "headers": Self.single(exchange.headerGroups),
      "multiValueHeaders": Self.multiple(exchange.headerGroups),
      "queryStringParameters": Self.single(exchange.queryGroups),
      "multiValueQueryStringParameters": Self.multiple(exchange.queryGroups),
      "pathParameters": pathParameters, "stageVariables": stageVariables,
      "requestContext": restContext(authorizer: nil),
    ])
  }

  fileprivate func http1Event(
    _ arn: String, _ identityValues: [String], _ repeatsHeaders: Bool
  ) -> JSONTree {
    let identity = identityValues.joined(separator: ",")
    return .members([
      "version": .string("1.0"), "type": .string("REQUEST"), "methodArn": .string(arn),
      "identitySource": .string(identity), "authorizationToken": .string(identity),
      "resource": .string(exchange.resourcePath),
      "path": .string(exchange.eventPath(isAuthorizerEvent: true)),
      "httpMethod": .string(exchange.request.method),
      "headers": Self.single(lowerCaseHeaders),
      "multiValueHeaders": repeatsHeaders ? Self.multiple(lowerCaseHeaders) : nil,
      "queryStringParameters": Self.single(exchange.queryGroups),
      "pathParameters": pathParameters, "stageVariables": stageVariables,
      "requestContext": restContext(authorizer: nil),
    ])
  }

  fileprivate func connectEvent(_ arn: String) -> JSONTree {
    .members([
      "type": .string("REQUEST"), "methodArn": .string(arn),
      "headers": Self.single(exchange.headerGroups),
      "multiValueHeaders": Self.multiple(exchange.headerGroups),
      "queryStringParameters": Self.single(exchange.queryGroups),
      "multiValueQueryStringParameters": Self.multiple(exchange.queryGroups),
      "stageVariables": stageVariables, "requestContext": webSocketContext(authorizer: nil),
    ])
  }
}
