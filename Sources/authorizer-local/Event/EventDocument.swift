internal import Emulator
internal import Foundation
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
    .object([
      .init(name: "type", value: .string("TOKEN")), .init(name: "methodArn", value: .string(request.arn)),
      .init(name: "authorizationToken", value: credential ?? .string("")),
    ])
  }

  private var rest: JSONTree {
    .object(
      [
        .init(name: "type", value: .string("REQUEST")),
        .init(name: "methodArn", value: .string(request.arn)),
      ] + resource + maps(lowerCase: false) + [
        .init(name: "pathParameters", value: Self.map(request.pathParameters)),
        .init(name: "stageVariables", value: .object([])),
        .init(name: "requestContext", value: .object(restContext)),
      ])
  }

  private var httpOne: JSONTree {
    var members: [JSONTree.Member] = [
      .init(name: "version", value: .string("1.0")), .init(name: "type", value: .string("REQUEST")),
      .init(name: "methodArn", value: .string(request.arn)),
    ]
    if let credential {
      members += [
        .init(name: "identitySource", value: credential),
        .init(name: "authorizationToken", value: credential),
      ]
    }
    members += resource + maps(lowerCase: true)
    members += [
      .init(name: "pathParameters", value: Self.map(request.pathParameters)),
      .init(name: "stageVariables", value: .object([])),
      .init(name: "requestContext", value: .object(restContext)),
    ]
    return .object(members)
  }

  private var httpTwo: JSONTree {
    let key = "\(request.method) \(request.resource)"
    var members: [JSONTree.Member] = [
      .init(name: "version", value: .string("2.0")), .init(name: "type", value: .string("REQUEST")),
      .init(name: "routeArn", value: .string(request.arn)),
    ]
    if let credential { members.append(.init(name: "identitySource", value: .array([credential]))) }
    members += [
      .init(name: "routeKey", value: .string(key)), .init(name: "rawPath", value: .string(request.fullPath)),
      .init(name: "rawQueryString", value: .string(request.query)),
    ]
    if !request.cookies.isEmpty {
      members.append(.init(name: "cookies", value: .array(request.cookies.map { .string($0) })))
    }
    members.append(.init(name: "headers", value: Self.joined(headers(lowerCase: true))))
    if !request.parameters.isEmpty {
      members.append(.init(name: "queryStringParameters", value: Self.joined(request.parameters)))
    }
    members.append(.init(name: "requestContext", value: .object(httpTwoContext(key))))
    if !request.pathParameters.isEmpty {
      members.append(.init(name: "pathParameters", value: Self.map(request.pathParameters)))
    }
    return .object(members)
  }

  private var webSocket: JSONTree {
    var context: [JSONTree.Member] = [
      .init(name: "routeKey", value: .string("$connect")),
      .init(name: "eventType", value: .string("CONNECT")),
      .init(name: "messageDirection", value: .string("IN")),
      .init(name: "connectedAt", value: .number(String(request.unixMilliseconds))),
      .init(name: "connectionId", value: .string("CqT7gcXzDoECJuw=")),
    ]
    context += common + [.init(name: "identity", value: .object(identity))]
    return .object(
      [
        .init(name: "type", value: .string("REQUEST")),
        .init(name: "methodArn", value: .string(request.arn)),
      ] + maps(lowerCase: false) + [
        .init(name: "stageVariables", value: .object([])),
        .init(name: "requestContext", value: .object(context)),
      ])
  }

  // MARK: Parts

  private var resource: [JSONTree.Member] {
    [
      .init(name: "resource", value: .string(request.resource)),
      .init(name: "path", value: .string(request.path)),
      .init(name: "httpMethod", value: .string(request.method)),
    ]
  }

  /// The client's headers and those that API Gateway adds.
  private func headers(lowerCase: Bool) -> [EventRequest.Field] {
    var fields = request.headers
    if !request.cookies.isEmpty, request.kind != .http2 {
      fields.append(.init(name: "Cookie", value: request.cookies.joined(separator: "; ")))
    }
    let added = [
      ("Host", request.host), ("User-Agent", Self.userAgent), ("X-Forwarded-For", request.sourceIP),
      ("X-Forwarded-Port", "443"), ("X-Forwarded-Proto", "https"),
    ]
    for (name, value) in added where request.header(name) == nil {
      fields.append(.init(name: name, value: value))
    }
    return lowerCase ? fields.map { .init(name: $0.name.lowercased(), value: $0.value) } : fields
  }

  private static let userAgent = "curl/8.9.1"

  private func maps(lowerCase: Bool) -> [JSONTree.Member] {
    let headers = headers(lowerCase: lowerCase)
    return [
      .init(name: "headers", value: Self.map(headers)),
      .init(name: "multiValueHeaders", value: Self.lists(headers)),
      .init(name: "queryStringParameters", value: Self.map(request.parameters)),
      .init(name: "multiValueQueryStringParameters", value: Self.lists(request.parameters)),
    ]
  }

  private var identity: [JSONTree.Member] {
    [
      .init(name: "sourceIp", value: .string(request.sourceIP)),
      .init(name: "userAgent", value: .string(request.header("User-Agent") ?? Self.userAgent)),
    ]
  }

  /// The members that the context has in every kind but 2.0.
  private var common: [JSONTree.Member] {
    [
      .init(name: "accountId", value: .string(request.account)),
      .init(name: "apiId", value: .string(request.api)), .init(name: "stage", value: .string(request.stage)),
      .init(name: "domainName", value: .string(request.host)),
      .init(name: "requestId", value: .string("CqT6ziuIvHcEMWA=")),
      .init(name: "extendedRequestId", value: .string("CqT6ziuIvHcEMWA=")),
      .init(name: "requestTime", value: .string(time)),
      .init(name: "requestTimeEpoch", value: .number(String(request.unixMilliseconds))),
    ]
  }

  private var restContext: [JSONTree.Member] {
    common + [
      .init(name: "resourceId", value: .string("\(request.method) \(request.resource)")),
      .init(name: "resourcePath", value: .string(request.resource)),
      .init(name: "httpMethod", value: .string(request.method)),
      .init(name: "path", value: .string(request.fullPath)),
      .init(name: "protocol", value: .string("HTTP/1.1")),
      .init(name: "domainPrefix", value: .string(domainPrefix)),
      .init(name: "identity", value: .object(identity)),
    ]
  }

  private func httpTwoContext(_ key: String) -> [JSONTree.Member] {
    [
      .init(name: "accountId", value: .string(request.account)),
      .init(name: "apiId", value: .string(request.api)),
      .init(name: "domainName", value: .string(request.host)),
      .init(name: "domainPrefix", value: .string(domainPrefix)),
      .init(
        name: "http",
        value: .object(
          [
            .init(name: "method", value: .string(request.method)),
            .init(name: "path", value: .string(request.fullPath)),
            .init(name: "protocol", value: .string("HTTP/1.1")),
          ] + identity)),
      .init(name: "requestId", value: .string("CqT6ziuIvHcEMWA=")),
      .init(name: "routeKey", value: .string(key)), .init(name: "stage", value: .string(request.stage)),
      .init(name: "time", value: .string(time)),
      .init(name: "timeEpoch", value: .number(String(request.unixMilliseconds))),
    ]
  }

  private var domainPrefix: String { String(request.host.prefix { $0 != "." }) }

  /// The time in the common log format: `21/Nov/2026:10:00:00 +0000`.
  private var time: String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "dd/MMM/yyyy:HH:mm:ss Z"
    return formatter.string(from: Date(timeIntervalSince1970: Double(request.unixMilliseconds) / 1000))
  }

  // MARK: Fields as members

  /// Returns the last value of each name, as in the single-value maps of API Gateway.
  private static func map(_ fields: [EventRequest.Field]) -> JSONTree {
    .object(lists(of: fields).map { .init(name: $0.name, value: .string($0.values.last ?? "")) })
  }

  private static func lists(_ fields: [EventRequest.Field]) -> JSONTree {
    .object(
      lists(of: fields).map { .init(name: $0.name, value: .array($0.values.map { .string($0) })) })
  }

  /// Returns several values of a name joined by commas (payload format 2.0).
  private static func joined(_ fields: [EventRequest.Field]) -> JSONTree {
    .object(
      lists(of: fields).map { .init(name: $0.name, value: .string($0.values.joined(separator: ","))) })
  }

  private static func lists(of fields: [EventRequest.Field]) -> [(name: String, values: [String])] {
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
