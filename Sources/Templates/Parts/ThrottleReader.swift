internal import GatewayModel
internal import Text

/// A reader for throttles, of usage plans and of stages.
///
/// A limit of a stage that cannot be read lets no request pass, with a note: without it, more would pass than on AWS.
struct ThrottleReader {
  let report: Diagnostics

  /// The values of a burst: our limit, which no bucket of requests fills.
  private static let burstRequests = 0...1_000_000_000

  /// Reads a rate and a burst; `nil` if there is neither.
  func limit(
    _ properties: inout PropertyReader, rate: String = "ThrottlingRateLimit",
    burst: String = "ThrottlingBurstLimit"
  ) -> UsagePlan.Throttle? {
    let line = max(properties.line(of: rate), properties.line(of: burst))
    let known = properties.report.findings.count
    let tokens = properties.integer(burst, in: Self.burstRequests)
    let text = properties.text(rate)
    let perSecond = text.flatMap { Double($0) }.flatMap { $0 >= 0 && $0.isFinite ? $0 : nil }
    if text != nil, perSecond == nil {
      properties.report.refuse(
        line, properties.path(of: rate), "must be a number", cure: "write requests per second")
    }
    guard perSecond != nil || tokens != nil, properties.report.findings.count == known else { return nil }
    if perSecond == nil || tokens == nil {
      report.note(
        line, properties.path(of: perSecond == nil ? rate : burst),
        "is missing: if API Gateway takes 0 for it, every request is a 429 "
          + "(--assume missing-throttle-limit=none: no limit)", cure: "write both limits")
    }
    return UsagePlan.Throttle(rate: perSecond, burst: tokens)
  }

  // MARK: Stages

  /// Reads `MethodSettings` of a stage of a REST API.
  func methodSettings(_ properties: inout PropertyReader) -> GatewayAPI.Stage.Throttles {
    var throttles = GatewayAPI.Stage.Throttles()
    let path = properties.path(of: "MethodSettings")
    guard let value = properties.take("MethodSettings") else { return throttles }
    guard let list = value.list else {
      let part = report.part()
      part.refuse(value, path, "must be a list", cure: "write - HttpMethod: GET and so on")
      noteUnread(part, path)
      throttles.standard = .unreadable
      return throttles
    }
    for (index, value) in list.enumerated() {
      let part = report.part()
      let path = "\(path)[\(index)]"
      let entry = PropertyReader(value, at: path, part).flatMap { methodLimit($0, part) }
      if !part.findings.isEmpty {
        // It may be for every method.
        noteUnread(part, path)
        throttles.standard = .unreadable
        throttles.own = throttles.own.mapValues { _ in .unreadable }
        return throttles
      }
      guard let (key, limit) = entry else { continue }
      if key == "* /*" { throttles.standard = limit } else { throttles.own[key] = limit }
    }
    return throttles
  }

  /// Returns the limit of an element of `MethodSettings`, with its method and path; `nil` if it has no limit.
  private func methodLimit(
    _ properties: PropertyReader, _ part: Diagnostics
  ) -> (key: String, limit: UsagePlan.Throttle)? {
    var setting = properties
    noteCache(&setting)
    let method = (setting.text("HttpMethod") ?? "*").uppercased()
    let resource = Self.path(setting.text("ResourcePath") ?? "/*")
    if method != "*", !GatewayRoute.methods.contains(method) {
      setting.refuse(member: "HttpMethod", "is not a method: \(method)", cure: "write GET or \"*\"")
    }
    if !resource.hasBytePrefix("/") {
      setting.refuse(member: "ResourcePath", "is not a path: \(resource)", cure: "write /pets or \"/*\"")
    }
    let limit = limit(&setting)
    passOthers(&setting)
    return limit.map { ("\(method) \(resource)", $0) }
  }

  /// Skips the settings that limit nothing ("MethodSetting", "RouteSettings").
  private func passOthers(_ setting: inout PropertyReader) {
    setting.pass(
      over: "CachingEnabled", "CacheDataEncrypted", "CacheTtlInSeconds", "DataTraceEnabled", "LoggingLevel",
      "MetricsEnabled", "DetailedMetricsEnabled")
    setting.finish(cure: "check the spelling")
  }

  /// Reads `DefaultRouteSettings` and `RouteSettings` of a stage of an HTTP API.
  func routeSettings(_ properties: inout PropertyReader) -> GatewayAPI.Stage.Throttles {
    var throttles = GatewayAPI.Stage.Throttles()
    let standard = properties.path(of: "DefaultRouteSettings")
    if let value = properties.take("DefaultRouteSettings") { throttles.standard = limit(in: value, standard) }
    let path = properties.path(of: "RouteSettings")
    guard let value = properties.take("RouteSettings") else { return throttles }
    guard let members = value.members else {
      let part = report.part()
      part.refuse(value, path, "must be a map", cure: "write lines of ROUTE KEY: below it")
      noteUnread(part, path)
      throttles.standard = .unreadable
      return throttles
    }
    for member in members { throttles.own[member.name] = limit(in: member.value, path + "." + member.name) }
    return throttles
  }

  /// Reads the limit among other settings, which change no decision.
  func limit(in value: TemplateValue, _ path: String) -> UsagePlan.Throttle? {
    let part = report.part()
    var limit: UsagePlan.Throttle?
    if var settings = PropertyReader(value, at: path, part) {
      limit = self.limit(&settings)
      passOthers(&settings)
    }
    if part.findings.isEmpty { return limit }
    noteUnread(part, path)
    return .unreadable
  }

  /// A path as CloudFormation writes it: `/~1pets~1{id}`, and `/` for the root.
  private static func path(_ text: String) -> String {
    let decoded = text.replacingBytes(of: "~1", with: "/")
    return decoded.hasBytePrefix("//") ? String(decoded.dropFirst(bytes: 1)) : decoded
  }

  /// Adds a note for the limits of messages of a WebSocket API; that of `$connect` is emulated.
  static func noteMessages(_ properties: inout PropertyReader) {
    for name in ["DefaultRouteSettings", "RouteSettings"] where properties.has(name) {
      properties.report.note(
        properties.line(of: name), properties.path(of: name),
        "limits $connect only: limits of messages are not emulated")
    }
  }

  private func noteCache(_ setting: inout PropertyReader) {
    if setting.peek("CachingEnabled")?.lowercased() == "true" {
      setting.note("is not emulated: every request reaches the integration", "CachingEnabled")
    }
  }

  /// Notes a limit that cannot be read.
  private func noteUnread(_ part: Diagnostics, _ path: String) {
    for finding in part.findings {
      report.note(
        finding.line, finding.path, finding.problem + ": every request that \(path) may limit is a 429",
        cure: finding.cure)
    }
  }
}

extension GatewayAPI.Stage.Throttles {
  /// Reports a limit of a route that an HTTP or WebSocket API does not have: API Gateway finds no route for it and refuses
  /// the stage.
  func reportUnknown(_ routes: [GatewayRoute], line: Int, path: String, _ report: Diagnostics) {
    let keys = Set(routes.map { ByteString($0.key) })
    for key in own.keys.sorted() where !keys.contains(ByteString(key)) {
      report.refuse(
        line, path + ".RouteSettings", "limits a route that the API does not have: \(key)",
        cure: "write the route key as at the route")
    }
  }
}
