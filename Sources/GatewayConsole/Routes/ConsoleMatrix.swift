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
    var scope: String?
    /// The JSON text of more claims.
    var claims: String?
    /// The decision whose token the user sends.
    var decision: RecordedDecision?

    var tree: JSONTree {
      let label =
        (name ?? "no token") + (scope.map { ", scope \($0)" } ?? "") + (claims.map { ", claims \($0)" } ?? "")
      return .members([
        "name": name.map { .string($0) } ?? .null, "scope": scope.map { .string($0) } ?? .null,
        "claims": claims.map { .string($0) },
        "label": .string((decision.map { "decision \($0.id): " } ?? "") + label),
        "decision": decision.map { .integer(Int64($0.id)) },
      ])
    }
  }

  /// A route with the path of its requests.
  private struct Row {
    let api: GatewayAPI
    let route: GatewayRoute
    /// The rule that gives the path to one user; `nil` for a path of anyone.
    var owned: OwnedRoute?
    /// Whether each user asks for their own path.
    var isOwn = false
    /// The message on a route whose rules name tools.
    var call: ToolRoute.Call?
    /// The decision whose path it is.
    var decision: RecordedDecision?

    var method: String {
      if let decision { return decision.served.request.method }
      if let call { return call.method }
      return if case .path(let method?, _) = route.match { method } else { "GET" }
    }

    /// The path for a user with these claims; each other parameter has the value `1`.
    func path(_ claims: JSONTree?) -> String {
      if let path = decision?.served.request.path { return api.pathBehindStage(path) ?? path }
      if let call { return call.path }
      guard case .path(_, let pattern) = route.match else { return "/" }
      return owned?.path(on: pattern, method, example: "1") { name in
        let value = name.splitBytes(at: ".").reduce(claims) { $0?[String($1)] }
        guard case .string(let own)? = claims?[name] ?? value else { return isOwn ? nil : "1" }
        return isOwn ? own : own == "1" ? "2" : "1"
      }
        ?? "/"
        + pattern.segments.map { if case .literal(let text) = $0 { text } else { "1" } }.joined(
          separator: "/")
    }

    var tree: JSONTree {
      var path = path(nil)
      if let decision { path = DecisionText(decision).redactor.text(path) }
      if isOwn, case .path(_, let pattern) = route.match {
        path = owned?.path(on: pattern, method, example: "1") { "${\($0)}" } ?? path
      }
      return .members([
        "api": .string(api.name), "stage": .string(api.stage.name), "method": .string(method),
        "path": .string(path), "owner": owned.map { _ in .string(isOwn ? "own" : "another") },
        "decision": decision.map { .integer(Int64($0.id)) }, "message": call?.tree,
        "route": .string(route.key), "guard": .string(api.guardText(of: route)),
      ])
    }
  }

  /// Asks the authorizers, and returns `users`, `routes` (with `owner`: `own` or `another`, where a rule gives a path to
  /// one user, and with `message`, where rules name tools) and `cells`, each with its `path`.
  ///
  /// - Parameter request: with `user`, `scope` and `claims` for each column; `decision` adds the request of a decision as
  ///   the first row, and its token as the first column.
  func answer(_ request: GatewayRequest) async throws(ConsoleProblem) -> JSONTree {
    guard !console.usesRealKeys else { throw .impossible(ConsoleProblem.realKeys) }
    var users = try users(request)
    let tools = ToolRoute.all(in: console.facts.rules)
    var all = connection.service.gateway.apis.flatMap { api in
      api.routes.filter { Self.isListed($0, of: api) }.flatMap { rows(of: $0, in: api, tools) }
        + tools.flatMap { rows(of: $0, in: api) }
    }
    if let id = request.queryItems.first(where: { $0.name == "decision" })?.value {
      let decision = try console.decision(Int(id) ?? 0)
      guard let route = decision.served.exchange?.route else {
        throw .impossible("the request of decision \(id) has no route")
      }
      all.insert(Row(api: decision.served.api, route: route, decision: decision), at: 0)
      let own = User(name: decision.credentials.token?.subject, scope: nil, decision: decision)
      users = [own] + users.prefix(ConsoleLimits.matrix.users - 1)
    }
    let routes = all.prefix(ConsoleLimits.matrix.cells / users.count)
    return try await console.trials.alone { () async throws(ConsoleProblem) in
      let rows = try await rows(routes, users)
      return .members([
        "users": .array(users.map(\.tree)),
        "routes": .array(
          routes.prefix(rows.count).map(\.tree)),
        "cells": .array(rows), "truncated": .boolean(rows.count < all.count),
      ])
    }
  }

  /// Returns the rows that are ready when the time is over.
  private func rows(
    _ routes: ArraySlice<Row>, _ users: [User]
  ) async throws(ConsoleProblem) -> [JSONTree] {
    let life = ConnectionLife(of: connection)
    let clock = connection.service.clock
    let begin = clock.now()
    var rows: [JSONTree] = []
    for row in routes {
      var cells: [JSONTree] = []
      for user in users {
        try life.check()
        if clock.now().nanoseconds(since: begin) / 1_000_000
          >= UInt64(ConsoleLimits.matrixMilliseconds * clock.timeoutFactor)
        {
          return rows
        }
        cells.append(try await cell(row, user))
      }
      rows.append(.array(cells))
    }
    return rows
  }

  /// Reads `user=alice&scope=a&user=bob`: a scope or claims belong to the user before them.
  private func users(_ request: GatewayRequest) throws(ConsoleProblem) -> [User] {
    var users: [User] = []
    for item in request.queryItems {
      switch item.name {
      case "user": users.append(User(name: item.value.isEmpty ? nil : item.value, scope: nil))
      case "scope", "claims":
        guard let last = users.indices.last, users[last].name != nil else {
          throw .invalid("write the user before the \(item.name): ?user=alice&scope=orders:read")
        }
        if item.name == "scope" { users[last].scope = item.value } else { users[last].claims = item.value }
      case "decision": break
      default: throw .invalid("unknown parameter; known are user, scope, claims and decision")
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

  /// A row; two, own and another's, where a rule gives the path to one user.
  private func rows(of route: GatewayRoute, in api: GatewayAPI, _ tools: [ToolRoute]) -> [Row] {
    let row = Row(api: api, route: route)
    guard case .path(_, let pattern) = route.match else { return [row] }
    // Without the headers of a message, every caller is refused.
    if tools.contains(where: { $0.path.hasSameBytes(as: pattern.text) }) { return [] }
    let owned = console.facts.ownedRoutes.lazy.map(OwnedRoute.init).first {
      $0.path(on: pattern, row.method, example: "1") { _ in "1" } != nil
    }
    return owned.map { owned in
      [true, false].map { Row(api: api, route: route, owned: owned, isOwn: $0) }
    } ?? [row]
  }

  /// A row for each message that the rules of a path name.
  private func rows(of tools: ToolRoute, in api: GatewayAPI) -> [Row] {
    let table = connection.service.gateway.tables[api.address]
    guard let route = table?.route(method: tools.method, path: tools.path)?.route, !route.access.isOpen
    else { return [] }
    return tools.calls.map { Row(api: api, route: route, call: $0) }
  }

  // MARK: Cells

  private func cell(
    _ row: Row, _ user: User
  ) async throws(ConsoleProblem) -> JSONTree {
    let service = connection.service
    let (api, route) = (row.api, row.route)
    let now = service.unixMilliseconds / 1000
    var headers: [GatewayRequest.Header] = [
      .init("Host", base.splitBytes(at: "/").last.map(String.init) ?? "")
    ]
    if route.needsAPIKey, let key = api.access.keys.first(where: { $0.isEnabled && $0.value != nil })?.value {
      headers.append(.init("x-api-key", key))
    }
    let tokens = ConsoleTokens(issuer: connection.issuer, base: base, now: now)
    let token =
      if let decision = user.decision {
        decision.credentials.token?.text
      } else {
        try user.name.map { name throws(ConsoleProblem) -> String in
          let claims = user.claims.map { JSONTree.string($0) }
          return try tokens.token(user: name, scope: user.scope, claims: claims, for: route)
        }
      }
    let path = row.path(token.flatMap(DecodedToken.init)?.claims)
    let inner = api.stage.isInPath ? "/\(api.stage.name)\(path)" : path
    var request = GatewayRequest(
      method: row.method, path: inner, sentPath: "/\(api.name)\(inner)",
      headers: headers + (row.call?.message.headers ?? []), body: row.call?.message.body.bytes() ?? [])
    if let token { request = tokens.request(request, with: token, insteadOf: nil, for: route) }
    if let decision = row.decision, user.decision != nil {
      request = try ConsoleReplay(console: console, connection: connection).request(of: decision, now: now)
    }
    let isConnect = route.match == .connect
    let options = service.trialOptions(
      readsCache: false, connectionID: isConnect ? GatewayService.extendedRequestID() : nil)
    let served = await service.run(request, to: api, options).served
    return cell(of: RecordedDecision(served, id: 0, keepsEvents: true), path)
  }

  private func cell(of decision: RecordedDecision, _ path: String) -> JSONTree {
    let served = decision.served
    let text = DecisionText(decision)
    let outcome = DecisionOutcome(of: served)
    // What comes after the authorizer, such as a missing parameter, is not about the user.
    let isAllowed = served.exchange?.evidence?.evaluation?.outcome == .allowed
    let status = isAllowed ? 200 : served.record.status == 101 ? 200 : served.record.status
    let explanation = console.explanation(of: decision)
    return .members([
      "status": .integer(Int64(status)), "outcome": .string(isAllowed ? "allowed" : outcome.rawValue),
      "path": .string(text.redactor.text(path)),
      "reason": text.reasonCode.map { .string(text.redactor.text($0)) } ?? .null,
      "needs": .array(explanation?.needs.map { JSONTree.string(text.redactor.text($0)) } ?? []),
      "has": (explanation?.has).map { .string(text.redactor.text($0)) },
      "sentence": .string(text.redactor.text(explanation?.sentence ?? served.record.decision)),
      "decision": .string(text.redactor.text(served.record.decision)),
    ])
  }
}
