internal import AuthorizerContract
internal import LambdaEmulator
internal import Text
internal import GatewayEmulator
internal import GatewayModel
internal import JSON

/// Which users reach which routes, by the answers of the real authorizers: past every cache, and never to a backend.
struct ConsoleMatrix {
  let console: Console
  let connection: ConsoleConnection
  /// The address of the gateway, as the client of this request wrote it.
  let base: String

  /// The users of a matrix that names none.
  static let users = ["alice", "bob"]

  private struct User {
    /// `nil` for a request without a token.
    let name: String?
    let scope: String?

    var tree: JSONTree {
      let label = (name ?? "no token") + (scope.map { ", scope \($0)" } ?? "")
      return .members([
        "name": name.map { .string($0) } ?? .null, "scope": scope.map { .string($0) } ?? .null,
        "label": .string(label),
      ])
    }
  }

  func answer(_ request: GatewayRequest) async throws(ConsoleProblem) -> JSONTree {
    guard !console.usesRealKeys else { throw .impossible(ConsoleProblem.realKeys) }
    let users = try users(request)
    let all = connection.service.gateway.apis.flatMap { api in
      api.routes.filter { Self.isListed($0, of: api) }.map { (api: api, route: $0) }
    }
    let routes = all.prefix(ConsoleLimits.matrix.cells / users.count)
    return try await console.trials.alone { () async throws(ConsoleProblem) in
      let rows = try await rows(routes, users)
      return .members([
        "users": .array(users.map(\.tree)),
        "routes": .array(
          routes.prefix(rows.count).map { api, route in
            .members([
              "api": .string(api.name), "stage": .string(api.stage.name),
              "method": .string(Self.method(of: route)), "path": .string(Self.path(of: route)),
              "route": .string(route.key), "guard": .string(api.guardText(of: route)),
            ])
          }),
        "cells": .array(rows), "truncated": .boolean(rows.count < all.count),
      ])
    }
  }

  /// Returns the rows that are ready when the time is over.
  private func rows(
    _ routes: ArraySlice<(api: GatewayAPI, route: GatewayRoute)>, _ users: [User]
  ) async throws(ConsoleProblem) -> [JSONTree] {
    let life = ConnectionLife(of: connection)
    let clock = connection.service.clock
    let begin = clock.now()
    var rows: [JSONTree] = []
    for (api, route) in routes {
      var cells: [JSONTree] = []
      for user in users {
        try life.check()
        if clock.now().nanoseconds(since: begin) / 1_000_000
          >= UInt64(ConsoleLimits.matrixMilliseconds * clock.timeoutFactor)
        {
          return rows
        }
        cells.append(try await cell(api, route, user))
      }
      rows.append(.array(cells))
    }
    return rows
  }

  /// Reads `user=alice&scope=a&user=bob`: a scope belongs to the user before it.
  private func users(_ request: GatewayRequest) throws(ConsoleProblem) -> [User] {
    var users: [User] = []
    for item in request.queryItems {
      switch item.name {
      case "user": users.append(User(name: item.value.isEmpty ? nil : item.value, scope: nil))
      case "scope":
        guard let last = users.popLast(), let name = last.name else {
          throw .invalid("write the user before the scope: ?user=alice&scope=orders:read")
        }
        users.append(User(name: name, scope: item.value))
      default: throw .invalid("unknown parameter; known are user and scope")
      }
    }
    if users.isEmpty {
      let scopes = console.facts.scopes + nativeScopes.filter { !console.facts.scopes.contains($0) }
      users =
        [User(name: nil, scope: nil)] + Self.users.map { User(name: $0, scope: nil) }
        + scopes.map { User(name: Self.users[0], scope: $0) }
      return Array(users.prefix(ConsoleLimits.matrix.users))
    }
    guard users.count <= ConsoleLimits.matrix.users else {
      throw .invalid("at most \(ConsoleLimits.matrix.users) users")
    }
    return users
  }

  private var nativeScopes: [String] {
    var scopes: [String] = []
    for route in connection.service.gateway.apis.flatMap(\.routes) {
      guard case .token(_, let own) = route.access else { continue }
      scopes += own.filter { !scopes.contains($0) }
    }
    return scopes
  }

  // MARK: Routes

  /// Messages have no authorizer, and `OPTIONS` without one answers preflight requests.
  private static func isListed(_ route: GatewayRoute, of api: GatewayAPI) -> Bool {
    if case .webSocket = api.kind { return route.match == .connect }
    if case .path("OPTIONS"?, _) = route.match { return !route.access.isOpen }
    return true
  }

  private static func method(of route: GatewayRoute) -> String {
    if case .path(let method?, _) = route.match { method } else { "GET" }
  }

  /// A path that the route matches: each parameter has the value `1`.
  private static func path(of route: GatewayRoute) -> String {
    guard case .path(_, let pattern) = route.match else { return "/" }
    let parts = pattern.segments.map { segment in
      switch segment {
      case .literal(let text): text
      case .parameter, .greedy: "1"
      }
    }
    return "/" + parts.joined(separator: "/")
  }

  // MARK: Cells

  private func cell(
    _ api: GatewayAPI, _ route: GatewayRoute, _ user: User
  ) async throws(ConsoleProblem) -> JSONTree {
    let service = connection.service
    var headers: [GatewayRequest.Header] = [
      .init("Host", base.splitBytes(at: "/").last.map(String.init) ?? "")
    ]
    if route.needsAPIKey, let key = api.access.keys.first(where: { $0.isEnabled && $0.value != nil })?.value {
      headers.append(.init("x-api-key", key))
    }
    let path = Self.path(of: route)
    let inner = api.stage.isInPath ? "/\(api.stage.name)\(path)" : path
    var request = GatewayRequest(
      method: Self.method(of: route), path: inner, sentPath: "/\(api.name)\(inner)", headers: headers)
    if let name = user.name {
      let tokens = ConsoleTokens(
        issuer: connection.issuer, base: base, now: service.unixMilliseconds / 1000)
      let token = try tokens.token(user: name, scope: user.scope, for: route)
      request = tokens.request(request, with: token, insteadOf: nil, for: route)
    }
    let isConnect = route.match == .connect
    let options = service.trialOptions(
      readsCache: false, connectionID: isConnect ? GatewayService.extendedRequestID() : nil)
    let served = await service.run(request, to: api, options).served
    return cell(of: RecordedDecision(served, id: 0, keepsEvents: true))
  }

  private func cell(of decision: RecordedDecision) -> JSONTree {
    let served = decision.served
    let text = DecisionText(decision)
    let outcome = DecisionOutcome(of: served)
    // What comes after the authorizer, such as a missing parameter, is not about the user.
    let isAllowed = served.exchange?.evidence?.evaluation?.outcome == .allowed
    let status = isAllowed ? 200 : served.record.status == 101 ? 200 : served.record.status
    let explanation = console.explanation(of: decision)
    return .members([
      "status": .integer(Int64(status)), "outcome": .string(isAllowed ? "allow" : outcome.rawValue),
      "reason": text.reasonCode.map { .string(text.redactor.text($0)) } ?? .null,
      "needs": .array(explanation?.needs.map { JSONTree.string(text.redactor.text($0)) } ?? []),
      "sentence": .string(text.redactor.text(explanation?.sentence ?? served.record.decision)),
      "decision": .string(text.redactor.text(served.record.decision)),
    ])
  }
}
