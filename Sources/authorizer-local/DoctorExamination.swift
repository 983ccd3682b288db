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
  private var hasPackage = false
  private var hasTemplate = false

  /// - Throws: `CommandFailure` for what cannot be looked at at all.
  init(_ command: DoctorCommand) throws(CommandFailure) {
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
        try readTemplate(path, command.parameters)
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
      guard let bytes = try? FileSystem.bytes(at: path) else { throw .archive("it cannot be read") }
      package = try DeploymentPackage(parsing: bytes)
    } catch {
      findings.append(PackageInspection.finding(of: error))
    }
  }

  private mutating func readTemplate(
    _ path: String, _ parameters: [String: String]
  ) throws(CommandFailure) {
    let bytes = try FileSystem.bytes(at: path)
    do throws(TemplateError) {
      template = try GatewayTemplate(
        parsing: String(decoding: bytes, as: UTF8.self), parameters: parameters)
    } catch {
      findings += error.findings.map {
        DeploymentFinding(.templateRefused, "\(path):\($0.line): \($0.path)", $0.problem, cure: $0.cure)
      }
    }
  }

  private mutating func examine(besideTemplate path: String?, _ config: String?) throws(CommandFailure) {
    let function = template?.authorizerFunctions.first.flatMap { template?.functions[$0] }
    let variables = function?.variables ?? [:]
    var deployed: DeployedConfiguration?
    // A package that cannot be read says nothing of its configuration.
    if !hasPackage || package != nil, !hasTemplate || template != nil {
      var files = package ?? .empty
      if package == nil, let path { files = try Self.files(beside: path, config) }
      let configuration = DoctorConfiguration(
        PackagedConfiguration(package: files, variables: variables), hasTemplate: hasTemplate)
      deployed = configuration.deployed
      findings += configuration.findings
      facts += configuration.facts
    }
    if let package {
      let inspection = PackageInspection(
        package, architecture: function?.architecture,
        fetchesKeys: deployed.map { $0.fetchMilliseconds != nil })
      facts += inspection.facts
      findings += inspection.findings
    }
    if let template { findings += TemplateInspection(template, deployed).findings }
  }

  /// What `sam build` would pack: the configuration beside the template and the files that it names.
  private static func files(
    beside template: String, _ config: String?
  ) throws(CommandFailure) -> DeploymentPackage {
    let path = config ?? FileSystem.directory(of: template) + "/" + PackagedConfiguration.fileName
    guard config != nil || FileSystem.exists(path) else { return .empty }
    let bytes = try FileSystem.bytes(at: path)
    var files = [
      DeploymentPackage.File(path: PackagedConfiguration.fileName, bytes: bytes, permissions: 0o644)
    ]
    let folder = FileSystem.directory(of: path)
    let document = try? JSONTree(parsing: bytes, limits: .configuration)
    for name in document.map(PackagedConfiguration.files) ?? [] {
      // What is not there is told of by the one who reads the configuration.
      guard let bytes = try? FileSystem.bytes(at: "\(folder)/\(name)") else { continue }
      files.append(DeploymentPackage.File(path: name, bytes: bytes, permissions: 0o644))
    }
    return (try? DeploymentPackage(files: files)) ?? .empty
  }
}

extension DeploymentPackage {
  fileprivate static var empty: DeploymentPackage { DeploymentPackage() }
}
