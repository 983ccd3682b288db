internal import GatewayEmulator
internal import GatewayModel
internal import Templates
internal import Text

/// The addresses of the APIs in the start message of `serve`.
struct ServedAddresses {
  let template: GatewayTemplate
  /// The address of the server, without a slash at its end.
  let base: String
  /// The path of the template; `nil` without one.
  var path: String?

  /// The number of lines that a start may print about routes: our choice, so that it is seen at a glance.
  private static let maximumLines = 5

  /// The lines: every route with what guards it, once for stages that have the same routes. If there are too many, the
  /// APIs and the number of their routes.
  var lines: [String] {
    let all = template.distinctAPIs.flatMap { lines(of: $0) }
    guard all.count > Self.maximumLines, let path else { return all }
    let apis = template.apis.map { api in
      let open = api.routes.count { $0.access.isOpen && !isOfClients($0, in: api) }
      let origins = api.allowedOrigins.joined(separator: ", ")
      return "  \(address(of: api))  routes: \(api.routes.count)"
        + (open == 0 ? "" : ", without authorizer: \(open)") + (origins.isEmpty ? "" : ", CORS: \(origins)")
    }
    return apis + [
      "  each route and what guards it: authorizer-local routes --template \(ShellWord.path(path, or: "FILE"))"
    ]
  }

  /// The command that gets a token that the first native authorizer accepts, with a scope that its route needs; `nil` if
  /// there is no such authorizer, or if no command can name it.
  var tokenCommand: String? {
    for route in template.apis.flatMap(\.routes) {
      guard case .token(let authorizer, let scopes) = route.access else { continue }
      let members = ["user=alice", "authorizer=" + authorizer.name] + scopes.prefix(1).map { "scope=" + $0 }
      let words = members.compactMap { ShellWord.quoted($0) }
      guard words.count == members.count else { return nil }
      return (["curl", "-H", "'Accept: text/plain'"] + words.flatMap { ["-d", $0] } + [base + "/dev/token"])
        .joined(separator: " ")
    }
    return nil
  }

  private func lines(of api: GatewayAPI) -> [String] {
    let address = address(of: api)
    var lines = api.routes.map { "  \(address)  \($0.key)  (\(guardText(of: $0, in: api)))" }
    for other in template.apis
    where other.name == api.name && other.stage != api.stage && other.routes == api.routes {
      lines.append("  \(self.address(of: other))  the same routes")
    }
    let origins = api.allowedOrigins.joined(separator: ", ")
    if !origins.isEmpty {
      let isParameter = template.parameters.containsText("AllowedOrigin")
      let hint = isParameter ? "; --parameter AllowedOrigin=ORIGIN allows another" : ""
      lines.append("  \(address)  CORS: allowed origins \(origins)\(hint)")
    }
    return lines
  }

  private func guardText(of route: GatewayRoute, in api: GatewayAPI) -> String {
    isOfClients(route, in: api) && route.access.isOpen ? "connected clients" : api.guardText(of: route)
  }

  /// Whether only clients that $connect has let in can use the route.
  private func isOfClients(_ route: GatewayRoute, in api: GatewayAPI) -> Bool {
    if case .webSocket = api.kind { route.match != .connect } else { false }
  }

  private func address(of api: GatewayAPI) -> String {
    "\(base)/\(api.name)\(api.stage.isInPath ? "/" + api.stage.name : "")"
  }
}
