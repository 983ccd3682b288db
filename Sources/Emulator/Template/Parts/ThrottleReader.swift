/// A reader for throttles, of usage plans and of stages.
///
/// A limit that cannot be read is left out with a note: it decides how often clients get in, not who.
struct ThrottleReader {
  private let report: TemplateReport

  init(_ report: TemplateReport) { self.report = report }

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
          + "(--assume missing-throttle-limit=none: no limit)",
        cure: "write both limits")
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
      report.note(value.line, path, "is no list: its limits are not emulated")
      return throttles
    }
    for value in list {
      let part = report.part()
      defer { noteUnread(part) }
      guard var setting = PropertyReader(value, at: path, part) else { continue }
      noteCache(&setting)
      let method = setting.text("HttpMethod") ?? "*"
      let resource = Self.path(setting.text("ResourcePath") ?? "/*")
      guard let limit = limit(&setting) else { continue }
      if method == "*", resource == "/*" {
        throttles.standard = limit
      } else {
        throttles.own["\(method.uppercased()) \(resource)"] = limit
      }
    }
    return throttles
  }

  /// Reads `DefaultRouteSettings` and `RouteSettings` of a stage of an HTTP API.
  func routeSettings(_ properties: inout PropertyReader) -> GatewayAPI.Stage.Throttles {
    var throttles = GatewayAPI.Stage.Throttles()
    let standard = properties.path(of: "DefaultRouteSettings")
    if let value = properties.take("DefaultRouteSettings") { throttles.standard = limit(in: value, standard) }
    let path = properties.path(of: "RouteSettings")
    for member in properties.take("RouteSettings")?.members ?? [] {
      throttles.own[member.name] = limit(in: member.value, path + "." + member.name)
    }
    return throttles
  }

  /// Reads the limit among other settings, which change no decision.
  func limit(in value: TemplateValue, _ path: String) -> UsagePlan.Throttle? {
    let part = report.part()
    guard var settings = PropertyReader(value, at: path, part) else {
      noteUnread(part)
      return nil
    }
    let limit = limit(&settings)
    noteUnread(part)
    return limit
  }

  /// A path as CloudFormation writes it: `/~1pets~1{id}`, and `/` for the root.
  private static func path(_ text: String) -> String {
    let decoded = text.replacing("~1", with: "/")
    return decoded.hasPrefix("//") ? String(decoded.dropFirst()) : decoded
  }

  private func noteCache(_ setting: inout PropertyReader) {
    if setting.peek("CachingEnabled")?.lowercased() == "true" {
      setting.note("is not emulated: every request reaches the integration", "CachingEnabled")
    }
  }

  private func noteUnread(_ part: TemplateReport) {
    for finding in part.findings {
      report.note(
        finding.line, finding.path, finding.problem + ": the limit is not emulated", cure: finding.cure)
    }
  }
}
