internal import Text
internal import GatewayModel
internal import LambdaEmulator
internal import JSON

/// The event that API Gateway sends to an authorizer for a request, in the shape of its kind.
///
/// Empty maps are `{}` in REST, WebSocket and 1.0 events, and absent from 2.0 events, as recorded events show.
struct EventDocument {
  let request: EventRequest

  var tree: JSONTree {
    switch request.kind {
    case .restToken: token
    case .restRequest: rest
    case .http1: httpOne
    case .http2: httpTwo
    case .webSocket: webSocket
    }
  }

  private var credential: JSONTree? { request.header("Authorization").map { .string($0) } }

  private var token: JSONTree {
    .members([
      "type": .string("TOKEN"), "methodArn": .string(request.arn),
      "authorizationToken": credential ?? .string(""),
    ])
  }

  private var rest: JSONTree {
    .object(
      JSONTree.pairs(["type": .string("REQUEST"), "methodArn": .string(request.arn)])
        + requestMembers(headers(lowerCase: false)))
  }

  private var httpOne: JSONTree {
    .object(
      JSONTree.pairs([
        "version": .string("1.0"), "type": .string("REQUEST"), "methodArn": .string(request.arn),
        "identitySource": credential, "authorizationToken": credential,
      ]) + requestMembers(headers(lowerCase: true)))
  }

  /// The members that events of REST APIs and of payload format 1.0 share, in their order.
  private func requestMembers(_ headers: [GatewayRequest.Header]) -> [JSONTree.Member] {
    JSONTree.pairs([
      "resource": .string(request.resource), "path": .string(request.path),
      "httpMethod": .string(request.method), "headers": Self.map(headers),
      "multiValueHeaders": Self.lists(headers), "queryStringParameters": Self.map(request.parameters),
      "multiValueQueryStringParameters": Self.lists(request.parameters),
      "pathParameters": Self.map(request.pathParameters), "stageVariables": .object([]),
      "requestContext": restContext,
    ])
  }

  private var httpTwo: JSONTree {
    .members([
      "version": .string("2.0"), "type": .string("REQUEST"), "routeArn": .string(request.arn),
      "identitySource": credential.map { .array([$0]) }, "routeKey": .string(routeKey),
      "rawPath": .string(request.fullPath), "rawQueryString": .string(request.query),
      "cookies": JSONTree.array(request.cookies.map { .string($0) }).unlessEmpty,
      "headers": Self.joined(headers(lowerCase: true)),
      "queryStringParameters": Self.joined(request.parameters).unlessEmpty, "requestContext": httpTwoContext,
      "pathParameters": Self.map(request.pathParameters).unlessEmpty,
    ])
  }

  private var webSocket: JSONTree {
    let headers = headers(lowerCase: false)
    return .members([
      "type": .string("REQUEST"), "methodArn": .string(request.arn), "headers": Self.map(headers),
      "multiValueHeaders": Self.lists(headers), "queryStringParameters": Self.map(request.parameters),
      "multiValueQueryStringParameters": Self.lists(request.parameters), "stageVariables": .object([]),
      "requestContext": webSocketContext,
    ])
  }

  // MARK: Parts

  /// The client's headers and those that API Gateway adds.
  private func headers(lowerCase: Bool) -> [GatewayRequest.Header] {
    var fields = request.headers
    if !request.cookies.isEmpty, request.kind != .http2 {
      fields.append(.init("Cookie", request.cookies.joined(separator: "; ")))
    }
    let added = [
      ("Host", request.host), ("User-Agent", Self.userAgent), ("X-Forwarded-For", request.sourceIP),
      ("X-Forwarded-Port", "443"), ("X-Forwarded-Proto", "https"),
    ]
    for (name, value) in added where request.header(name) == nil { fields.append(.init(name, value)) }
    return lowerCase ? fields.map { .init($0.name.lowercased(), $0.value) } : fields
  }

  private static let userAgent = "curl/8.9.1"

  private var identity: JSONTree {
    .members(["sourceIp": .string(request.sourceIP), "userAgent": userAgent])
  }

  private var userAgent: JSONTree { .string(request.header("User-Agent") ?? Self.userAgent) }

  private var routeKey: String { request.givenRouteKey ?? "\(request.method) \(request.resource)" }

  private var restContext: JSONTree {
    context([
      "resourceId": .string(routeKey), "resourcePath": .string(request.resource),
      "httpMethod": .string(request.method), "path": .string(request.fullPath),
      "protocol": .string("HTTP/1.1"), "domainPrefix": .string(domainPrefix), "identity": identity,
    ])
  }

  private var webSocketContext: JSONTree {
    context(
      first: [
        "routeKey": .string("$connect"), "eventType": .string("CONNECT"), "messageDirection": .string("IN"),
        "connectedAt": .integer(request.unixMilliseconds), "connectionId": .string("CqT7gcXzDoECJuw="),
      ], ["identity": identity])
  }

  /// A context of any kind but 2.0: some members are in all of them.
  private func context(
    first: KeyValuePairs<String, JSONTree?> = [:], _ last: KeyValuePairs<String, JSONTree?>
  ) -> JSONTree {
    let common = JSONTree.pairs([
      "accountId": .string(request.account), "apiId": .string(request.api), "stage": .string(request.stage),
      "domainName": .string(request.host), "requestId": Self.requestID, "extendedRequestId": Self.requestID,
      "requestTime": .string(time), "requestTimeEpoch": .integer(request.unixMilliseconds),
    ])
    return .object(JSONTree.pairs(first) + common + JSONTree.pairs(last))
  }

  private static let requestID = JSONTree.string("CqT6ziuIvHcEMWA=")

  private var httpTwoContext: JSONTree {
    .members([
      "accountId": .string(request.account), "apiId": .string(request.api),
      "domainName": .string(request.host), "domainPrefix": .string(domainPrefix),
      "http": .members([
        "method": .string(request.method), "path": .string(request.fullPath), "protocol": .string("HTTP/1.1"),
        "sourceIp": .string(request.sourceIP), "userAgent": userAgent,
      ]),
      "requestId": Self.requestID, "routeKey": .string(routeKey), "stage": .string(request.stage),
      "time": .string(time), "timeEpoch": .integer(request.unixMilliseconds),
    ])
  }

  private var domainPrefix: String { String(request.host.head(before: ".")) }

  private var time: String { Timestamp.commonLog(request.unixMilliseconds) }

  // MARK: Fields as members

  /// Returns the last value of each name, as in the single-value maps of API Gateway.
  private static func map(_ fields: [GatewayRequest.Header]) -> JSONTree {
    .object(lists(of: fields).map { .init(name: $0.name, value: .string($0.values.last ?? "")) })
  }

  private static func lists(_ fields: [GatewayRequest.Header]) -> JSONTree {
    .object(
      lists(of: fields).map { .init(name: $0.name, value: .array($0.values.map { .string($0) })) })
  }

  /// Returns several values of a name joined by commas (payload format 2.0).
  private static func joined(_ fields: [GatewayRequest.Header]) -> JSONTree {
    .object(
      lists(of: fields).map { .init(name: $0.name, value: .string($0.values.joined(separator: ","))) })
  }

  private static func lists(of fields: [GatewayRequest.Header]) -> [(name: String, values: [String])] {
    var lists: [(name: String, values: [String])] = []
    for field in fields {
      if let place = lists.firstIndex(where: { $0.name == field.name }) {
        lists[place].values.append(field.value)
      } else {
        lists.append((field.name, [field.value]))
      }
    }
    return lists
  }
}
