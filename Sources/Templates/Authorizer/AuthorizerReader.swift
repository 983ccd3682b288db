internal import GatewayModel
internal import Mapping
internal import Text

/// A reader for one authorizer: what the kinds of templates share. Its findings close only the routes that it guards.
struct AuthorizerReader {
  let reader: TemplateReader
  /// The API ID.
  let api: String
  var name: String
  let location: SourceLocation
  let report: Diagnostics

  /// No client, because of what was found.
  var closed: RouteAccess { .closed(report.findings) }

  /// Reports the authorizer, or a member of it.
  func refuse(_ member: String?, _ problem: String, cure: String) {
    report.refuse(location.line, location.path + (member.map { "." + $0 } ?? ""), problem, cure: cure)
  }

  /// A lifetime in seconds.
  func lifetime(_ properties: inout PropertyReader, _ name: String) -> Int? {
    properties.integer(name, in: 0...GatewayAuthorizer.maximumTimeToLiveSeconds)
  }

  /// Reads an identity validation expression; an empty one is none.
  func validation(_ text: String?, line: Int? = nil, at member: String) -> ValidationExpression? {
    guard let text, !text.isEmpty else { return nil }
    do throws(RegularExpression.Unknown) {
      return try ValidationExpression(text)
    } catch {
      report.refuse(
        line ?? location.line, location.path + "." + member,
        "is not a valid regular expression, or not one that serve supports: \(error.problem)",
        cure: "check brackets and parentheses, and write it without look-around and back references")
      return nil
    }
  }

  /// Reads identity sources in API Gateway's syntax, and reports others.
  ///
  /// - Parameter separator: what may be between two sources of one text.
  func sources(
    _ texts: [String]?, separator: Character? = nil, member: String, line: Int? = nil, cure: String
  )
    -> [IdentitySource]
  {
    let texts = texts ?? []
    let parts = separator == nil ? texts : texts.flatMap { $0.splitBytes(at: ",").map(\.trimmingBlanks) }
    return parts.compactMap { text in
      if let source = IdentitySource(expression: text) { return source }
      report.refuse(line ?? location.line, location.path + "." + member, "is not known: \(text)", cure: cure)
      return nil
    }
  }

  /// Who may call a route with a Lambda authorizer, after the checks that all kinds share.
  ///
  /// - Parameter mayCall: whether API Gateway may call the function without an explicit permission in the template.
  func lambda(
    _ address: ExternalFunctions.Address?, _ form: GatewayAuthorizer.Form, lifetime: Int, mayCall: Bool
  ) -> RouteAccess {
    let (line, path) = (location.line, location.path)
    if let address, let function = reader.authorizerFunction(address, line: line, path: path, report) {
      if !mayCall, !reader.permissions.letCall(function, authorizersOf: api) {
        if reader.externals.contains(function) {
          reader.externals.withoutPermission.insert(function)
        } else {
          report.noteUncallable(line, path, function)
        }
      }
      let authorizer = GatewayAuthorizer(
        name: name, function: function, form: form, timeToLiveSeconds: lifetime)
      if lifetime > 0, authorizer.identitySources.isEmpty {
        refuse(
          nil, "caches answers for \(lifetime) s, but has no identity source for the cache key",
          cure: "add an identity source, or set the TTL to 0")
      } else if report.findings.isEmpty {
        return .lambda(authorizer)
      }
    }
    return unread
  }

  /// No client, with a finding in any case.
  var unread: RouteAccess {
    if !report.findings.isEmpty { return closed }
    return .closed([Diagnostic(location, problem: "cannot be read", cure: "check its properties")])
  }

  /// Reports an issuer that no token of API Gateway's JWT authorizers has.
  ///
  /// - Parameter member: the path of the issuer.
  func check(issuer: String?, at member: String) {
    guard let issuer, !issuer.hasBytePrefix("https://") else { return }
    refuse(member, "is not an HTTPS URL", cure: "write https://…")
  }

  /// Who may call a route with a JWT authorizer.
  func jwt(issuer: String, audiences: [String], source: IdentitySource, scopes: [String] = []) -> RouteAccess
  {
    .token(
      TokenAuthorizer(name: name, kind: .jwt(issuer: issuer, audiences: audiences), source: source),
      scopes: scopes)
  }

  /// Who may call a route with an authorizer for user pools.
  func userPools(
    _ pools: [String], header: String, _ validation: ValidationExpression?, scopes: [String] = []
  ) -> RouteAccess {
    .token(
      TokenAuthorizer(name: name, kind: .userPools(pools), source: .header(header), validation: validation),
      scopes: scopes)
  }

  /// Whether a text is the ARN of a user pool, or the attribute of one in this template.
  func isUserPool(_ text: String) -> Bool {
    let parts = text.splitBytes(at: ":", omittingEmptySubsequences: false)
    if parts.count == 6, parts[0] == "arn", parts[2] == "cognito-idp", parts[5].hasBytePrefix("userpool/") {
      return true
    }
    return text.hasByteSuffix(".Arn")
      && reader.names.isResource(String(text.dropLast(bytes: ".Arn".utf8.count)))
  }
}

extension IdentitySource {
  /// Parses an identity source in API Gateway's syntax: `method.request.header.X` (REST API), `$request.header.X` (HTTP
  /// API), `route.request.header.X` (WebSocket), `$stageVariables.x`, `$context.x`. Returns `nil` for any other text.
  package init?(expression text: String) {
    let bare = text.rest(after: "$") ?? text[...]
    let prefixes: [(String, (String) -> IdentitySource)] = [
      ("request.header.", { .header($0) }), ("request.querystring.", { .query($0) }),
      ("method.request.header.", { .header($0) }), ("method.request.querystring.", { .query($0) }),
      ("route.request.header.", { .header($0) }), ("route.request.querystring.", { .query($0) }),
      ("stageVariables.", { .stageVariable($0) }), ("context.", { .context($0) }),
    ]
    for (prefix, make) in prefixes where bare.hasBytePrefix(prefix) {
      let name = String(bare.dropFirst(bytes: prefix.utf8.count))
      guard !name.isEmpty else { return nil }
      if prefix == "context.", !ContextVariables.names.contains(name) { return nil }
      self = make(name)
      return
    }
    return nil
  }
}
