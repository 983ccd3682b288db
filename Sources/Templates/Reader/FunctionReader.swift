internal import GatewayModel
internal import Text

/// A reader for `AWS::Serverless::Function` and `AWS::Lambda::Function`.
struct FunctionReader: ResourceReader {
  let resource: TemplateReader.ResolvedResource
  let reader: TemplateReader
  let report: Diagnostics

  func read(_ events: inout FunctionEvents) -> TemplateFunction {
    var function = function(&events) ?? TemplateFunction(name: resource.name)
    function.findings = report.findings
    return function
  }

  private func function(_ events: inout FunctionEvents) -> TemplateFunction? {
    // What hides the events of a function concerns every API: another route would get the requests.
    let hidden = report.part()
    defer { events.close(nil, hidden.findings) }
    guard let all = PropertyReader(resource.properties, at: resource.path, hidden) else {
      report.refuse(hidden.findings)
      return nil
    }
    var properties = all.reporting(to: report)
    properties.pass(
      over: "Description", "Tags", "PropagateTags", "FunctionName", "Role", "RolePath",
      "AssumeRolePolicyDocument", "Policies", "PermissionsBoundary", "Tracing", "ImageConfig",
      "EphemeralStorage", "CodeSigningConfigArn", "AutoPublishAlias", "AutoPublishCodeSha256",
      "AutoPublishAliasAllProperties", "VersionDescription", "VersionDeletionPolicy",
      "PublishToLatestPublished", "DeploymentPreference", "RuntimeManagementConfig", "SnapStart", "KmsKeyArn",
      "SourceKMSKeyArn", "RecursiveLoop", "TracingConfig", "DeadLetterConfig")
    properties.note(
      "is not emulated", "ReservedConcurrentExecutions", "ProvisionedConcurrencyConfig", "VpcConfig",
      "DeadLetterQueue", "FileSystemConfigs", "EventInvokeConfig", "FunctionUrlConfig",
      "CapacityProviderConfig", "FunctionScalingConfig", "DurableConfig")
    let isTenantIsolated = isTenantIsolated(&properties)
    let timeout =
      properties.integer("Timeout", in: TemplateFunction.timeoutSeconds)
      ?? TemplateFunction.defaultTimeoutSeconds
    let architectures = properties.texts("Architectures") ?? []
    let runtime = properties.text("Runtime")
    let code = properties.peek("CodeUri")
    var package = FunctionCode(taking: &properties, layers: reader.layers)
    if case .elsewhere = package.place, let source,
      let location = resource.properties["Code"] ?? resource.properties["CodeUri"],
      let place = reader.document.built.code(of: source, location)
    {
      package.place = place
    }
    let handler = properties.take("Handler")
    let variables = variables(&properties)
    var rest = properties.reporting(to: hidden)
    readEvents(&rest, &events)
    rest.finish()
    var function = TemplateFunction(name: resource.name, timeoutSeconds: timeout)
    function.variables = variables
    if let architecture = architectures.first { function.architecture = architecture }
    (function.runtime, function.code, function.buildMethod) = (runtime, code, resource.buildMethod)
    function.handler = handler?.text
    function.hasUnknownHandler = handler?.finding != nil
    function.package = package
    function.isTenantIsolated = isTenantIsolated
    return function
  }

  /// Reads `TenancyConfig`, which has one mode.
  private func isTenantIsolated(_ properties: inout PropertyReader) -> Bool {
    guard properties.has("TenancyConfig") else { return false }
    if var tenancy = properties.reader("TenancyConfig") {
      if tenancy.word("TenantIsolationMode", among: ["PER_TENANT"]) == nil, report.findings.isEmpty {
        tenancy.refuse(member: "TenantIsolationMode", "is missing", cure: "write PER_TENANT")
      }
      tenancy.finish()
    }
    return true
  }

  private func variables(_ properties: inout PropertyReader) -> [String: String] {
    var variables: [String: String] = [:]
    if var environment = properties.reader("Environment") {
      if var list = environment.reader("Variables") {
        for member in list.takeAll() {
          if let finding = member.value.finding {
            if finding.isGivable {
              report.note(
                member.value.line, list.path(of: member.name),
                "the function does not get this variable; "
                  + (ExternalValues.missingName(in: finding).map {
                    "--parameter \(ShellWord.assignment($0, "VALUE")) gives it a value"
                  }
                    ?? "\(finding.path) \(finding.problem)"),
                cure: finding.cure)
            } else {
              report.refuse(finding)
            }
          } else if let text = member.value.text {
            variables[member.name] = text
          } else {
            list.refuse(member, "must be a string, found \(member.value.kindName)", cure: "write one value")
          }
        }
      }
      environment.finish()
    }
    return variables
  }

  enum PayloadVersion: String, CaseIterable { case one = "1.0", two = "2.0" }
}
