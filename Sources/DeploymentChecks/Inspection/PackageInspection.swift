internal import Text
package import Templates

/// Checks a deployment package for problems that Lambda would meet.
package struct PackageInspection {
  /// The findings, in package order.
  package private(set) var findings: [DeploymentFinding] = []
  /// Facts about the package, as names and values.
  package private(set) var facts: [(name: String, value: String)] = []
  private let package: DeploymentPackage
  private let configurations: Set<String>

  /// The maximum size in bytes of a ZIP file that is uploaded directly ("Lambda quotas", 50 MB).
  package static let maximumUploadBytes = 52_428_800
  /// This project's size budget for a package in bytes, because a cold start loads all of it.
  package static let budgetBytes = 5 << 20
  private let function: ShippedFunction

  /// - Parameters:
  ///   - package: the files.
  ///   - architecture: the template's architecture; `nil` without a template.
  ///   - fetchesKeys: whether the configuration fetches keys; `nil` if unknown.
  ///   - needsTable: whether the configuration names a DynamoDB table; `nil` if unknown.
  ///   - secretFiles: the files that the configuration names as shared secrets.
  ///   - configurations: the files that variables name instead of the function's own file.
  package init(
    _ package: DeploymentPackage, of function: ShippedFunction = .authorizer, architecture: String?,
    fetchesKeys: Bool?, needsTable: Bool? = nil, secretFiles: Set<String> = [],
    configurations: Set<String> = []
  ) {
    self.package = package
    self.function = function
    self.configurations = configurations
    inspectFiles(fetchesKeys: fetchesKeys)
    inspectCaller(needsTable: needsTable ?? false)
    inspectModes()
    inspectPlaces()
    findings += PrivateMaterial(in: package, secretFiles: secretFiles).findings
    let programs = ProgramInspection(package, architecture: architecture)
    (findings, facts) = (findings + programs.findings, programs.facts)
  }

  /// Returns the findings about an archive's size.
  package static func findings(ofArchiveBytes bytes: Int) -> [DeploymentFinding] {
    if bytes > maximumUploadBytes {
      return [
        DeploymentFinding(
          .uploadTooLarge, "package", "\(bytes) bytes; Lambda accepts \(maximumUploadBytes)",
          cure: "remove files that the function does not read, or upload the package through S3")
      ]
    }
    guard bytes > budgetBytes else { return [] }
    return [
      DeploymentFinding(
        .packageLarge, "package", "\(bytes) bytes, over \(budgetBytes): a cold start loads all of it",
        cure: "run make package, which packs only the needed files, about 3 MB")
    ]
  }

  /// Returns the finding for an archive that cannot be read.
  package static func finding(of error: DeploymentError) -> DeploymentFinding {
    let code: DeploymentFinding.Code =
      switch error {
      case .archive, .folder: .archiveDamaged
      case .entry: .entryRefused
      case .tooLarge: .unpackedTooLarge
      }
    return DeploymentFinding(code, "package", error.description, cure: "run make package to write it again")
  }

  // MARK: Files

  private mutating func inspectFiles(fetchesKeys: Bool?) {
    if let bootstrap = package.file("bootstrap") {
      inspectMode(of: bootstrap, orElse: .bootstrapNotExecutable)
    } else {
      let deep =
        package.files.first { $0.path.hasByteSuffix("/bootstrap") }.map { ", it is \($0.path)" } ?? ""
      findings.add(
        .bootstrapMissing, "bootstrap",
        "it is not at the top of the package\(deep) (Runtime.InvalidEntrypoint)",
        cure: "run make package, which puts it there")
    }
    if let fetcher = package.file("fetch-keys") {
      inspectMode(of: fetcher, orElse: .fetchKeysNotExecutable)
    } else if fetchesKeys ?? true {
      findings.add(
        .fetchKeysMissing, "fetch-keys", "it is missing beside bootstrap, so keys cannot be fetched",
        cure: "deploy both programs of one build (make package), or pin all keys")
    }
    for (path, mode) in package.folderPermissions.sorted(by: { $0.key < $1.key }) where mode & 0o005 != 0o005
    {
      findings.add(
        .fileNotReadable, path + "/",
        "mode \(Self.octal(mode)): Lambda runs the function as another user, who cannot open this folder",
        cure: "set mode 755 and pack it again")
    }
    for file in package.files
    where !ProgramInspection.names.contains(file.path) && file.permissions & 0o004 == 0 {
      findings.add(
        .fileNotReadable, file.path,
        "mode \(Self.octal(file.permissions)): Lambda runs the function as another user, who cannot read this file",
        cure: "set mode 644 and pack it again")
    }
  }

  private mutating func inspectCaller(needsTable: Bool) {
    if let caller = package.file("call-dynamodb") {
      inspectMode(of: caller, orElse: .callDynamoDBNotExecutable)
    } else if needsTable {
      findings.add(
        .callDynamoDBMissing, "call-dynamodb",
        "it is missing beside bootstrap, so the DynamoDB table cannot be used",
        cure: "deploy all programs of one build, as make package packs them")
    }
  }

  /// Lambda unpacks for one user and mounts read-only, but the package may be built or mounted elsewhere.
  private mutating func inspectModes() {
    for (path, mode) in package.folderPermissions.sorted(by: { $0.key < $1.key }) where mode & 0o002 != 0 {
      findings.add(
        .modeTooWide, path + "/", "mode \(Self.octal(mode)): every user can add files to it",
        cure: "set mode 755 and pack it again")
    }
    for file in package.files where file.permissions & 0o7002 != 0 {
      findings.add(
        .modeTooWide, file.path,
        "mode \(Self.octal(file.permissions)): "
          + (file.permissions & 0o7000 == 0
            ? "every user can change it" : "it runs with another user's rights"),
        cure: "set mode \(file.isExecutable ? "755" : "644") and pack it again")
    }
  }

  /// The function reads one configuration file, by its exact name at the top of the package.
  private mutating func inspectPlaces() {
    let name = function.fileName
    let cure = "put the configuration at the top of the package as \(name), and remove the others"
    if package.folders.contains(name) {
      findings.add(
        .configurationMisplaced, name, "it is a folder, so the function cannot read it", cure: cure)
    }
    for file in package.files where file.path != name && !configurations.contains(file.path) {
      guard file.path.splitBytes(at: "/").last?.lowercased() == name else { continue }
      findings.add(
        .configurationMisplaced, file.path,
        "the function reads only \(name) at the top of the package",
        cure: cure)
    }
  }

  private mutating func inspectMode(of file: DeploymentPackage.File, orElse code: DeploymentFinding.Code) {
    // Lambda runs the function as a user who does not own the files.
    guard file.permissions & 0o005 != 0o005 else { return }
    findings.add(
      code, file.path, "mode \(Self.octal(file.permissions)): not every user can read and execute it",
      cure: "set mode 755 and pack it again on Linux or macOS, whose archivers preserve modes")
  }

  private static func octal(_ mode: Int) -> String { String(mode, radix: 8) }
}
