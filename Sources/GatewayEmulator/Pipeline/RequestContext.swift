package import GatewayModel
internal import IAMPolicy
internal import LambdaEmulator
internal import Mapping
internal import Text
internal import JSON

/// One request and its route: the source for events, templates and the log.
package struct RequestContext: Sendable {
  let api: GatewayAPI
  let location: AWSLocation
  package var request: GatewayRequest
  /// The path without the stage.
  let path: String
  package let route: GatewayRoute
  let pathParameters: [PathPattern.Parameter]
  let identity: RequestIdentity
  /// The connection ID of a WebSocket API, else `nil`.
  package let connectionID: String?
  var webSocketEvent = WebSocketEvent.connect
  /// When that connection was accepted; `nil` while it is not.
  var connectedAt: Int64?
  /// What the authorizer of `$connect` passes on to the messages of the connection.
  package var authorizer: AuthorizerContext?
  /// The API key that the request used; `nil` where the route needs none.
  package var apiKey: APIKey?
  /// Who signed the request, on a route with `AWS_IAM`.
  var caller: SignedCaller?
  /// What the authorizer was asked and granted, for records; `nil` without an authorizer.
  package var evidence: AuthorizerEvidence?
  /// The choices for the paths in events.
  var settings = Assumptions()
  /// The host of an event that no gateway makes; `nil` for the domain of the request, or of the API.
  var host: String?

  var received: ReceivedRequest {
    ReceivedRequest(request, to: api, identity, connectionID: connectionID)
  }

  var policyCaller: PolicyCaller {
    caller.map { .identity(arn: $0.userARN, account: $0.account) } ?? .anonymous
  }

  var domainName: String { host ?? request.domain?.name ?? defaultDomainName }

  var domainPrefix: String { String(domainName.head(before: ".")) }

  /// `path` of events: without the stage, but with the base path of a custom domain.
  ///
  /// - Parameter isAuthorizerEvent: what is measured for integrations of REST APIs is a choice for other events.
  func eventPath(isAuthorizerEvent: Bool) -> String {
    if isREST, !isAuthorizerEvent { return request.domain?.path ?? path }
    return chosen(path)
  }

  /// Returns a path for events, in the chosen form.
  private func chosen(_ path: String) -> String {
    let path = settings.domainPath == .kept ? request.domain?.path ?? path : path
    guard !isREST, settings.httpRawPath == .decoded else { return path }
    return String(PercentText.decoded(path).head(before: "?"))
  }

  private var defaultDomainName: String {
    "\(api.identifier).execute-api.\(location.region).\(location.partition == "aws-cn" ? "amazonaws.com.cn" : "amazonaws.com")"
  }

  /// The path template of the route, such as `/pets/{id}`.
  var resourcePath: String {
    switch route.match {
    case .path(_, let pattern): pattern.text
    case .default, .connect, .message: route.key
    }
  }

  /// The ID of the resource in a REST API.
  var resourceID: String { String(StableIdentifier.text(of: resourcePath).suffix(6)) }

  /// The path in `requestContext` of REST and payload 2.0: with the stage if the URL has one. A REST API shows it as
  /// sent, also with repeated slashes (recorded by LocalStack on AWS).
  var pathWithStage: String {
    if isREST { return request.domain?.path ?? request.path }
    return chosen(api.stage.isInPath && request.domain == nil ? "/\(api.stage.name)\(path)" : path)
  }

  var isREST: Bool { api.isREST }

  /// The values of the path parameters: as sent on a REST API (recorded by LocalStack on AWS), else decoded.
  var parameterValues: [PathPattern.Parameter] {
    isREST
      ? pathParameters
      : pathParameters.map { PathPattern.Parameter(name: $0.name, value: PercentText.decoded($0.value)) }
  }

  /// Returns the ARN that the policy is evaluated for.
  ///
  /// - Parameter concrete: whether it has the path of the request instead of the template of the route.
  func resourceARN(concrete: Bool) -> String {
    let start =
      "arn:\(location.partition):execute-api:\(location.region):\(location.account):\(api.identifier)/\(api.stage.name)/"
    if connectionID != nil { return start + route.key }
    if !concrete, case .default = route.match { return start + "$default" }
    return start + request.method + "/" + (concrete ? path : resourcePath).dropFirst(bytes: 1)
  }

  /// The spellings of an ARN that a policy is evaluated for, first the ARN itself: one for each reading of the path.
  func spellings(of arn: String) -> [String] {
    guard connectionID == nil, arn.utf8.suffix(path.utf8.count).elementsEqual(path.utf8) else { return [arn] }
    let start = String(Substring(arn.utf8.dropLast(path.utf8.count)))
    return [arn] + (PathInterpretations.others(than: path) ?? []).map { start + $0 }
  }

  var userAgent: String { request.values(ofHeader: "User-Agent").first ?? "" }

  // MARK: Headers

  /// Headers that API Gateway does not pass on: those of the connection (RFC 9110 section 7.6.1) and those that it
  /// sets itself.
  private static let droppedHeaders: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "host",
    "x-amzn-trace-id", "x-forwarded-for", "x-forwarded-port", "x-forwarded-proto",
  ]

  /// The client's header lines and those that API Gateway adds.
  var headerLines: [GatewayRequest.Header] {
    request.headers.filter { !Self.droppedHeaders.contains($0.name.lowercased()) } + [
      .init("Host", domainName), .init("X-Amzn-Trace-Id", identity.traceID),
    ] + forwardedHeaders
  }

  /// What API Gateway says about the connection. It appends the client's address to the addresses that the client
  /// sends, and replaces the two others.
  private var forwardedHeaders: [GatewayRequest.Header] {
    let addresses = request.values(ofHeader: "X-Forwarded-For") + [request.sourceAddress]
    return [
      .init("X-Forwarded-For", addresses.joined(separator: ", ")), .init("X-Forwarded-Port", "443"),
      .init("X-Forwarded-Proto", "https"),
    ]
  }

  /// The headers that identity sources and parameters find in the request before those of the client. A message of a
  /// WebSocket has no headers.
  var addedHeaders: [GatewayRequest.Header] {
    if connectionID != nil { return connectedAt == nil ? forwardedHeaders : [] }
    return settings.forwardedHeaders == .added ? forwardedHeaders : []
  }

  /// The header lines grouped by name; a name has the spelling of its first line.
  var headerGroups: [(name: String, values: [String])] {
    Self.groups(headerLines.map { ($0.name, $0.value) }) { $0.lowercased() }
  }

  var queryGroups: [(name: String, values: [String])] { Self.groups(request.queryItems) { $0 } }

  private static func groups(
    _ items: [(name: String, value: String)], key: (String) -> String
  ) -> [(name: String, values: [String])] {
    var groups: [(name: String, values: [String])] = []
    var indices: [ByteString: Int] = [:]
    for item in items {
      let name = ByteString(key(item.name))
      if let index = indices[name] {
        groups[index].values.append(item.value)
      } else {
        indices[name] = groups.count
        groups.append((item.name, [item.value]))
      }
    }
    return groups
  }

  // MARK: Variables

  /// `$context` without the authorizer's values.
  var variables: ContextVariables {
    var values = [
      "accountId": location.account, "apiId": api.identifier, "domainName": domainName,
      "deploymentId": String(api.identifier.prefix(6)), "domainPrefix": domainPrefix,
      "extendedRequestId": identity.extendedRequestID,
      "identity.sourceIp": request.sourceAddress, "identity.userAgent": userAgent,
      "requestId": identity.requestID, "requestTime": Timestamp.commonLog(identity.unixMilliseconds),
      "requestTimeEpoch": String(identity.unixMilliseconds), "stage": api.stage.name, "routeKey": route.key,
    ]
    for (name, value) in caller?.identity ?? [:] { values["identity." + name] = value }
    values.merge(request.certificate?.variables ?? [:]) { $1 }
    if let connectionID {
      values["connectionId"] = connectionID
      values["connectedAt"] = String(connectedAt ?? identity.unixMilliseconds)
      values["eventType"] = webSocketEvent.name
      values["messageId"] = webSocketEvent.messageID
    } else {
      values["httpMethod"] = request.method
      values["path"] = pathWithStage
      values["protocol"] = "HTTP/1.1"
      values["resourcePath"] = resourcePath
      values["resourceId"] = resourceID
    }
    if let apiKey {
      values["identity.apiKey"] = apiKey.value
      values["identity.apiKeyId"] = apiKey.identifier
    }
    return ContextVariables(values)
  }
}

extension ParameterSource {
  package init(_ exchange: RequestContext, authorizer: [String: String] = [:]) {
    var variables = exchange.variables
    for (name, value) in authorizer { variables.set("authorizer." + name, value) }
    self.init(
      exchange.request, pathParameters: exchange.parameterValues,
      stageVariables: exchange.api.stage.variables,
      variables: variables)
    addedHeaders = exchange.addedHeaders
    path = exchange.path
  }
}
