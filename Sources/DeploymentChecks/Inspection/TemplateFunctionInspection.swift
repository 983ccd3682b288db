internal import GatewayModel
internal import LambdaEmulator
internal import Templates
internal import Text
internal import TestTokens

/// Checks a function's own properties in a template: handler, memory and variables.
struct TemplateFunctionInspection {
  private(set) var findings: [DeploymentFinding] = []
  private let function: LenientTemplate.Resource
  /// The variables of the template; a text is `nil` if it cannot be read.
  private let variables: [(name: String, text: String?)]

  /// - Parameter isUnderstood: whether a property that is not found is known to be missing.
  init(_ function: LenientTemplate.Resource, isUnderstood: Bool) {
    self.function = function
    variables = (function["Environment"]?["Variables"]?.members ?? []).map { ($0.name, $0.value.text) }
    inspectHandler(isUnderstood)
    inspectMemory()
    for variable in variables { inspect(variable.name, variable.text) }
  }

  private mutating func add(_ code: DeploymentFinding.Code, _ problem: String, cure: String) {
    findings.add(code, function.name, problem, cure: cure)
  }

  /// `Handler` is required for a ZIP file (AWS::Lambda::Function), but a `provided` runtime ignores it and starts
  /// `bootstrap` ("Building a custom runtime for AWS Lambda").
  private mutating func inspectHandler(_ isUnderstood: Bool) {
    let runtime = function["Runtime"]?.text ?? ""
    guard runtime.hasBytePrefix("provided") else { return }
    if !function.says("Handler") {
      guard isUnderstood, function.says("CodeUri") || function.says("Code") else { return }
      add(
        .handlerMissing, "Handler is missing: Lambda does not create the function",
        cure: "write Handler: bootstrap")
    } else if let handler = function["Handler"]?.text, handler != "bootstrap" {
      add(
        .handlerUnused, "Handler is \(handler), but \(runtime) always starts the file bootstrap",
        cure: "write Handler: bootstrap")
    }
  }

  private mutating func inspectMemory() {
    guard let text = function["MemorySize"]?.text, let megabytes = Int(text),
      !LambdaVariables.memoryMegabytes.contains(megabytes)
    else { return }
    let range = LambdaVariables.memoryMegabytes
    add(
      .memoryOutOfRange,
      "MemorySize is \(megabytes); Lambda allows \(range.lowerBound) to \(range.upperBound) MB",
      cure: "write MemorySize: 128, which is enough")
  }

  // MARK: Variables

  private mutating func inspect(_ name: String, _ text: String?) {
    if LambdaVariables.reserved.contains(name) {
      add(
        .variableReserved, "the variable \(name) is reserved: Lambda refuses the function",
        cure: "remove it; the function gets credentials and region from its role")
    } else if let meant = Self.misspelled(name), !isNamed(name, in: "_CONFIG") {
      add(
        .variableUnknown, "the function does not read the variable \(name)", cure: "did you mean \(meant)?")
    } else if Self.isSecret(name), let text, !text.isEmpty, !text.hasBytePrefix("{{resolve:"),
      !isNamed(name, in: ShippedFunction.identity.variable)
    {
      add(
        .secretInVariable,
        "the value of \(name) is in the template: everyone who can read the stack can read it",
        cure: "write {{resolve:secretsmanager:…}}, or remove it if the function does not need it")
    }
  }

  /// The variables that the two functions read. `AUTHORIZER_CLOCK_OFFSET_SECONDS` works in development only.
  private static let known = [
    "AUTHORIZER_CONFIG", "AUTHORIZER_ISSUER", "AUTHORIZER_AUDIENCE", "AUTHORIZER_KEYS",
    "AUTHORIZER_DEVELOPMENT",
    "AUTHORIZER_CLOCK_OFFSET_SECONDS", "IDENTITY_CONFIG",
  ]

  /// Returns the variable that a similar name probably means. Compares names without their common prefix.
  private static func misspelled(_ name: String) -> String? {
    guard !known.contains(name) else { return nil }
    let prefix = "AUTHORIZER_"
    guard name.hasBytePrefix(prefix) else { return NearestName.of(name, among: known) }
    let words = known.filter { $0.hasBytePrefix(prefix) }.map {
      String($0.dropFirst(bytes: prefix.utf8.count))
    }
    return NearestName.of(String(name.dropFirst(bytes: prefix.utf8.count)), among: words).map { prefix + $0 }
  }

  /// Whether a configuration, in a variable whose name ends in `suffix`, names this variable as a secret. The check
  /// `secretInTemplate` covers the secrets of the sign-in function.
  private func isNamed(_ name: String, in suffix: String) -> Bool {
    variables.contains { $0.name.hasByteSuffix(suffix) && $0.text?.containsBytes(of: "\"\(name)\"") == true }
  }

  private static func isSecret(_ name: String) -> Bool {
    let name = name.uppercased()
    return ["PASSWORD", "PASSWD", "SECRET", "PRIVATE_KEY", "API_KEY", "APIKEY", "ACCESS_TOKEN"].contains {
      name.contains($0)
    }
  }
}

extension GatewayTemplate {
  /// The functions that authorizers invoke and that do not belong to this project: they have another runtime, are built
  /// by another tool, start another program or are a backend, and have none of this project's variables. Their
  /// configuration is not checked. A function with the handler `bootstrap` has only the wrong runtime.
  package var foreignAuthorizers: [String] {
    authorizerFunctions.filter { name in
      guard let function = functions[name] else { return true }
      return !function.isConfiguredHere && (function.isForeign || isMistaken(name))
    }
  }

  /// Whether the template probably names the wrong function as the authorizer: this one is a backend of routes, and
  /// another function has the authorizer's variables or name and is not used as an authorizer.
  func isMistaken(_ name: String) -> Bool {
    let answers = apis.flatMap(\.routes).contains { route in
      route.integration.function == name
    }
    return answers && meantAuthorizer != nil
  }

  /// The name of a function that has the authorizer's variables or name and is not used as an authorizer.
  var meantAuthorizer: String? {
    let asked = authorizerFunctions
    return functions.values.filter { function in
      !asked.contains(function.name) && !function.signsIn
        && (function.isConfiguredHere || function.name.lowercased().containsBytes(of: "authorizer"))
    }.map(\.name).min()
  }
}

extension TemplateFunction {
  /// Whether it has variables of this project. Functions in other languages may have some that begin alike.
  fileprivate var isConfiguredHere: Bool {
    let names = ShippedFunction.authorizer.configuringVariables
    return variables.keys.contains {
      names.contains($0) || !hasOtherRuntime && $0.hasBytePrefix("AUTHORIZER_")
    }
  }

  /// Whether it starts `bootstrap`, as the shipped templates declare. No handler of another runtime has this form.
  fileprivate var startsBootstrap: Bool { handler == "bootstrap" }

  /// Whether it is written with another tool, or starts another program.
  fileprivate var isForeign: Bool {
    if let buildMethod, buildMethod != "makefile" { return true }
    if startsBootstrap { return false }
    return hasOtherRuntime || handler != nil && name != ShippedFunction.authorizer.resourceName
  }

  private var hasOtherRuntime: Bool { runtime.map { !$0.hasBytePrefix("provided") } ?? false }
}

extension TemplateInspection {
  /// Notes the caches that apply an answer of this function to other routes than the one that it was asked about.
  private mutating func inspectCaches(ofForeign name: String) {
    for api in template.distinctAPIs {
      for authorizer in Self.authorizers(of: api) where authorizer.function == name {
        let routes = api.routes.count { $0.authorizer == authorizer }
        guard authorizer.timeToLiveSeconds > 0, routes > 1, !Self.namesRoute(authorizer) else { continue }
        let answer = if case .http2(_, true) = authorizer.form { "an answer" } else { "its policy" }
        findings.add(
          .cachedForEveryRoute, "\(api.name).\(authorizer.name)",
          "\(answer) is cached for \(authorizer.timeToLiveSeconds) s and applies to all \(routes) routes",
          cure: "answer for every route that the caller may use, or set the TTL to 0")
      }
    }
  }

  mutating func inspectAdopted(_ function: TemplateFunction) {
    guard !function.isPermitted else { return }
    findings.add(
      .permissionElsewhere, function.name,
      "it is outside of the template, where no permission lets API Gateway invoke it: on AWS every request gets a 500",
      cure: Self.permissionCure + "; pass --accept permissionElsewhere if another template has it")
  }

  mutating func inspectForeign(_ name: String) {
    if template.isMistaken(name), let meant = template.meantAuthorizer {
      findings.add(
        .authorizerMistaken, name,
        "it is used as an authorizer but is a backend of routes; \(meant) is not used as an authorizer",
        cure: "write FunctionArn: !GetAtt \(meant).Arn at the authorizer")
    } else {
      findings.add(
        .authorizerForeign, name,
        template.functions[name]?.isExternal == true
          ? "it is outside of the template, so its configuration is not checked; --config FILE checks it, if it is this"
            + " project's authorizer and the only one"
          : "its Runtime is \(template.functions[name]?.runtime ?? "another"): it is not this project's authorizer, so"
            + " its configuration is not checked",
        cure:
          "nothing to do; serve --run-functions runs its code in Python or Node.js, and serve --run"
          + " \(ShellWord.assignment(name, "COMMAND")) any program")
      inspectCaches(ofForeign: name)
    }
  }
}
