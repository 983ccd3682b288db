internal import Text
internal import GatewayModel
internal import LambdaEmulator
internal import Mapping
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
    let identity = JSONTree.object(
      members
        + JSONTree.pairs([
          "sourceIp": .string(exchange.request.sourceAddress), "userAgent": .string(exchange.userAgent),
          "apiKey": exchange.apiKey.map { .string($0.value ?? "") },
          "apiKeyId": exchange.apiKey.map { .string($0.identifier) },
          "clientCert": exchange.request.certificate?.tree,
        ]))
    return context(
      "resourceId", "authorizer", "resourcePath", "httpMethod", "extendedRequestId", "requestTime", "path",
      "accountId", "protocol", "stage", "domainPrefix", "requestTimeEpoch", "requestId", "identity",
      "domainName",
      "deploymentId", "apiId", with: ["authorizer": authorizer, "identity": identity])
  }

  func httpContext(authorizer: JSONTree?) -> JSONTree {
    let request = JSONTree.members([
      "method": .string(exchange.request.method), "path": .string(exchange.pathWithStage),
      "protocol": .string("HTTP/1.1"), "sourceIp": .string(exchange.request.sourceAddress),
      "userAgent": .string(exchange.userAgent),
    ])
    return context(
      "accountId", "apiId", "authentication", "authorizer", "domainName", "domainPrefix", "http", "requestId",
      "routeKey", "stage", "time", "timeEpoch",
      with: [
        "authentication": exchange.request.certificate.map { .members(["clientCert": $0.tree]) },
        "authorizer": authorizer, "http": request, "requestId": .string(exchange.identity.extendedRequestID),
        "time": .string(Timestamp.commonLog(exchange.identity.unixMilliseconds)),
        "timeEpoch": .integer(exchange.identity.unixMilliseconds),
      ])
  }

  func webSocketContext(authorizer: JSONTree?) -> JSONTree {
    let caller = exchange.caller?.identity ?? [:]
    let members = ["accessKey", "accountId", "caller", "user", "userArn"].compactMap { name in
      caller[name].map { JSONTree.Member(name: name, value: .string($0)) }
    }
    let identity = JSONTree.object(
      members
        + JSONTree.pairs([
          "userAgent": exchange.userAgent.isEmpty ? nil : .string(exchange.userAgent),
          "sourceIp": .string(exchange.request.sourceAddress),
        ]))
    let closure = exchange.webSocketEvent.closure
    return context(
      "routeKey", "disconnectStatusCode", "authorizer", "messageId", "eventType", "extendedRequestId",
      "requestTime", "messageDirection", "disconnectReason", "stage", "connectedAt", "requestTimeEpoch",
      "identity", "requestId", "domainName", "connectionId", "apiId",
      with: [
        "disconnectStatusCode": closure.map { .integer(Int64($0.code)) }, "authorizer": authorizer,
        "messageDirection": .string("IN"), "disconnectReason": closure.map { .string($0.reason) },
        "connectedAt": .integer(exchange.connectedAt ?? exchange.identity.unixMilliseconds),
        "identity": identity, "requestId": .string(exchange.identity.extendedRequestID),
      ])
  }

  /// Returns members in this order: each with its value here, or else with that of the variable of `$context` with its
  /// name. A member without a value is absent.
  private func context(_ names: String..., with values: [String: JSONTree?]) -> JSONTree {
    let variables = exchange.variables
    let values = values.merging(["requestTimeEpoch": .integer(exchange.identity.unixMilliseconds)]) { $1 }
    return .object(
      names.compactMap { name in
        let value = values[name].flatMap { $0 } ?? variables.value(name).map { .string($0) }
        return value.map { JSONTree.Member(name: name, value: $0) }
      })
  }
}
