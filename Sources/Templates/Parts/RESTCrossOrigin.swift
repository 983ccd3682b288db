internal import GatewayModel
internal import Text

/// `Cors` of a REST API, from which SAM creates an `OPTIONS` method for each path.
struct RESTCrossOrigin {
  /// What is wrong with the values, which matters only if a path gets the method.
  private let values: Diagnostics
  private let headers: [(name: String, value: ParameterValue)]
  private static let methods = "Access-Control-Allow-Methods"

  /// Returns `nil` if the API has none.
  ///
  /// - Parameter allowsCredentials: whether `AllowCredentials` is the literal `true`; anything else is false for SAM.
  init?(_ properties: inout PropertyReader, allowsCredentials: Bool, _ report: Diagnostics) {
    guard let value = properties.take("Cors") else { return nil }
    let path = properties.path(of: "Cors")
    values = report.part()
    if let origin = value.text {
      headers =
        Self.value(origin, line: value.line, path, values).map { [("Access-Control-Allow-Origin", $0)] } ?? []
      return
    }
    guard let all = PropertyReader(value, at: path, report) else { return nil }
    var cors = all.reporting(to: values)
    var headers: [(String, ParameterValue)] = []
    for (member, name) in [
      ("AllowHeaders", "Access-Control-Allow-Headers"), ("AllowMethods", Self.methods),
      ("AllowOrigin", "Access-Control-Allow-Origin"), ("MaxAge", "Access-Control-Max-Age"),
    ] {
      let text = cors.text(member) ?? (member == "AllowOrigin" ? "'*'" : "")
      guard !text.isEmpty, let value = Self.value(text, line: value.line, cors.path(of: member), values)
      else { continue }
      headers.append((name, value))
    }
    cors.readCredentials(ofSAM: allowsCredentials)
    if allowsCredentials { headers.append(("Access-Control-Allow-Credentials", .literal("true"))) }
    var others = cors.reporting(to: report)
    others.finish()
    if headers.contains(where: { $0.0 == "Access-Control-Allow-Credentials" }),
      !headers.contains(where: { $0.0 == "Access-Control-Allow-Origin" && $0.1 != .literal("*") })
    {
      report.refuse(
        value.line, cors.path, "allows credentials for every origin, which SAM and browsers refuse",
        cure: "write the origin, or remove AllowCredentials")
    }
    self.headers = headers
  }

  /// Reads a mapping expression. API Gateway refuses a text without apostrophes.
  private static func value(
    _ text: String, line: Int, _ path: String, _ report: Diagnostics
  ) -> ParameterValue? {
    if let value = ParameterValue(text) { return value }
    report.refuse(line, path, "must be in apostrophes", cure: #"write "'\#(text)'""#)
    return nil
  }

  /// Returns the headers with the methods of a path, which SAM adds if the template has none.
  ///
  /// - Parameter methods: the methods of the path; `nil` is any.
  private func headers(of methods: [String?]) -> [GatewayResponseChange.Parameter] {
    var headers = headers
    if !headers.contains(where: { $0.name == Self.methods }) {
      var names: Set<String> = ["OPTIONS"]
      for method in methods {
        names.formUnion(method.map { [$0] } ?? ["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"])
      }
      headers.append((Self.methods, .literal(names.sorted().joined(separator: ","))))
    }
    return headers.map { .init(name: $0.name, value: $0.value) }
  }

  /// Returns an `OPTIONS` route for each path that has none, and reports values that API Gateway refuses there.
  func routes(
    beside routes: [GatewayRoute], _ access: RouteAccess, needsAPIKey: Bool, _ report: Diagnostics
  ) -> [GatewayRoute] {
    var patterns: [PathPattern] = []
    var methods: [ByteString: [String?]] = [:]
    for case .path(let method, let pattern) in routes.map(\.match) {
      let key = ByteString(pattern.text)
      if methods[key] == nil { patterns.append(pattern) }
      methods[key, default: []].append(method)
    }
    patterns.removeAll { methods[ByteString($0.text)]?.contains { $0 == "OPTIONS" } == true }
    if !patterns.isEmpty { report.refuse(values.findings) }
    return patterns.map { pattern in
      let methods = methods[ByteString(pattern.text)] ?? []
      return GatewayRoute(
        match: .path(method: "OPTIONS", pattern), access: access, needsAPIKey: needsAPIKey,
        integration: .mapped(MappedIntegration.mock(headers: headers(of: methods))))
    }
  }
}
