/// Checks a deployment package for problems that Lambda would meet.
public struct PackageInspection {
  /// The findings, in package order.
  public private(set) var findings: [DeploymentFinding] = []
  /// Facts about the package, as names and values.
  public private(set) var facts: [(name: String, value: String)] = []
  private let package: DeploymentPackage
  private let configurations: Set<String>

  /// The maximum size in bytes of a ZIP file that is uploaded directly ("Lambda quotas", 50 MB).
  public static let maximumUploadBytes = 52_428_800
  /// This project's size budget for a package in bytes, because a cold start loads all of it.
  public static let budgetBytes = 5 << 20
  private static let programs = ["bootstrap", "fetch-keys", "call-dynamodb"]
  private let function: ShippedFunction

  /// - Parameters:
  ///   - package: the files.
  ///   - architecture: the template's architecture; `nil` without a template.
  ///   - fetchesKeys: whether the configuration fetches keys; `nil` if unknown.
  ///   - needsTable: whether the configuration names a DynamoDB table; `nil` if unknown.
  ///   - secretFiles: the files that the configuration names as shared secrets.
  ///   - configurations: the files that variables name instead of the function's own file.
  public init(
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
    inspectPrograms(architecture)
  }

  /// Returns the findings about an archive's size.
  public static func findings(ofArchiveBytes bytes: Int) -> [DeploymentFinding] {
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
  public static func finding(of error: DeploymentError) -> DeploymentFinding {
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
      let deep = package.files.first { $0.path.hasSuffix("/bootstrap") }.map { ", it is \($0.path)" } ?? ""
      findings.append(
        DeploymentFinding(
          .bootstrapMissing, "bootstrap",
          "it is not at the top of the package\(deep) (Runtime.InvalidEntrypoint)",
          cure: "run make package, which puts it there"))
    }
    if let fetcher = package.file("fetch-keys") {
      inspectMode(of: fetcher, orElse: .fetchKeysNotExecutable)
    } else if fetchesKeys ?? true {
      findings.append(
        DeploymentFinding(
          .fetchKeysMissing, "fetch-keys", "it is missing beside bootstrap, so keys cannot be fetched",
          cure: "deploy both programs of one build (make package), or pin all keys"))
    }
    for (path, mode) in package.folderPermissions.sorted(by: { $0.key < $1.key }) where mode & 0o005 != 0o005
    {
      findings.append(
        DeploymentFinding(
          .fileNotReadable, path + "/",
          "mode \(Self.octal(mode)): Lambda runs the function as another user, who cannot open this folder",
          cure: "set mode 755 and pack it again"))
    }
    for file in package.files where !Self.programs.contains(file.path) && file.permissions & 0o004 == 0 {
      findings.append(
        DeploymentFinding(
          .fileNotReadable, file.path,
          "mode \(Self.octal(file.permissions)): Lambda runs the function as another user, who cannot read this file",
          cure: "set mode 644 and pack it again"))
    }
  }

  private mutating func inspectCaller(needsTable: Bool) {
    if let caller = package.file("call-dynamodb") {
      inspectMode(of: caller, orElse: .callDynamoDBNotExecutable)
    } else if needsTable {
      findings.append(
        DeploymentFinding(
          .callDynamoDBMissing, "call-dynamodb",
          "it is missing beside bootstrap, so the DynamoDB table cannot be used",
          cure: "deploy all programs of one build, as make package packs them"))
    }
  }

  /// Lambda unpacks for one user and mounts read-only, but the package may be built or mounted elsewhere.
  private mutating func inspectModes() {
    for (path, mode) in package.folderPermissions.sorted(by: { $0.key < $1.key }) where mode & 0o002 != 0 {
      findings.append(
        DeploymentFinding(
          .modeTooWide, path + "/", "mode \(Self.octal(mode)): every user can add files to it",
          cure: "set mode 755 and pack it again"))
    }
    for file in package.files where file.permissions & 0o7002 != 0 {
      findings.append(
        DeploymentFinding(
          .modeTooWide, file.path,
          "mode \(Self.octal(file.permissions)): "
            + (file.permissions & 0o7000 == 0
              ? "every user can change it" : "it runs with another user's rights"),
          cure: "set mode \(file.isExecutable ? "755" : "644") and pack it again"))
    }
  }

  /// The function reads one configuration file, by its exact name at the top of the package.
  private mutating func inspectPlaces() {
    let name = function.fileName
    let cure = "put the configuration at the top of the package as \(name), and remove the others"
    if package.folders.contains(name) {
      findings.append(
        DeploymentFinding(
          .configurationMisplaced, name, "it is a folder, so the function cannot read it", cure: cure))
    }
    for file in package.files where file.path != name && !configurations.contains(file.path) {
      guard file.path.split(separator: "/").last?.lowercased() == name else { continue }
      findings.append(
        DeploymentFinding(
          .configurationMisplaced, file.path,
          "the function reads only \(name) at the top of the package",
          cure: cure))
    }
  }

  private mutating func inspectMode(of file: DeploymentPackage.File, orElse code: DeploymentFinding.Code) {
    // Lambda runs the function as a user who does not own the files.
    guard file.permissions & 0o005 != 0o005 else { return }
    findings.append(
      DeploymentFinding(
        code, file.path, "mode \(Self.octal(file.permissions)): not every user can read and execute it",
        cure: "set mode 755 and pack it again on Linux or macOS, whose archivers preserve modes"))
  }

  private static func octal(_ mode: Int) -> String { String(mode, radix: 8) }

  // MARK: Programs

  /// Returns a finding for each program that is built for a different architecture than the template's.
  public static func mismatches(of package: DeploymentPackage, architecture: String) -> [DeploymentFinding] {
    programs.compactMap { name in
      guard let file = package.file(name), let program = try? ELFFile(parsing: file.bytes),
        program.machine.rawValue != architecture
      else { return nil }
      return mismatch(name, program, architecture)
    }
  }

  private static func mismatch(
    _ name: String, _ program: ELFFile, _ architecture: String
  ) -> DeploymentFinding {
    let built = program.machine.rawValue
    let how =
      architecture == ELFFile.Machine.arm.rawValue ? "with make package ARCH=arm64" : "on \(architecture)"
    return DeploymentFinding(
      .architectureMismatch, name, "it is built for \(built), but the template says \(architecture)",
      cure: "set Architectures (--parameter Architecture=\(built)), or build it \(how)")
  }

  private mutating func inspectPrograms(_ architecture: String?) {
    var machines: [(name: String, machine: ELFFile.Machine)] = []
    for name in Self.programs {
      guard let file = package.file(name) else { continue }
      let program: ELFFile
      do throws(ELFError) {
        program = try ELFFile(parsing: file.bytes)
      } catch {
        findings.append(
          DeploymentFinding(
            .programInvalid, name, error.description, cure: "run make package on Linux to build and pack it"))
        continue
      }
      machines.append((name, program.machine))
      describe(program, name, file.bytes)
      inspect(program, name)
      if let architecture, program.machine.rawValue != architecture {
        findings.append(Self.mismatch(name, program, architecture))
      }
    }
    if let first = machines.first, let other = machines.first(where: { $0.machine != first.machine }) {
      findings.append(
        DeploymentFinding(
          .processorsDiffer, other.name,
          "it is built for \(other.machine.rawValue), but \(first.name) for \(first.machine.rawValue)",
          cure: "deploy all programs of one build"))
    }
  }

  private mutating func describe(_ program: ELFFile, _ name: String, _ bytes: [UInt8]) {
    let newest = RuntimeImage.newest(of: program)
    let libraries = program.libraries.isEmpty ? "no library" : program.libraries.joined(separator: ", ")
    facts.append(
      (
        name,
        "\(bytes.count) bytes, \(program.machine.rawValue), "
          + (program.isPositionIndependent ? "" : "at fixed addresses, ") + "needs \(libraries)"
          + (newest.isEmpty ? "" : ", newest symbols \(newest.joined(separator: ", "))")
      ))
    guard let version = EmbeddedOpenSSL.version(in: bytes) else { return }
    facts.append(("OpenSSL", "\(version), linked into \(name); to patch it, build and deploy again"))
    guard let major = version.split(separator: ".").first.flatMap({ Int($0) }), major < 3 else { return }
    findings.append(
      DeploymentFinding(
        .openSSLUnsupported, name, "the linked OpenSSL \(version) no longer gets patches",
        cure: "build it with OpenSSL 3 or later"))
  }

  private mutating func inspect(_ program: ELFFile, _ name: String) {
    for version in RuntimeImage.missing(of: program) {
      findings.append(
        DeploymentFinding(
          .symbolsTooNew, name,
          "it needs \(version.name) of \(version.library), which provided.al2023 does not have",
          cure: "build it on a system with older libraries, for example Debian 12 (docs/deployment.md)"))
    }
    for library in program.libraries where !RuntimeImage.libraries.contains(library) && !isPacked(library) {
      findings.append(
        DeploymentFinding(
          .libraryMissing, name, "it needs \(library), which provided.al2023 does not have",
          cure: "link it statically, as make bootstrap does, or pack it as lib/\(library)"))
    }
    if let interpreter = program.interpreter, interpreter != program.machine.interpreter {
      findings.append(
        DeploymentFinding(
          .loaderMissing, name, "it needs the loader \(interpreter), which provided.al2023 does not have",
          cure: "build it on a system with glibc"))
    }
    if let path = program.searchPath {
      findings.append(
        DeploymentFinding(
          .librariesFromFolder, name, "it loads libraries from \(path) before those of the system",
          cure: "link it without -rpath, as make bootstrap does"))
    }
    if program.hasSymbolTable {
      findings.append(
        DeploymentFinding(
          .notStripped, name, "it contains symbols that only a debugger needs", cure: "run strip \(name)"))
    }
  }

  /// Lambda searches the package and its `lib` folder ("Defined runtime environment variables", LD_LIBRARY_PATH).
  private func isPacked(_ library: String) -> Bool {
    package.file("lib/" + library) != nil || package.file(library) != nil
  }
}
