internal import Text
internal import GatewayModel
internal import LambdaEmulator
internal import JSON

/// The parts that authorizer events and integration events share.
///
/// Names, order and absent members match recorded events ("Input to an API Gateway Lambda authorizer"; payload
/// formats of HTTP APIs).
struct EventParts {
  let exchange: RequestContext

  // MARK: Single and multiple values

  /// Returns the last value of each name, as in REST, payload 1.0 and WebSocket events.
  static func single(_ groups: [(name: String, values: [String])]) -> JSONTree {
    .object(groups.map { .init(name: $0.name, value: .string($0.values.last ?? "")) })
  }

  static func multiple(_ groups: [(name: String, values: [String])]) -> JSONTree {
    .object(groups.map { .init(name: $0.name, value: .array($0.values.map { .string($0) })) })
  }

  /// Returns the values of each name joined by commas, as in payload 2.0.
  static func joined(_ groups: [(name: String, values: [String])]) -> JSONTree {
    .object(groups.map { .init(name: $0.name, value: .string($0.values.joined(separator: ","))) })
  }

  /// The headers with names in lower case, as in events of HTTP APIs.
  var lowerCaseHeaders: [(name: String, values: [String])] {
    exchange.headerGroups.map { ($0.name.lowercased(), $0.values) }
  }

  var cookies: JSONTree? {
    let lines = exchange.request.values(ofHeader: "Cookie")
    let cookies = lines.flatMap { $0.splitBytes(at: ";") }.map { $0.trimmingBlanks }.filter { !$0.isEmpty }
    return JSONTree.array(cookies.map { .string($0) }).unlessEmpty
  }

  var pathParameters: JSONTree {
    .object(exchange.parameterValues.map { .init(name: $0.name, value: .string($0.value)) })
  }

  var stageVariables: JSONTree { .texts(exchange.api.stage.variables) }

  /// Returns an event in payload 2.0, of an authorizer or of an integration.
  ///
  /// - Parameters:
  ///   - authorizer: the ARN and the values of the identity sources, for an event of an authorizer.
  ///   - grant: what the authorizer granted, for an event of an integration.
  func http2Event(
    ofAuthorizer authorizer: (arn: String, identityValues: [String])? = nil, grant: JSONTree? = nil,
    body: (text: JSONTree, isBase64: Bool)? = nil
  ) -> JSONTree {
    .members([
      "version": .string("2.0"), "type": authorizer.map { _ in .string("REQUEST") },
      "routeArn": authorizer.map { .string($0.arn) },
      "identitySource": authorizer.flatMap {
        JSONTree.array($0.identityValues.map { .string($0) }).unlessEmpty
      },
      "routeKey": .string(exchange.route.key), "rawPath": .string(exchange.pathWithStage),
      "rawQueryString": .string(exchange.request.query), "cookies": cookies,
      "headers": Self.joined(lowerCaseHeaders.filter { $0.name != "cookie" }),
      "queryStringParameters": Self.joined(exchange.queryGroups).unlessEmpty,
      "requestContext": httpContext(authorizer: grant),
      "pathParameters": pathParameters.unlessEmpty, "stageVariables": stageVariables.unlessEmpty,
      "body": exchange.request.body.isEmpty ? nil : body?.text,
      "isBase64Encoded": body.map { .boolean($0.isBase64) },
    ])
  }

  // MARK: Request contexts

  func restContext(authorizer: JSONTree?) -> JSONTree {
    let caller = exchange.caller?.identity ?? [:]
    let members: [JSONTree.Member] = [
      "cognitoIdentityPoolId", "accountId", "cognitoIdentityId", "caller", "principalOrgId", "accessKey",
      "cognitoAuthenticationType", "cognitoAuthenticationProvider", "userArn", "user",
    ].map { name in .init(name: name, value: caller[name].map { JSONTree.string($0) } ?? .null) }
    return .members([
      "resourceId": .string(exchange.resourceID),
      "authorizer": authorizer,
      "resourcePath": .string(exchange.resourcePath),
      "httpMethod": .string(exchange.request.method),
      "extendedRequestId": .string(exchange.identity.extendedRequestID),
      "requestTime": .string(Timestamp.commonLog(exchange.identity.unixMilliseconds)),
      "path": .string(exchange.pathWithStage),
      "accountId": .string(exchange.location.account),
      "protocol": .string("HTTP/1.1"),
      "stage": .string(exchange.api.stage.name),
      "domainPrefix": .string(exchange.domainPrefix),
      "requestTimeEpoch": .integer(exchange.identity.unixMilliseconds),
      "requestId": .string(exchange.identity.requestID),
      "identity": .object(
        members
          + JSONTree.pairs([
            "sourceIp": .string(exchange.request.sourceAddress), "userAgent": .string(exchange.userAgent),
            "apiKey": exchange.apiKey.map { .string($0.value ?? "") },
            "apiKeyId": exchange.apiKey.map { .string($0.identifier) },
            "clientCert": exchange.request.certificate?.tree,
          ])),
      "domainName": .string(exchange.domainName),
      "deploymentId": .string(String(exchange.api.identifier.prefix(6))),
      "apiId": .string(exchange.api.identifier),
    ])
  }

  func httpContext(authorizer: JSONTree?) -> JSONTree {
    .members([
      "accountId": .string(exchange.location.account),
      "apiId": .string(exchange.api.identifier),
      "authentication": exchange.request.certificate.map { .members(["clientCert": $0.tree]) },
      "authorizer": authorizer,
      "domainName": .string(exchange.domainName),
      "domainPrefix": .string(exchange.domainPrefix),
      "http": .members([
        "method": .string(exchange.request.method),
        "path": .string(exchange.pathWithStage),
        "protocol": .string("HTTP/1.1"),
        "sourceIp": .string(exchange.request.sourceAddress),
        "userAgent": .string(exchange.userAgent),
      ]),
      "requestId": .string(exchange.identity.extendedRequestID),
      "routeKey": .string(exchange.route.key),
      "stage": .string(exchange.api.stage.name),
      "time": .string(Timestamp.commonLog(exchange.identity.unixMilliseconds)),
      "timeEpoch": .integer(exchange.identity.unixMilliseconds),
    ])
  }

  func webSocketContext(authorizer: JSONTree?) -> JSONTree {
    .members([
      "routeKey": .string(exchange.route.key),
      "disconnectStatusCode": exchange.webSocketEvent.closure.map { .integer(Int64($0.code)) },
      "authorizer": authorizer,
      "messageId": exchange.webSocketEvent.messageID.map { .string($0) },
      "eventType": .string(exchange.webSocketEvent.name),
      "extendedRequestId": .string(exchange.identity.extendedRequestID),
      "requestTime": .string(Timestamp.commonLog(exchange.identity.unixMilliseconds)),
      "messageDirection": .string("IN"),
      "disconnectReason": exchange.webSocketEvent.closure.map { .string($0.reason) },
      "stage": .string(exchange.api.stage.name),
      "connectedAt": .integer(exchange.connectedAt ?? exchange.identity.unixMilliseconds),
      "requestTimeEpoch": .integer(exchange.identity.unixMilliseconds),
      "identity": .members([
        "accessKey": exchange.caller.map { .string($0.accessKey) },
        "accountId": exchange.caller.map { .string($0.account) },
        "caller": exchange.caller.map { .string($0.userID) },
        "user": exchange.caller.map { .string($0.userID) },
        "userArn": exchange.caller.map { .string($0.userARN) },
        "userAgent": exchange.userAgent.isEmpty ? nil : .string(exchange.userAgent),
        "sourceIp": .string(exchange.request.sourceAddress),
      ]),
      "requestId": .string(exchange.identity.extendedRequestID),
      "domainName": .string(exchange.domainName),
      "connectionId": .string(exchange.connectionID ?? ""),
      "apiId": .string(exchange.api.identifier),
    ])
  }
}
