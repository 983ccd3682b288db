internal import Text
internal import GatewayModel

/// A reader for custom domain names and their mappings, in SAM (`Domain` of an API) and plain CloudFormation.
///
/// A problem closes the domain or the mapping, never an API: its own address still answers.
struct DomainReader {
  private let reader: TemplateReader
  private let apis: [GatewayAPI]
  private let closedAPIs: [ClosedAPI]
  private var found: [Domain] = []

  private struct Domain {
    /// The name of its resource; `nil` for a domain of SAM, which has none in the template.
    let resource: String?
    let name: String
    var closure: Diagnostic?
    var certificateFinding: Diagnostic?
    var mappings: [GatewayDomain.Mapping] = []
  }

  /// - Parameters:
  ///   - apis: the served APIs.
  ///   - closedAPIs: the others.
  init(_ reader: TemplateReader, apis: [GatewayAPI], closedAPIs: [ClosedAPI]) {
    self.reader = reader
    self.apis = apis
    self.closedAPIs = closedAPIs
  }

  /// The types that say something about domains.
  static let types: Set<String> = [
    "AWS::ApiGateway::DomainName", "AWS::ApiGatewayV2::DomainName", "AWS::ApiGateway::BasePathMapping",
    "AWS::ApiGatewayV2::ApiMapping",
  ]

  mutating func domains() -> [GatewayDomain] {
    for resource in reader.resources where resource.type.hasByteSuffix("::DomainName") {
      readDomain(resource)
    }
    for resource in reader.resources {
      switch resource.type {
      case "AWS::Serverless::Api", "AWS::Serverless::HttpApi": readServerless(resource)
      case "AWS::ApiGateway::BasePathMapping": readMapping(resource, "RestApiId", "BasePath")
      case "AWS::ApiGatewayV2::ApiMapping": readMapping(resource, "ApiId", "ApiMappingKey")
      default: continue
      }
    }
    return found.filter { $0.closure != nil || !$0.mappings.isEmpty }.map {
      GatewayDomain(
        name: $0.name, mappings: $0.mappings, closure: $0.closure, certificateFinding: $0.certificateFinding)
    }
  }

  // MARK: Domains

  private mutating func readDomain(_ resource: TemplateReader.ResolvedResource) {
    let report = reader.report.part()
    guard var properties = PropertyReader(resource.properties, at: resource.path, report),
      let name = name(&properties, report)
    else { return noteUnread(report) }
    found.append(
      Domain(
        resource: resource.name, name: name, closure: closure(properties, "DomainNameConfigurations"),
        certificateFinding: certificateFinding(properties)))
  }

  /// Reads `Domain` of an API of SAM, which makes the domain and its mappings.
  private mutating func readServerless(_ resource: TemplateReader.ResolvedResource) {
    guard let value = resource.properties["Domain"] else { return }
    let report = reader.report.part()
    guard var properties = PropertyReader(value, at: resource.path + ".Domain", report),
      let name = name(&properties, report)
    else { return noteUnread(report) }
    var keys = properties.texts("BasePath") ?? []
    // Without `NormalizeBasePath: false` SAM keeps only letters and digits.
    if properties.boolean("NormalizeBasePath") ?? true {
      keys = keys.map { $0.filter { $0.isLetter || $0.isNumber } }
    }
    let closure = closure(properties, nil) ?? report.findings.first
    let stage = apis.first { $0.name == resource.name }?.stage.name
    let target = target(
      api: TemplateNames.apiIdentifier(resource.name), stage: stage, line: value.line, path: properties.path)
    add(
      (keys.isEmpty ? [""] : keys).map { GatewayDomain.Mapping(basePath: Self.bare($0), target: target) },
      to: name, resource: nil, closure, certificateFinding: certificateFinding(properties))
  }

  private func name(_ properties: inout PropertyReader, _ report: Diagnostics) -> String? {
    guard let name = properties.requiredText("DomainName", cure: "write DomainName: api.example.com") else {
      return nil
    }
    let lower = name.lowercased()
    let host = lower.hasBytePrefix("*.") ? String(lower.dropFirst(bytes: 2)) : lower
    guard LoopbackHost.name(of: host) == host, !LoopbackHost.isLoopback(host) else {
      properties.refuse(
        member: "DomainName", "is not the name of a domain: \(name)", cure: "write api.example.com")
      return nil
    }
    return lower
  }

  /// Returns why nothing can be said about the callers of a domain: a client certificate or a rule decides.
  ///
  /// - Parameter configurations: the property with the endpoints, as a list.
  private func closure(_ all: PropertyReader, _ configurations: String?) -> Diagnostic? {
    var properties = all
    func finding(
      _ name: String, _ problem: String,
      cure: String = "send requests to the API's own address, or test the domain on AWS"
    ) -> Diagnostic {
      Diagnostic(line: all.line(of: name), path: all.path(of: name), problem: problem, cure: cure)
    }
    if properties.take("Policy") != nil {
      return finding("Policy", "is a policy of the domain, which serve does not evaluate")
    }
    if let mode = properties.take("RoutingMode"), mode.text != "API_MAPPING_ONLY" {
      return finding("RoutingMode", "uses routing rules, which serve does not know")
    }
    let endpoint = properties.take("EndpointConfiguration")
    let types = endpoint?["Types"]?.elements.compactMap(\.text) ?? [endpoint?.text].compactMap(\.self)
    if types.containsText("PRIVATE") {
      return finding("EndpointConfiguration", "is reachable from a VPC only")
    }
    if let settings = properties.take("MutualTlsAuthentication"), !Self.namesTruststore(settings) {
      return finding(
        "MutualTlsAuthentication", "has no TruststoreUri, so it does not say which clients it admits",
        cure: "write TruststoreUri: s3://BUCKET/KEY, or remove MutualTlsAuthentication")
    }
    return nil
  }

  /// Returns why a domain with mutual TLS is closed where the server asks for no certificates.
  private func certificateFinding(_ all: PropertyReader) -> Diagnostic? {
    var properties = all
    guard let settings = properties.take("MutualTlsAuthentication"), Self.namesTruststore(settings) else {
      return nil
    }
    return Diagnostic(
      line: all.line(of: "MutualTlsAuthentication"), path: all.path(of: "MutualTlsAuthentication"),
      problem: "asks for a client certificate",
      cure: "make serve TLS=1 ARGS='--client-ca FILE' asks for one that an authority of the file has signed")
  }

  /// Whether the settings name a trust store in S3, or one that only AWS knows.
  private static func namesTruststore(_ settings: TemplateValue) -> Bool {
    switch settings["TruststoreUri"]?.content {
    case .text(let address): address.hasBytePrefix("s3://")
    case .unknown: true
    case .list, .map, .null, nil: false
    }
  }

  // MARK: Mappings

  private mutating func readMapping(
    _ resource: TemplateReader.ResolvedResource, _ apiProperty: String, _ keyProperty: String
  ) {
    let report = reader.report.part()
    guard var properties = PropertyReader(resource.properties, at: resource.path, report),
      let domain = properties.requiredText("DomainName", cure: "write DomainName: !Ref DOMAIN")
    else { return noteUnread(report) }
    let key = properties.text(keyProperty) ?? ""
    let api = properties.text(apiProperty)
    let stage = properties.text("Stage")
    let own = found.first { $0.resource == domain || $0.resource == nil && $0.name == domain.lowercased() }
    let name = own?.name ?? domain.lowercased()
    guard own != nil || LoopbackHost.name(of: name) == name && !LoopbackHost.isLoopback(name) else { return }
    let target =
      report.findings.first.map { .closed($0) }
      ?? self.target(api: api ?? "", stage: stage, line: resource.line, path: resource.path)
    add(
      [GatewayDomain.Mapping(basePath: Self.bare(key), target: target)], to: name, resource: own?.resource,
      nil)
  }

  private mutating func add(
    _ mappings: [GatewayDomain.Mapping], to name: String, resource: String?, _ closure: Diagnostic?,
    certificateFinding: Diagnostic? = nil
  ) {
    if !found.contains(where: { $0.name == name }) { found.append(Domain(resource: resource, name: name)) }
    for index in found.indices where found[index].name == name {
      found[index].closure = found[index].closure ?? closure
      found[index].certificateFinding = found[index].certificateFinding ?? certificateFinding
      for mapping in mappings {
        if let place = found[index].mappings.firstIndex(where: { $0.basePath == mapping.basePath }) {
          if found[index].mappings[place] == mapping { continue }
          let finding = Diagnostic(
            line: 1, path: name, problem: "maps the base path /\(mapping.basePath) twice",
            cure: "write one of the mappings")
          found[index].mappings[place] = GatewayDomain.Mapping(
            basePath: mapping.basePath, target: .closed(finding))
        } else {
          found[index].mappings.append(mapping)
        }
      }
    }
  }

  private func target(api: String, stage: String?, line: Int, path: String) -> GatewayDomain.Target {
    let stages = apis.filter { $0.identifier == api }
    if let stage, stages.contains(where: { $0.stage.name == self.stage(stage) }) {
      return .stage(api: stages[0].name, stage: self.stage(stage))
    }
    if stage == nil, let api = stages.first { return .api(api.name) }
    let closed = closedAPIs.first { TemplateNames.apiIdentifier($0.name) == api }?.findings.first
    return .closed(
      closed
        ?? Diagnostic(
          line: line, path: path, problem: "maps to no stage that is served here",
          cure: "write the API and the stage of this template"))
  }

  /// The name of a stage; `!Ref` of a stage gives the name of its resource here.
  private func stage(_ text: String) -> String {
    let resource = reader.resources.first { $0.type.hasByteSuffix("::Stage") && $0.name == text }
    if let name = resource?.properties["StageName"]?.text { return name }
    // `API.Stage` is the stage of an API of SAM.
    if text.hasByteSuffix(".Stage"), let api = apis.first(where: { $0.name + ".Stage" == text }) {
      return api.stage.name
    }
    return text
  }

  private static func bare(_ key: String) -> String {
    key == "(none)" ? "" : key.splitBytes(at: "/").joined(separator: "/")
  }

  /// A domain whose name is not known is not served: a note.
  private func noteUnread(_ report: Diagnostics) {
    for finding in report.findings {
      reader.report.note(
        finding.line, finding.path, "the custom domain is not served: \(finding.problem)", cure: finding.cure)
    }
  }
}

extension GatewayDomain {
  /// Returns the domain with the places of its findings in their files.
  func located(in sources: TemplateSources) -> GatewayDomain {
    GatewayDomain(
      name: name,
      mappings: mappings.map { mapping in
        guard case .closed(let finding) = mapping.target else { return mapping }
        return Mapping(basePath: mapping.basePath, target: .closed(sources.located(finding)))
      }, closure: closure.map(sources.located), certificateFinding: certificateFinding.map(sources.located))
  }
}
