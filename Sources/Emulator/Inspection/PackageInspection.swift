/// Looks at a deployment package as Lambda will, before Lambda does.
public struct PackageInspection {
  /// What was found, in the order of the package.
  public private(set) var findings: [DeploymentFinding] = []
  /// What is good to know: name and value.
  public private(set) var facts: [(name: String, value: String)] = []
  private let package: DeploymentPackage
  private let configurations: Set<String>

  /// Bytes of a ZIP file that is uploaded directly ("Lambda quotas", 50 MB).
  public static let maximumUploadBytes = 52_428_800
  /// Our own budget for a package: its share of a cold start.
  public static let budgetBytes = 5 << 20
  private static let programs = ["bootstrap", "fetch-keys", "call-dynamodb"]
  private let function: ShippedFunction

  /// - Parameters:
  ///   - package: the files.
  ///   - architecture: what the template says; `nil` without one.
  ///   - fetchesKeys: whether the configuration has keys that are fetched; `nil` where that is not known.
  ///   - needsTable: whether the configuration names a table of DynamoDB; `nil` where that is not known.
  ///   - secretFiles: what the configuration names as a shared secret.
  ///   - configurations: what variables name in place of the function's own file.
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

  /// What the size of an archive tells.
  public static func findings(ofArchiveBytes bytes: Int) -> [DeploymentFinding] {
    if bytes > maximumUploadBytes {
      return [
        DeploymentFinding(
          .uploadTooLarge, "package", "\(bytes) bytes; Lambda takes \(maximumUploadBytes)",
          cure: "take out what the function does not read, or upload it by way of S3")
      ]
    }
    guard bytes > budgetBytes else { return [] }
    return [
      DeploymentFinding(
        .packageLarge, "package", "\(bytes) bytes, over \(budgetBytes): a cold start loads all of it",
        cure: "make package packs what is needed, about 3 MB")
    ]
  }

  /// What keeps an archive from being read.
  public static func finding(of error: DeploymentError) -> DeploymentFinding {
    let code: DeploymentFinding.Code =
      switch error {
      case .archive, .folder: .archiveDamaged
      case .entry: .entryRefused
      case .tooLarge: .unpackedTooLarge
      }
    return DeploymentFinding(code, "package", error.description, cure: "make package writes it anew")
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
          cure: "make package puts it there"))
    }
    if let fetcher = package.file("fetch-keys") {
      inspectMode(of: fetcher, orElse: .fetchKeysNotExecutable)
    } else if fetchesKeys ?? true {
      findings.append(
        DeploymentFinding(
          .fetchKeysMissing, "fetch-keys", "it is not beside bootstrap, so that no key can be fetched",
          cure: "deploy both of one build (make package), or pin all keys"))
    }
    for (path, mode) in package.folderPermissions.sorted(by: { $0.key < $1.key }) where mode & 0o005 != 0o005
    {
      findings.append(
        DeploymentFinding(
          .fileNotReadable, path + "/",
          "mode \(Self.octal(mode)): Lambda starts the function as another user, who cannot enter this folder",
          cure: "give it mode 755, and pack it again"))
    }
    for file in package.files where !Self.programs.contains(file.path) && file.permissions & 0o004 == 0 {
      findings.append(
        DeploymentFinding(
          .fileNotReadable, file.path,
          "mode \(Self.octal(file.permissions)): Lambda starts the function as another user than the one that unpacks",
          cure: "give it mode 644, and pack it again"))
    }
  }

  private mutating func inspectCaller(needsTable: Bool) {
    if let caller = package.file("call-dynamodb") {
      inspectMode(of: caller, orElse: .callDynamoDBNotExecutable)
    } else if needsTable {
      findings.append(
        DeploymentFinding(
          .callDynamoDBMissing, "call-dynamodb",
          "it is not beside bootstrap, so that the table of the configuration cannot be asked",
          cure: "deploy all programs of one build: make package packs it"))
    }
  }

  /// Lambda unpacks for one user and mounts read-only; whoever builds, packs or mounts elsewhere may not.
  private mutating func inspectModes() {
    for (path, mode) in package.folderPermissions.sorted(by: { $0.key < $1.key }) where mode & 0o002 != 0 {
      findings.append(
        DeploymentFinding(
          .modeTooWide, path + "/", "mode \(Self.octal(mode)): everybody may put files into it",
          cure: "give it mode 755, and pack it again"))
    }
    for file in package.files where file.permissions & 0o7002 != 0 {
      findings.append(
        DeploymentFinding(
          .modeTooWide, file.path,
          "mode \(Self.octal(file.permissions)): "
            + (file.permissions & 0o7000 == 0
              ? "everybody may change it" : "it asks for another user's rights"),
          cure: "give it mode \(file.isExecutable ? "755" : "644"), and pack it again"))
    }
  }

  /// The function reads one file of its folder, by its exact name.
  private mutating func inspectPlaces() {
    let name = function.fileName
    let cure = "put the one that counts at the top of the package, as \(name), and take the others out"
    if package.folders.contains(name) {
      findings.append(
        DeploymentFinding(
          .configurationMisplaced, name, "it is a folder, so the function does not read it", cure: cure))
    }
    for file in package.files where file.path != name && !configurations.contains(file.path) {
      guard file.path.split(separator: "/").last?.lowercased() == name else { continue }
      findings.append(
        DeploymentFinding(
          .configurationMisplaced, file.path,
          "the function reads no other configuration than \(name) at the top",
          cure: cure))
    }
  }

  private mutating func inspectMode(of file: DeploymentPackage.File, orElse code: DeploymentFinding.Code) {
    // The user that starts the function is not the files' owner.
    guard file.permissions & 0o005 != 0o005 else { return }
    findings.append(
      DeploymentFinding(
        code, file.path, "mode \(Self.octal(file.permissions)), not readable and executable by all",
        cure: "give it mode 755, and pack it again on Linux or macOS, whose archivers keep modes"))
  }

  private static func octal(_ mode: Int) -> String { String(mode, radix: 8) }

  // MARK: Programs

  /// Programs of a package that are for another processor than the template's.
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
    return DeploymentFinding(
      .architectureMismatch, name, "it is for \(built), the template says \(architecture)",
      cure: "set Architectures (--parameter Architecture=\(built)), or build on \(architecture)")
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
            .programInvalid, name, error.description, cure: "make package on Linux builds and packs it"))
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
          "it is for \(other.machine.rawValue), \(first.name) for \(first.machine.rawValue)",
          cure: "deploy all of one build"))
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
    facts.append(("OpenSSL", "\(version), inside \(name): to patch it is to build and deploy anew"))
    guard let major = version.split(separator: ".").first.flatMap({ Int($0) }), major < 3 else { return }
    findings.append(
      DeploymentFinding(
        .openSSLUnsupported, name, "OpenSSL \(version) inside gets no patches",
        cure: "build it with OpenSSL 3 or later"))
  }

  private mutating func inspect(_ program: ELFFile, _ name: String) {
    for version in RuntimeImage.missing(of: program) {
      findings.append(
        DeploymentFinding(
          .symbolsTooNew, name,
          "it needs \(version.name) of \(version.library), which provided.al2023 has not",
          cure: "build it where the libraries are no newer, for example on Debian 12 (docs/deployment.md)"))
    }
    for library in program.libraries where !RuntimeImage.libraries.contains(library) && !isPacked(library) {
      findings.append(
        DeploymentFinding(
          .libraryMissing, name, "it needs \(library), which provided.al2023 has not",
          cure: "link it statically (make bootstrap does), or pack it as lib/\(library)"))
    }
    if let interpreter = program.interpreter, interpreter != program.machine.interpreter {
      findings.append(
        DeploymentFinding(
          .loaderMissing, name, "it is started by \(interpreter), which provided.al2023 has not",
          cure: "build it on a system with glibc"))
    }
    if let path = program.searchPath {
      findings.append(
        DeploymentFinding(
          .librariesFromFolder, name, "it has its libraries looked for in \(path) before those of the system",
          cure: "link it without -rpath: make bootstrap does"))
    }
    if program.hasSymbolTable {
      findings.append(
        DeploymentFinding(
          .notStripped, name, "it holds symbols that only a debugger reads", cure: "strip \(name)"))
    }
  }

  /// Lambda looks for libraries in `lib` of the package ("Defined runtime environment variables", LD_LIBRARY_PATH).
  private func isPacked(_ library: String) -> Bool {
    package.file("lib/" + library) != nil || package.file(library) != nil
  }
}
