internal import Text
internal import GatewayModel

/// The kinds of endpoints of a REST API.
enum EndpointType: String, CaseIterable {
  case regional = "REGIONAL", edge = "EDGE", `private` = "PRIVATE"
}

extension PropertyReader {
  /// Reads a list of kinds of endpoints. Returns whether only VPC endpoints reach the API.
  mutating func isPrivate(_ name: String) -> Bool {
    let line = line(of: name)
    let types = texts(name) ?? []
    for type in types where EndpointType(rawValue: type) == nil {
      report.refuse(line, path(of: name), "is not known: \(type)", cure: "write REGIONAL, EDGE or PRIVATE")
    }
    return types.contains(EndpointType.private.rawValue)
  }
}

/// A reader for one `AWS::ApiGateway::RestApi` and the resources that refer to it.
///
/// Its routes are those of the OpenAPI document in `Body`, and the methods that are resources of their own.
struct APIGatewayV1Reader: ResourceReader {
  let resource: TemplateReader.ResolvedResource
  let reader: TemplateReader
  let report: Diagnostics

  /// The options of an import that change neither paths nor callers ("ImportRestApi": parameters).
  private static let harmlessParameters: Set = [
    "basepath=ignore", "endpointConfigurationTypes=REGIONAL", "endpointConfigurationTypes=EDGE",
    "ignore=documentation",
  ]

  /// Returns the API, once for each stage.
  func apis() -> [GatewayAPI] {
    guard var properties = properties else { return [] }
    properties.pass(
      over: "Name", "Description", "Tags", "FailOnWarnings", "Mode", "SecurityPolicy",
      "MinimumCompressionSize", "EndpointAccessMode")
    properties.refuse("CloneFrom", cure: "write the API that is cloned")
    let isPrivate = readEndpoint(&properties)
    for (name, text, line) in properties.textMap("Parameters")
    where !Self.harmlessParameters.containsText("\(name)=\(text)") {
      report.refuse(
        line, properties.path(of: "Parameters"), "is not emulated: \(name)=\(text)",
        cure: "write the paths and the kind of endpoint in the template itself")
    }
    let document = OpenAPIReader(api: self, isREST: true).document(
      &properties, body: "Body", location: "BodyS3Location")
    let media = mediaTypes(&properties, document)
    var access = access(&properties, document, beside: "x-amazon-apigateway-policy")
    if isPrivate { access.isPrivate = true }
    properties.finish()
    var auth = APIAuth()
    auth.add(document)
    var register = RouteRegister(report, isREST: true)
    var routes = (document?.routes(auth.schemes, report) ?? []).map { route in
      register.enter(route.match, line: route.line, path: route.path)
      return auth.route(route)
    }
    routes += methods(&register)
    if routes.isEmpty, report.findings.isEmpty {
      refuse("has no methods", cure: "write an AWS::ApiGateway::Method, or Body")
    }
    var responses = document?.responses ?? GatewayResponses()
    for (resource, properties) in owned("AWS::ApiGateway::GatewayResponse") {
      GatewayResponsesReader(report: report).plain(properties, resource.line, into: &responses)
    }
    let stages = stages()
    if stages.isEmpty, report.findings.isEmpty {
      refuse("has no stage", cure: "write an AWS::ApiGateway::Stage")
    }
    return stages.map {
      GatewayAPI(
        name: resource.name, identifier: identifier, kind: .rest(responses), stage: $0, routes: routes,
        access: access, binaryMediaTypes: media)
    }
  }

  /// Returns whether only VPC endpoints reach the API.
  private func readEndpoint(_ properties: inout PropertyReader) -> Bool {
    guard var endpoint = properties.reader("EndpointConfiguration") else { return false }
    let isPrivate = endpoint.isPrivate("Types")
    endpoint.pass(over: "IpAddressType", "VpcEndpointIds")
    endpoint.finish()
    return isPrivate
  }

  /// The stages: resources of their own, and those that a deployment makes.
  private func stages() -> [GatewayAPI.Stage] {
    var stages: [GatewayAPI.Stage] = []
    for (_, all) in owned("AWS::ApiGateway::Stage") {
      var properties = all
      properties.pass(
        over: "DeploymentId", "Description", "Tags", "DocumentationVersion", "AccessLogSetting",
        "TracingEnabled", "ClientCertificateId", "CacheClusterEnabled", "CacheClusterSize")
      let throttles = ThrottleReader(report: report).methodSettings(&properties)
      properties.refuse("CanarySetting", cure: Self.canaryCure)
      let name = properties.requiredText("StageName", cure: "write StageName: prod")
      let variables = properties.dictionary("Variables")
      properties.finish()
      if let name { stages.append(GatewayAPI.Stage(name: name, variables: variables, throttles: throttles)) }
    }
    for (_, all) in owned("AWS::ApiGateway::Deployment") {
      var properties = all
      properties.pass(over: "Description")
      properties.refuse("DeploymentCanarySettings", cure: Self.canaryCure)
      let name = properties.text("StageName")
      var description = properties.reader("StageDescription")
      properties.finish()
      let variables = description?.dictionary("Variables") ?? [:]
      var throttles = GatewayAPI.Stage.Throttles()
      if var settings = description { throttles = self.throttles(&settings) }
      guard let name else { continue }
      if !stages.contains(where: { $0.name == name }) {
        stages.append(GatewayAPI.Stage(name: name, variables: variables, throttles: throttles))
      }
    }
    return stages
  }

  private static let canaryCure = "remove it: a canary may have other routes and variables"

  /// Reads the limits of `StageDescription`, and its other properties.
  private func throttles(_ description: inout PropertyReader) -> GatewayAPI.Stage.Throttles {
    var throttles = ThrottleReader(report: report).methodSettings(&description)
    let ofAll = ThrottleReader(report: report).limit(&description)
    throttles.standard = throttles.standard ?? ofAll
    description.pass(
      over: "Description", "Tags", "DocumentationVersion", "AccessLogSetting", "TracingEnabled",
      "ClientCertificateId", "CacheClusterEnabled", "CacheClusterSize", "CacheDataEncrypted",
      "CacheTtlInSeconds", "CachingEnabled", "DataTraceEnabled", "LoggingLevel", "MetricsEnabled")
    description.refuse("CanarySetting", cure: Self.canaryCure)
    description.finish()
    return throttles
  }

  func owned(_ type: String) -> [(TemplateReader.ResolvedResource, PropertyReader)] {
    owned(type, by: "RestApiId")
  }

  /// Reports the parts of an API whose API is not known: without one of its methods, another would get its requests.
  /// Parts of an API elsewhere are noted; methods beside an API of SAM close that API.
  static func reportUnclaimed(_ reader: TemplateReader, _ events: inout FunctionEvents) {
    func identifiers(_ type: String) -> [String: String] {
      Dictionary(
        uniqueKeysWithValues: reader.resources.filter { $0.type == type }.map {
          (TemplateNames.apiIdentifier($0.name), $0.name)
        })
    }
    let (plain, serverless) = (identifiers("AWS::ApiGateway::RestApi"), identifiers("AWS::Serverless::Api"))
    for resource in reader.resources where partTypes.contains(resource.type) {
      let value = resource.properties["RestApiId"]
      let path = resource.path + ".RestApiId"
      let part = reader.report.part()
      guard let text = value?.text, TemplateNames.isAPIIdentifier(text) else {
        let named = value?.text ?? ""
        part.refuse(
          value ?? resource.properties, path,
          "belongs to no API of this template\(named.isEmpty ? "" : ": \(named) is no ID of an API")",
          cure: "write RestApiId: !Ref \(reader.names.isResource(named) ? named : "API")")
        events.close(nil, part.findings)
        continue
      }
      if plain[text] != nil { continue }
      if let api = serverless[text] {
        if ["AWS::ApiGateway::Authorizer", "AWS::ApiGateway::Deployment"].contains(resource.type) {
          continue
        }
        events.close(
          text,
          [
            Diagnostic(
              line: resource.line, path: path,
              problem: "changes \(api), an API of SAM, which is not emulated",
              cure: "write the route as an event of a function")
          ])
      } else {
        reader.report.note(
          resource.line, path, "belongs to no API of this template and is not served",
          cure: "write RestApiId: !Ref API")
      }
    }
  }

  private static let partTypes: Set<String> = [
    "AWS::ApiGateway::Resource", "AWS::ApiGateway::Method", "AWS::ApiGateway::Authorizer",
    "AWS::ApiGateway::Stage", "AWS::ApiGateway::Deployment", "AWS::ApiGateway::GatewayResponse",
  ]
}
