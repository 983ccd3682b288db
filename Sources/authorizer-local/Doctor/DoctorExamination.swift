internal import Text
internal import IAMPolicy
internal import DeploymentChecks
internal import GatewayModel
internal import Templates
internal import Foundation
internal import IssuerKeys
internal import JSON

/// All checks of `doctor`, from the paths of the command line to the findings.
struct DoctorExamination {
  private(set) var findings: [DeploymentFinding] = []
  private(set) var facts: [(name: String, value: String)] = []
  private var package: DeploymentPackage?
  private var template: GatewayTemplate?
  private var survey: LenientTemplate?
  private let machine: Machine
  private var hasPackage = false
  private var hasTemplate = false

  /// - Parameters:
  ///   - package: a ZIP file or a folder.
  ///   - template: a template; `nil` without a package for the nearest one.
  ///   - config: the configuration that is deployed with a template.
  /// - Throws: `CommandFailure` if an input cannot be examined at all.
  init(
    package: String?, template: String?, _ values: TemplateValues, config: String?, on machine: Machine
  ) throws(CommandFailure) {
    self.machine = machine
    var templatePath = template
    if let package {
      guard try isPackage(package) else {
        throw CommandFailure(
          .usage, "\(package) is not a package",
          hint: "give a template with --template \(ShellWord.path(package, or: "FILE"))")
      }
      hasPackage = true
      try readPackage(package)
    } else if template == nil {
      guard let nearest = machine.files.nearestTemplate else {
        throw CommandFailure(
          .usage, "no template found",
          hint: "name a package, give --template FILE, or write a project with init")
      }
      templatePath = nearest
      facts.append(("template", nearest))
    }
    if let path = templatePath {
      hasTemplate = true
      read(try ParsedTemplate(at: path, values, acceptsNoAPI: true, on: machine), at: path, config)
    }
    if hasPackage, config != nil {
      throw CommandFailure(
        .usage, "--config needs a template without a package", hint: "a package has its own configuration")
    }
    try examine(besideTemplate: templatePath, config)
  }

  /// Examines a template with the configuration that is deployed with it.
  ///
  /// - Throws: `CommandFailure` if an input cannot be examined at all.
  init(
    _ template: GatewayTemplate, _ survey: LenientTemplate, at path: String, config: String?,
    on machine: Machine
  ) throws(CommandFailure) {
    self.machine = machine
    hasTemplate = true
    self.survey = survey
    add(template, at: path)
    try examine(besideTemplate: path, config)
  }

  /// Whether a path is a package, by its content and not by its name: a truncated ZIP file still begins as one.
  private func isPackage(_ path: String) throws(CommandFailure) -> Bool {
    if machine.files.isDirectory(path) || path.hasByteSuffix(".zip") {
      guard machine.files.exists(path) else { throw machine.files.unreadable(path) }
      return true
    }
    let handle = try machine.files.reading(path)
    defer { try? handle.close() }
    let start = try? handle.read(upToCount: 4)
    return start.map { Array($0) } == [0x50, 0x4B, 0x03, 0x04]
  }

  private mutating func readPackage(_ path: String) throws(CommandFailure) {
    do throws(DeploymentError) {
      if machine.files.isDirectory(path) {
        package = try DeploymentPackage(folder: machine.files.place(of: path))
        return
      }
      let count = machine.files.attributes(of: path)[.size] as? Int ?? 0
      facts.append(("package", PackageBudget.text(count)))
      findings += PackageInspection.findings(ofArchiveBytes: count)
      guard count <= DeploymentPackage.maximumUnpackedBytes else {
        throw .tooLarge(limit: DeploymentPackage.maximumUnpackedBytes)
      }
      let limit = DeploymentPackage.maximumUnpackedBytes
      guard let bytes = try? machine.files.bytes(at: path, limit: limit) else {
        throw .archive("it cannot be read")
      }
      package = try DeploymentPackage(parsing: bytes)
    } catch {
      findings.append(PackageInspection.finding(of: error))
    }
  }

  private mutating func add(_ template: GatewayTemplate, at path: String) {
    findings += template.closures.map { DeploymentFinding(.notServed, $0, in: path) }
    self.template = template
  }

  private mutating func read(_ parsed: ParsedTemplate, at path: String, _ config: String?) {
    survey = parsed.survey
    switch parsed.gateway {
    case .success(var template):
      let own = config.flatMap { ShippedFunction(configuredBy: $0) == .authorizer ? $0 : nil }
      if !hasPackage,
        let (name, _) = template.adoptAuthorizer(
          configuredBy: own, in: machine.files.directory(of: path), on: machine)
      {
        facts.append(("authorizer", "\(name), outside of the template, examined as this project's"))
      }
      add(template, at: path)
    case .failure(let error):
      findings += error.findings.map { DeploymentFinding(.templateRefused, $0, in: path) }
    }
  }

  private mutating func examine(besideTemplate path: String?, _ config: String?) throws(CommandFailure) {
    var all: [ShippedFunction: [String: DoctorConfiguration]] = [:]
    for function in ShippedFunction.allCases {
      all[function] = try configurations(of: function, besideTemplate: path, config)
    }
    if let package { inspect(package, all[packaged] ?? [:]) }
    let deployed = all[.authorizer, default: [:]].compactMapValues(\.deployed)
    if let template {
      findings += TemplateInspection(template, deployed).findings
      if let path {
        let folder = machine.files.absolute(machine.files.directory(of: path))
        findings += DoctorHandlers(template, in: folder, machine.files).findings
      }
    }
    guard let survey else { return }
    findings +=
      TemplateResourceInspection(
        survey, isUnderstood: template != nil, foreign: template?.foreignAuthorizers ?? []
      ).findings
    findings +=
      TemplateIdentityInspection(
        survey, template: template,
        identities: all[.identity, default: [:]].compactMapValues(\.identity),
        revocations: all[.authorizer, default: [:]].compactMapValues(\.configuration.table),
        proofs: all[.authorizer, default: [:]].mapValues(\.configuration.proofTables)
      ).findings
  }

  private var packaged: ShippedFunction { package.map { ShippedFunction(of: $0) } ?? .authorizer }

  private func functions(_ function: ShippedFunction) -> [TemplateFunction] {
    guard let template else { return [] }
    let names =
      switch function {
      case .authorizer:
        template.authorizerFunctions.filter { !template.foreignAuthorizers.contains($0) }
          + template.standaloneAuthorizers
      case .identity: template.identityFunctions
      }
    return names.compactMap { template.functions[$0] }
  }

  /// Returns the configurations by function name; by the empty name if there is a package alone.
  private mutating func configurations(
    of function: ShippedFunction, besideTemplate path: String?, _ config: String?
  ) throws(CommandFailure) -> [String: DoctorConfiguration] {
    // Nothing is known about the configuration of a package that cannot be read.
    guard !hasPackage || package != nil, !hasTemplate || template != nil else { return [:] }
    let groups = Self.alike(functions(function))
    guard !groups.isEmpty || packaged == function else { return [:] }
    // In a template without an authorizer of this project, no configuration is missing.
    if groups.isEmpty, package == nil, let template,
      !template.foreignAuthorizers.isEmpty || template.authorizerFunctions.isEmpty
    {
      return [:]
    }
    var all: [String: DoctorConfiguration] = [:]
    for group in groups.isEmpty ? [[]] : groups {
      let names = group.map(\.name)
      let own = try configuration(function, of: group, besideTemplate: path, config)
      let isOneOfSeveral = groups.count > 1 || function == .identity && !names.isEmpty
      let label = isOneOfSeveral ? names.joined(separator: ", ") + ": " : ""
      findings += own.findings.map {
        DeploymentFinding($0.code, label + $0.place, $0.problem, cure: $0.cure)
      }
      facts += own.facts.map { (label + $0.name, $0.value) }
      // Without a function in the template, the package's configuration is stored under the empty name.
      for name in names.isEmpty ? [""] : names { all[name] = own }
    }
    return all
  }

  private mutating func inspect(
    _ package: DeploymentPackage, _ configurations: [String: DoctorConfiguration]
  ) {
    let functions = functions(packaged)
    let architectures = Set(functions.map(\.architecture))
    let sound = configurations.values.filter(\.isSound)
    let isComplete = !sound.isEmpty && sound.count >= functions.count
    let fetches = sound.contains(where: \.fetchesKeys)
    let needsTable = configurations.values.contains { $0.configuration.needsTable }
    let inspection = PackageInspection(
      package, of: packaged, architecture: architectures.count == 1 ? architectures.first : nil,
      fetchesKeys: isComplete || fetches ? fetches : nil,
      needsTable: isComplete || needsTable ? needsTable : nil,
      // Those of every function that is deployed with the package, and of the package alone.
      secretFiles: Set(
        (functions.map(\.variables) + [[:]]).flatMap {
          PackagedConfiguration(function: packaged, package: package, variables: $0).secretFiles
        }),
      configurations: Set(
        functions.compactMap {
          PackagedConfiguration(function: packaged, package: package, variables: $0.variables)
            .namedConfiguration
        }.map(PackagedConfiguration.relative)))
    facts += inspection.facts
    findings += inspection.findings
  }

  /// Groups functions with the same configuration, so that each configuration is reported once.
  private static func alike(_ functions: [TemplateFunction]) -> [[TemplateFunction]] {
    var groups: [[TemplateFunction]] = []
    for function in functions {
      let place = groups.firstIndex { group in
        group.allSatisfy {
          $0.variables == function.variables && $0.code == function.code
            && $0.buildMethod == function.buildMethod
        }
      }
      if let place { groups[place].append(function) } else { groups.append([function]) }
    }
    return groups
  }

  /// Returns the findings for the configuration of functions that are configured alike: from the package, or from
  /// what `sam build` would pack.
  private func configuration(
    _ shipped: ShippedFunction, of group: [TemplateFunction], besideTemplate path: String?,
    _ config: String?
  ) throws(CommandFailure) -> DoctorConfiguration {
    let function = group.first
    var files = DeploymentPackage()
    var artifact: DoctorArtifact?
    if let package, packaged == shipped {
      files = package
    } else if let path {
      let isIts = config.map { ShippedFunction(configuredBy: $0) == shipped } ?? false
      let built = try DoctorArtifact(
        shipped, of: function, template: path, config: isIts ? config : nil, on: machine)
      files = built.package
      artifact = built
    }
    let configuration = PackagedConfiguration(
      function: shipped, package: files, variables: function?.variables ?? [:])
    var examined = DoctorConfiguration(
      configuration, hasTemplate: hasTemplate,
      after: artifact?.findings ?? [], excused: artifact?.excused ?? [], now: machine.now())
    if let name = configuration.configuringVariable {
      examined.facts.insert(("configuration", "the variable \(name)"), at: 0)
    } else if let name = configuration.configurationFile {
      let place = artifact.map { $0.source(of: name) } ?? "\(name) in the package"
      examined.facts.insert(("configuration", place), at: 0)
    }
    return examined
  }
}
