internal import TestTokens

/// Looks at what a template says about a function itself: its handler, its memory, its variables.
struct TemplateFunctionInspection {
  private(set) var findings: [DeploymentFinding] = []
  private let function: TemplateSurvey.Resource
  /// Of the template, as far as it can be read.
  private let variables: [(name: String, text: String?)]

  /// - Parameter isUnderstood: whether what the template does not say is known too.
  init(_ function: TemplateSurvey.Resource, isUnderstood: Bool) {
    self.function = function
    variables = (function["Environment"]?["Variables"]?.members ?? []).map { ($0.name, $0.value.text) }
    inspectHandler(isUnderstood)
    inspectMemory()
    for variable in variables { inspect(variable.name, variable.text) }
  }

  private mutating func add(_ code: DeploymentFinding.Code, _ problem: String, cure: String) {
    findings.append(DeploymentFinding(code, function.name, problem, cure: cure))
  }

  /// `Handler` is required for a ZIP file (AWS::Lambda::Function); a runtime `provided` starts `bootstrap` whatever it says
  /// ("Building a custom runtime for AWS Lambda").
  private mutating func inspectHandler(_ isUnderstood: Bool) {
    let runtime = function["Runtime"]?.text ?? ""
    guard runtime.hasPrefix("provided") else { return }
    if !function.says("Handler") {
      guard isUnderstood, function.says("CodeUri") || function.says("Code") else { return }
      add(
        .handlerMissing, "no Handler: Lambda does not create the function", cure: "write Handler: bootstrap")
    } else if let handler = function["Handler"]?.text, handler != "bootstrap" {
      add(
        .handlerUnused, "Handler is \(handler), and \(runtime) starts the file bootstrap",
        cure: "write Handler: bootstrap")
    }
  }

  /// Lambda quotas, "Function memory allocation".
  private static let memoryMegabytes = 128...10_240

  private mutating func inspectMemory() {
    guard let text = function["MemorySize"]?.text, let megabytes = Int(text),
      !Self.memoryMegabytes.contains(megabytes)
    else { return }
    let range = Self.memoryMegabytes
    add(
      .memoryOutOfRange,
      "MemorySize is \(megabytes); Lambda has \(range.lowerBound) to \(range.upperBound) MB",
      cure: "write MemorySize: 128, which is enough")
  }

  // MARK: Variables

  private mutating func inspect(_ name: String, _ text: String?) {
    if Self.reserved.contains(name) {
      add(
        .variableReserved, "Lambda keeps the variable \(name) for itself and refuses the function",
        cure: "take it out: the function's role gives it credentials and region")
    } else if let meant = Self.misspelled(name), !isNamed(name, in: "_CONFIG") {
      add(
        .variableUnknown, "the function does not read the variable \(name)", cure: "did you mean \(meant)?")
    } else if Self.isSecret(name), let text, !text.isEmpty, !text.hasPrefix("{{resolve:"),
      !isNamed(name, in: ShippedFunction.identity.variable)
    {
      add(
        .secretInVariable, "the variable \(name) stands in the template: whoever may read the stack reads it",
        cure: "write {{resolve:secretsmanager:…}}, or take it out where the function does not read it")
    }
  }

  /// What the two functions read, `AUTHORIZER_CLOCK_OFFSET_SECONDS` in development alone.
  private static let known = [
    "AUTHORIZER_CONFIG", "AUTHORIZER_ISSUER", "AUTHORIZER_AUDIENCE", "AUTHORIZER_KEYS",
    "AUTHORIZER_DEVELOPMENT",
    "AUTHORIZER_CLOCK_OFFSET_SECONDS", "IDENTITY_CONFIG",
  ]

  /// The variable that one of nearly the same name was meant to be. What all names begin with says nothing about nearness.
  private static func misspelled(_ name: String) -> String? {
    guard !known.contains(name) else { return nil }
    let prefix = "AUTHORIZER_"
    guard name.hasPrefix(prefix) else { return NearestName.of(name, among: known) }
    let words = known.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    return NearestName.of(String(name.dropFirst(prefix.count)), among: words).map { prefix + $0 }
  }

  /// Whether a configuration in a variable whose name ends so names this one, for a secret; what is wrong with that of the
  /// sign-in is told elsewhere (`secretInTemplate`).
  private func isNamed(_ name: String, in suffix: String) -> Bool {
    variables.contains { $0.name.hasSuffix(suffix) && $0.text?.contains("\"\(name)\"") == true }
  }

  private static func isSecret(_ name: String) -> Bool {
    let name = name.uppercased()
    return ["PASSWORD", "PASSWD", "SECRET", "PRIVATE_KEY", "API_KEY", "APIKEY", "ACCESS_TOKEN"].contains {
      name.contains($0)
    }
  }

  /// "Defined runtime environment variables", those with reserved names.
  private static let reserved: Set<String> = [
    "_HANDLER", "_X_AMZN_TRACE_ID", "AWS_DEFAULT_REGION", "AWS_REGION", "AWS_EXECUTION_ENV",
    "AWS_LAMBDA_FUNCTION_NAME", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "AWS_LAMBDA_FUNCTION_VERSION",
    "AWS_LAMBDA_INITIALIZATION_TYPE", "AWS_LAMBDA_LOG_GROUP_NAME", "AWS_LAMBDA_LOG_STREAM_NAME",
    "AWS_ACCESS_KEY",
    "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_LAMBDA_RUNTIME_API",
    "LAMBDA_TASK_ROOT",
    "LAMBDA_RUNTIME_DIR",
  ]
}

extension GatewayTemplate {
  /// Functions that authorizers ask and that are not this project's: of another runtime, or a backend, and without any of
  /// its variables. Their configuration is their own.
  public var foreignAuthorizers: [String] {
    authorizerFunctions.filter { name in
      guard let function = functions[name], !function.isConfiguredHere else { return false }
      return function.hasOtherRuntime || isMistaken(name)
    }
  }

  /// Whether a function is asked as an authorizer in the place of another one, most likely: it answers routes itself, and the
  /// template has one with the authorizer's variables, or of its name, that no authorizer asks.
  func isMistaken(_ name: String) -> Bool {
    let answers = apis.flatMap(\.routes).contains { route in
      if case .function(name, _) = route.integration { true } else { false }
    }
    return answers && meantAuthorizer != nil
  }

  /// A function that is the authorizer by its variables or its name, and that no authorizer asks.
  var meantAuthorizer: String? {
    let asked = authorizerFunctions
    return functions.values.filter { function in
      !asked.contains(function.name) && !function.signsIn
        && (function.isConfiguredHere || function.name.lowercased().contains("authorizer"))
    }.map(\.name).min()
  }
}

extension TemplateFunction {
  fileprivate var isConfiguredHere: Bool { variables.keys.contains { $0.hasPrefix("AUTHORIZER_") } }

  fileprivate var hasOtherRuntime: Bool { runtime.map { !$0.hasPrefix("provided") } ?? false }
}

extension TemplateInspection {
  mutating func inspectForeign(_ name: String) {
    if template.isMistaken(name), let meant = template.meantAuthorizer {
      add(
        .authorizerMistaken, name, "an authorizer asks it, and it answers routes; nothing asks \(meant)",
        cure: "write FunctionArn: !GetAtt \(meant).Arn at the authorizer")
    } else {
      add(
        .authorizerForeign, name,
        "its Runtime is \(template.functions[name]?.runtime ?? "another"): not this project's authorizer, so its"
          + " configuration is not looked at",
        cure: "none; serve --run \(name)=COMMAND runs it")
    }
  }
}
