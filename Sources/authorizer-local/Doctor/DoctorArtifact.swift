internal import DeploymentChecks
internal import GatewayModel
internal import Templates
internal import Text
internal import Foundation
internal import JSON

/// The files that a template deploys for a function, as far as its configuration depends on them.
struct DoctorArtifact {
  /// The configuration and the files it names, including files that would not be packed: their content is checked
  /// anyway.
  private(set) var package = DeploymentPackage()
  /// The files that are named but would not be packed.
  private(set) var findings: [DeploymentFinding] = []
  /// Named files whose absence already has a finding here.
  private(set) var excused: Set<String> = []
  /// The paths of the files that were read, as text, by their names in the package.
  private var sources: [String: String] = [:]
  /// The path of the archive that the template names as the code.
  private var archivePath: String?
  /// The named key sets: a command writes those that are missing.
  private var seeds: Set<String> = []
  private let function: ShippedFunction
  private let system: FileSystem
  private let place: Place
  private let template: String

  /// How the folder of a function's code is packed.
  private enum Place {
    /// The shipped Makefile target: it packs the configuration and `keys` of this folder, nothing else.
    case shipped(folder: String)
    /// A folder that is packed unchanged.
    case folder(String)
    /// A custom build. Files are searched here; packing has no findings.
    case unknown(folder: String)
  }

  /// - Parameters:
  ///   - shipped: the function of this project.
  ///   - function: the template's function; `nil` if the template has none that can be read.
  ///   - template: path of the template.
  ///   - config: the configuration given on the command line, if any.
  /// - Throws: `CommandFailure` if a file given on the command line cannot be read.
  init(
    _ shipped: ShippedFunction = .authorizer, of function: TemplateFunction?, template: String,
    config: String?, on machine: Machine
  ) throws(CommandFailure) {
    self.function = shipped
    system = machine.files
    self.template = system.directory(of: template)
    var files: [DeploymentPackage.File] = []
    if let config {
      place = .unknown(folder: system.directory(of: config))
      let bytes = try system.bytes(at: config, limit: JSONLimits.configuration.bytes)
      sources[shipped.fileName] = shown(config)
      files.append(Self.file(shipped.fileName, bytes))
    } else {
      if let archive = Self.archive(of: function, beside: self.template, system) {
        (place, package) = (.unknown(folder: self.template), archive)
        archivePath = Self.code(of: function, beside: self.template)
        findings = ProgramInspection.mismatches(of: archive, architecture: function?.architecture ?? "x86_64")
        compareWithSource(archive)
        return
      }
      place = Self.place(of: function, beside: self.template, system)
      noteMissingArchive(of: function)
      add(shipped.fileName, to: &files)
    }
    func configuration() -> PackagedConfiguration {
      PackagedConfiguration(
        function: shipped, package: (try? DeploymentPackage(files: files)) ?? DeploymentPackage(),
        variables: function?.variables ?? [:])
    }
    if let path = configuration().namedConfiguration { add(path, to: &files) }
    let whole = configuration()
    seeds = whole.seeds
    for name in whole.namedFiles
    where !files.contains(where: { $0.path == PackagedConfiguration.relative(name) }) {
      add(name, to: &files)
    }
    package = configuration().package
  }

  /// Returns where a file of the package was read, as text.
  func source(of name: String) -> String {
    if let archivePath { return "\(name) in \(shown(archivePath))" }
    return sources[name] ?? name
  }

  private static func file(_ path: String, _ bytes: [UInt8]) -> DeploymentPackage.File {
    DeploymentPackage.File(path: path, bytes: bytes, permissions: 0o644)
  }

  // MARK: Where

  /// Returns the path of the code's folder or archive; `nil` if it is not a local path.
  private static func code(of function: TemplateFunction?, beside folder: String) -> String? {
    guard let text = function?.code, !text.containsBytes(of: "://") else { return nil }
    return text.hasBytePrefix("/") ? text : "\(folder)/\(text)"
  }

  private static func archive(
    of function: TemplateFunction?, beside folder: String, _ system: FileSystem
  ) -> DeploymentPackage? {
    guard let path = Self.code(of: function, beside: folder), path.hasByteSuffix(".zip"),
      let bytes = contents(of: path, limit: DeploymentPackage.maximumUnpackedBytes, system)
    else { return nil }
    return try? DeploymentPackage(parsing: bytes)
  }

  /// Notes that the archive does not exist yet: the files beside the template are checked instead.
  private mutating func noteMissingArchive(of shipped: TemplateFunction?) {
    guard let path = Self.code(of: shipped, beside: template), path.hasByteSuffix(".zip"),
      !system.exists(path)
    else { return }
    if let other = Self.archiveOfOtherProcessor(path), system.exists(other) {
      findings.add(
        .archiveOfOtherProcessor, shown(path),
        "the template deploys this file, which does not exist; \(shown(other)) is for another processor",
        cure: "change CodeUri and Architectures in the template, or pack the function for its processor")
      return
    }
    let start = "/\(function.rawValue)-"
    guard ["x86_64", "arm64"].contains(where: { path.hasByteSuffix("\(start)\($0).zip") }) else {
      let folder = shown(system.directory(of: path))
      return findings.add(
        .archiveMisnamed, shown(path),
        "the template deploys this file, which does not exist, and package never writes a file of this name",
        cure: "did you mean \(folder)\(start)\(shipped?.architecture ?? "x86_64").zip?")
    }
    findings.add(
      .archiveMissing, shown(path),
      "the template deploys this file, which does not exist yet: \(packing) writes it",
      cure: "pack the function before the deployment")
  }

  /// Returns the path that `package` gives to the archive for the other processor; `nil` if the name has no processor.
  private static func archiveOfOtherProcessor(_ path: String) -> String? {
    for (end, other) in [("-x86_64.zip", "-arm64.zip"), ("-arm64.zip", "-x86_64.zip")]
    where path.hasByteSuffix(end) {
      return path.dropLast(bytes: end.utf8.count) + other
    }
    return nil
  }

  /// Compares the configuration in the archive with the file beside the template that it was packed from.
  private mutating func compareWithSource(_ archive: DeploymentPackage) {
    guard let packed = archive.file(function.fileName),
      let current = Self.contents(of: source, limit: Self.maximumFileBytes, system), current != packed.bytes
    else { return }
    findings.add(
      .archiveOutdated, archivePath.map(shown) ?? function.fileName,
      "it contains another \(function.fileName) than \(shown(source)): a deployment would not use that file",
      cure: "pack the function again: \(packing)")
    do throws(JSONError) { _ = try JSONTree(parsing: current, limits: .configuration) } catch {
      findings.add(
        .configurationInvalid, shown(source), "not JSON: \(error.description(in: current))",
        cure: "correct it before you pack the function again")
    }
  }

  /// The path of the configuration beside the template.
  private var source: String { "\(template)/\(function.fileName)" }

  /// The command that packs the function, with that configuration if there is one.
  private var packing: String {
    "authorizer-local package" + (function == .authorizer ? "" : " --name \(function.rawValue)")
      + (system.exists(source) ? " --config \(ShellWord.path(shown(source), or: "FILE"))" : "")
  }

  /// Limit of a Makefile in bytes, chosen by us.
  private static let maximumMakefileBytes = 1 << 20

  /// Returns how the code is packed. `sam build` calls make for a runtime `provided…` (AWS SAM CLI, "Building custom
  /// runtimes").
  private static func place(
    of function: TemplateFunction?, beside folder: String, _ system: FileSystem
  ) -> Place {
    guard let function, let code = Self.code(of: function, beside: folder), system.isDirectory(code) else {
      return .unknown(folder: folder)
    }
    guard let makefile = contents(of: code + "/Makefile", limit: maximumMakefileBytes, system) else {
      switch function.buildMethod {
      case "makefile": return .shipped(folder: folder)
      case nil: return .folder(code)
      default: return .unknown(folder: folder)
      }
    }
    let text = String(decoding: makefile, as: UTF8.self)
    let isShipped =
      text.containsBytes(of: "build-\(function.name):") && text.containsBytes(of: "template/keys")
    return isShipped ? .shipped(folder: code + "/template") : .unknown(folder: folder)
  }

  // MARK: Files

  /// Returns the content of a regular file that a template refers to; devices and pipes may have no end. A file that
  /// is too large is cut one byte above the limit, so that its reader reports the size.
  private static func contents(of path: String, limit: Int, _ system: FileSystem) -> [UInt8]? {
    let place = URL(fileURLWithPath: system.place(of: path)).resolvingSymlinksInPath().path
    let type = system.attributes(of: place)[.type] as? FileAttributeType
    guard type == .typeRegular, let handle = try? system.reading(place) else { return nil }
    defer { try? handle.close() }
    return (try? handle.read(upToCount: limit + 1)).map { Array($0) }
  }

  /// The limit of any file that a configuration names, in bytes: at least the limit that the function has.
  private static let maximumFileBytes = [JSONLimits.configuration, .keySet].map(\.bytes).reduce(1 << 20, max)

  /// Adds a file under the name that the function opens.
  private mutating func add(_ name: String, to files: inout [DeploymentPackage.File]) {
    let path = PackagedConfiguration.relative(name)
    // The reader of the configuration reports paths outside of the package.
    guard !path.hasBytePrefix("/"), !path.splitBytes(at: "/").containsText("..") else { return }
    let (folder, isPacked, target, rest): (String, Bool, String, String)
    let isConfiguration = path == function.fileName
    switch place {
    case .shipped(let shipped):
      (folder, isPacked) = (shipped, isConfiguration || path.hasBytePrefix("keys/"))
      let last = path.splitBytes(at: "/").last ?? ""
      target = isPacked ? path : "keys/\(last)"
      rest = (isPacked ? "" : " and configure it as keys/\(last)") + ": sam build packs that folder"
    case .folder(let code): (folder, isPacked, target, rest) = (code, true, path, "")
    case .unknown(let unknown): (folder, isPacked, target, rest) = (unknown, true, path, "")
    }
    let found = isPacked ? Self.contents(of: "\(folder)/\(path)", limit: Self.maximumFileBytes, system) : nil
    if let found {
      sources[path] = shown("\(system.absolute(folder))/\(path)")
      return files.append(Self.file(path, found))
    }
    if case .unknown = place { return }
    // The place where the author expected it to be packed from.
    var elsewhere: (path: String, bytes: [UInt8])?
    for base in [folder, template] where elsewhere == nil {
      if let bytes = Self.contents(of: "\(base)/\(path)", limit: Self.maximumFileBytes, system) {
        elsewhere = (shown("\(system.absolute(base))/\(path)"), bytes)
      }
    }
    if let elsewhere {
      sources[path] = elsewhere.path
      files.append(Self.file(path, elsewhere.bytes))
    }
    // The reader of the configuration reports a missing configuration.
    if isConfiguration, elsewhere == nil { return }
    excused.insert(name)
    let destination = "\(shown(folder))/\(target)"
    let command =
      elsewhere == nil && seeds.contains(name)
      ? "; authorizer-local keys fetch PRESET_OR_URL -o \(ShellWord.path(destination, or: "FILE")) writes it"
      : ""
    findings.add(
      .fileNotPacked, name,
      elsewhere == nil
        ? "the file is in no folder that sam build packs"
        : "the file exists, but sam build does not pack it: the function would not find it",
      cure: "put it in \(destination)\(rest)\(command)")
  }

  private func shown(_ folder: String) -> String {
    let path = system.absolute(folder)
    let here = system.absolute(system.currentDirectory) + "/"
    return path.hasBytePrefix(here) ? String(path.dropFirst(bytes: here.utf8.count)) : path
  }
}
