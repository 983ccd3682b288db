internal import Authorizer
internal import Emulator
internal import Foundation
internal import JSON

/// Everything that is looked at, from the paths of the command to the findings.
struct DoctorExamination {
  private(set) var findings: [DeploymentFinding] = []
  private(set) var facts: [(name: String, value: String)] = []
  private var package: DeploymentPackage?
  private var template: GatewayTemplate?
  /// The template as it is written.
  private var text: String?
  private let parameters: [String: String]
  private var hasPackage = false
  private var hasTemplate = false

  /// - Throws: `CommandFailure` for what cannot be looked at at all.
  init(_ command: DoctorCommand) throws(CommandFailure) {
    parameters = command.parameters
    var templatePath: String?
    for path in command.paths {
      if try Self.isPackage(path) {
        guard !hasPackage else { throw CommandFailure(.usage, "two packages; examine one after the other") }
        hasPackage = true
        try readPackage(path)
      } else {
        guard !hasTemplate else { throw CommandFailure(.usage, "two templates; examine one after the other") }
        hasTemplate = true
        templatePath = path
        try readTemplate(path)
      }
    }
    if hasPackage, command.config != nil {
      throw CommandFailure(.usage, "--config goes with a template alone", hint: "a package brings its own")
    }
    try examine(besideTemplate: templatePath, command.config)
  }

  /// By what it is, not by what it is called: a truncated ZIP file still begins as one.
  private static func isPackage(_ path: String) throws(CommandFailure) -> Bool {
    if FileSystem.isDirectory(path) || path.hasSuffix(".zip") {
      guard FileSystem.exists(path) else { throw FileSystem.unreadable(path) }
      return true
    }
    let handle = try FileSystem.reading(path)
    defer { try? handle.close() }
    let start = try? handle.read(upToCount: 4)
    return start.map { Array($0) } == [0x50, 0x4B, 0x03, 0x04]
  }

  private mutating func readPackage(_ path: String) throws(CommandFailure) {
    do throws(DeploymentError) {
      if FileSystem.isDirectory(path) {
        package = try DeploymentPackage(folder: path)
        return
      }
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      let count = attributes?[.size] as? Int ?? 0
      facts.append(("package", PackageBudget.text(count)))
      findings += PackageInspection.findings(ofArchiveBytes: count)
      guard count <= DeploymentPackage.maximumUnpackedBytes else {
        throw .tooLarge(limit: DeploymentPackage.maximumUnpackedBytes)
      }
      let limit = DeploymentPackage.maximumUnpackedBytes
      guard let bytes = try? FileSystem.bytes(at: path, limit: limit) else {
        throw .archive("it cannot be read")
      }
      package = try DeploymentPackage(parsing: bytes)
    } catch {
      findings.append(PackageInspection.finding(of: error))
    }
  }

  /// Of a template in bytes ("CloudFormation quotas", 1 MB by way of S3).
  private static let maximumTemplateBytes = 1 << 20

  private mutating func readTemplate(_ path: String) throws(CommandFailure) {
    let bytes = try FileSystem.bytes(at: path, limit: Self.maximumTemplateBytes)
    let text = String(decoding: bytes, as: UTF8.self)
    self.text = text
    do throws(TemplateError) {
      template = try GatewayTemplate(parsing: text, parameters: parameters)
    } catch {
      findings += error.findings.map {
        DeploymentFinding(.templateRefused, "\(path):\($0.line): \($0.path)", $0.problem, cure: $0.cure)
      }
    }
  }

  /// Of every function that is deployed with the package, and of the package by itself.
  private static func secretFiles(
    of package: DeploymentPackage, _ environments: [[String: String]]
  ) -> Set<String> {
    Set(
      (environments + [[:]]).flatMap {
        PackagedConfiguration(package: package, variables: $0).secretFiles
      })
  }

  private mutating func examine(besideTemplate path: String?, _ config: String?) throws(CommandFailure) {
    // A package that cannot be read says nothing of its configuration.
    let isReadable = (!hasPackage || package != nil) && (!hasTemplate || template != nil)
    let functions = template?.authorizerFunctions.compactMap { template?.functions[$0] } ?? []
    var deployed: [String: DeployedConfiguration] = [:]
    if isReadable {
      let groups = Self.alike(functions)
      for group in groups.isEmpty ? [[]] : groups {
        let names = group.map(\.name)
        let own = try configuration(of: group.first, besideTemplate: path, config)
        let label = groups.count > 1 ? names.joined(separator: ", ") + ": " : ""
        findings += own.findings.map {
          DeploymentFinding($0.code, label + $0.place, $0.problem, cure: $0.cure)
        }
        facts += own.facts.map { (label + $0.name, $0.value) }
        // Without a function in the template it is known all the same, for the sake of the package.
        for name in names.isEmpty ? [""] : names { deployed[name] = own.deployed }
      }
    }
    if let package {
      let architectures = Set(functions.map(\.architecture))
      let fetches = deployed.values.map { $0.fetchMilliseconds != nil }
      let isComplete = !deployed.isEmpty && deployed.count >= functions.count
      let inspection = PackageInspection(
        package, architecture: architectures.count == 1 ? architectures.first : nil,
        fetchesKeys: isComplete || fetches.contains(true) ? fetches.contains(true) : nil,
        secretFiles: Self.secretFiles(of: package, functions.map(\.variables)),
        configurations: Set(
          functions.compactMap {
            PackagedConfiguration(package: package, variables: $0.variables).namedConfiguration
          }.map(PackagedConfiguration.relative)))
      facts += inspection.facts
      findings += inspection.findings
    }
    if let template { findings += TemplateInspection(template, deployed).findings }
    if let text {
      findings +=
        TemplateResourceInspection(
          parsing: text, parameters: parameters, isUnderstood: template != nil
        ).findings
    }
  }

  /// Functions that are configured alike are told of once.
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

  /// What one function is configured with: by the package, or by what `sam build` would pack.
  private func configuration(
    of function: TemplateFunction?, besideTemplate path: String?, _ config: String?
  ) throws(CommandFailure) -> DoctorConfiguration {
    let variables = function?.variables ?? [:]
    guard package == nil, let path else {
      return DoctorConfiguration(
        PackagedConfiguration(package: package ?? DeploymentPackage(), variables: variables),
        hasTemplate: hasTemplate)
    }
    let artifact = try DoctorArtifact(of: function, template: path, config: config)
    return DoctorConfiguration(
      PackagedConfiguration(package: artifact.package, variables: variables), hasTemplate: hasTemplate,
      after: artifact.findings, excused: artifact.excused)
  }
}
