internal import Text
internal import GatewayModel

/// A reader for API keys and usage plans, which refer to APIs of any kind of resource.
///
/// A key or a plan that cannot be read is left out with a note: without a plan no key lets a request pass.
struct UsagePlanReader {
  let reader: TemplateReader

  /// Adds the keys and plans of an API's stage. HTTP APIs have none ("Choose between REST APIs and HTTP APIs"); plans
  /// may name stages of WebSocket APIs (aws-cdk#35060).
  func add(to api: inout GatewayAPI) {
    if case .http = api.kind { return }
    api.access.keys += keys()
    api.access.plans += plans(of: api)
  }

  private func keys() -> [APIKey] {
    reader.resources.filter { $0.type == "AWS::ApiGateway::ApiKey" }.map { resource in
      // "Enabled": without it a key cannot be used.
      let isEnabled = resource.properties["Enabled"]?.text.map { $0.lowercased() == "true" } ?? false
      let value = resource.properties["Value"]?.text
      let hasLength = value.map { APIKey.valueBytes.contains($0.utf8.count) } ?? true
      if !hasLength {
        reader.report.note(
          resource.line, resource.path + ".Value",
          "has \(value?.utf8.count ?? 0) bytes, which API Gateway refuses: the key lets nothing pass",
          cure: "write \(APIKey.valueBytes.lowerBound) to \(APIKey.valueBytes.upperBound) bytes")
      }
      return APIKey(name: resource.name, value: value, isEnabled: isEnabled && hasLength)
    }
  }

  private func plans(of api: GatewayAPI) -> [UsagePlan] {
    reader.resources.filter { $0.type == "AWS::ApiGateway::UsagePlan" }.compactMap { resource in
      let stages = resource.properties["ApiStages"]?.list ?? []
      let own = stages.first {
        $0["ApiId"]?.text == api.identifier && $0["Stage"]?.text.map { isStage($0, of: api) } == true
      }
      guard let own else { return nil }
      let part = reader.report.part()
      let plan = plan(resource, own, part)
      if let finding = part.findings.first {
        reader.report.note(
          finding.line, finding.path, finding.problem + ": the plan is left out", cure: finding.cure)
        return nil
      }
      return plan
    }
  }

  /// Returns the plan for one of its stages.
  private func plan(
    _ resource: TemplateReader.ResolvedResource, _ stage: TemplateValue, _ part: Diagnostics
  ) -> UsagePlan? {
    guard var properties = PropertyReader(resource.properties, at: resource.path, part),
      var stage = PropertyReader(stage, at: resource.path + ".ApiStages", part)
    else { return nil }
    properties.pass(over: "ApiStages", "Description", "Tags", "UsagePlanName")
    stage.pass(over: "ApiId", "Stage")
    let throttle = Self.throttle(&properties)
    let quota = Self.quota(&properties)
    let methods = Self.methodThrottles(&stage)
    properties.finish()
    stage.finish()
    return UsagePlan(
      name: resource.name, keys: members(of: resource.name), throttle: throttle, quota: quota,
      methodThrottles: methods)
  }

  /// Whether a text is the name of the API's stage, or a reference to it.
  private func isStage(_ text: String, of api: GatewayAPI) -> Bool {
    if text == api.stage.name || text == api.name + ".Stage" { return true }
    let stage = reader.resources.first { $0.name == text && $0.type.hasByteSuffix("::Stage") }
    return stage?.properties["StageName"]?.text == api.stage.name
  }

  private func members(of plan: String) -> [String] {
    reader.resources.filter {
      $0.type == "AWS::ApiGateway::UsagePlanKey" && $0.properties["UsagePlanId"]?.text == plan
        && $0.properties["KeyType"]?.text == "API_KEY"
    }.compactMap { $0.properties["KeyId"]?.text }
  }

  /// Reads `Throttle` of a plan.
  static func throttle(_ plan: inout PropertyReader) -> UsagePlan.Throttle? {
    guard var properties = plan.reader("Throttle") else { return nil }
    return limit(&properties)
  }

  private static func limit(_ properties: inout PropertyReader) -> UsagePlan.Throttle? {
    let throttle = ThrottleReader(report: properties.report).limit(
      &properties, rate: "RateLimit", burst: "BurstLimit")
    properties.finish()
    return throttle
  }

  /// Reads the limits of single methods, by path and method.
  private static func methodThrottles(_ stage: inout PropertyReader) -> [String: UsagePlan.Throttle] {
    guard var properties = stage.reader("Throttle") else { return [:] }
    var throttles: [String: UsagePlan.Throttle] = [:]
    for member in properties.takeAll() {
      let path = properties.path(of: member.name)
      let method = member.name.splitBytes(at: "/").last.map(String.init) ?? ""
      if !member.name.hasBytePrefix("/") || method != "ANY" && !GatewayRoute.methods.contains(method) {
        properties.report.refuse(
          member.value.line, path, "is not a path and a method", cure: "write /pets/GET")
      }
      guard var settings = PropertyReader(member.value, at: path, properties.report) else { continue }
      throttles[member.name] = limit(&settings)
    }
    return throttles
  }

  /// Reads `Quota` of a plan.
  static func quota(_ plan: inout PropertyReader) -> UsagePlan.Quota? {
    guard var properties = plan.reader("Quota") else { return nil }
    let limit = properties.integer("Limit", in: 0...Int(Int32.max)) ?? 0
    let period = properties.word("Period", UsagePlan.Quota.Period.self) ?? .day
    let offset = properties.integer("Offset", in: 0...Int(Int32.max)) ?? 0
    properties.finish()
    return UsagePlan.Quota(limit: limit, period: period, offset: offset)
  }
}
