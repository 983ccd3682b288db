internal import Emulator
internal import Foundation
internal import JSON

/// The files that a template deploys for a function, as far as they decide about its configuration.
struct DoctorArtifact {
  /// The configuration and what it names, also where it would not be packed: its content can be judged all the same.
  private(set) var package = DeploymentPackage()
  /// What is named and would not be packed.
  private(set) var findings: [DeploymentFinding] = []
  /// Files whose absence is told of by a finding here, as they are named.
  private(set) var excused: Set<String> = []
  private let function: ShippedFunction
  private let place: Place
  private let template: String

  /// What becomes of the folder of a function's code.
  private enum Place {
    /// The target of the Makefile that is shipped: configuration and `keys` of this folder, nothing else.
    case shipped(folder: String)
    /// A folder that is packed as it is.
    case folder(String)
    /// Whatever a build of its own makes of it; files are looked for here, and nothing is said about packing.
    case unknown(folder: String)
  }

  /// - Parameters:
  ///   - shipped: which of the project's functions it is.
  ///   - function: of the template; `nil` where it has none that can be read.
  ///   - template: path of the template.
  ///   - config: the configuration, where it was named by hand.
  /// - Throws: `CommandFailure` for a file that was named by hand and cannot be read.
  init(
    _ shipped: ShippedFunction = .authorizer, of function: TemplateFunction?, template: String,
    config: String?
  ) throws(CommandFailure) {
    self.function = shipped
    self.template = FileSystem.directory(of: template)
    var files: [DeploymentPackage.File] = []
    if let config {
      place = .unknown(folder: FileSystem.directory(of: config))
      let bytes = try FileSystem.bytes(at: config, limit: JSONLimits.configuration.bytes)
      files.append(Self.file(shipped.fileName, bytes))
    } else {
      if let archive = Self.archive(of: function, beside: self.template) {
        (place, package) = (.unknown(folder: self.template), archive)
        findings = PackageInspection.mismatches(of: archive, architecture: function?.architecture ?? "x86_64")
        return
      }
      place = Self.place(of: function, beside: self.template)
      add(shipped.fileName, to: &files)
    }
    let variables = function?.variables ?? [:]
    let first = PackagedConfiguration(
      function: shipped, package: (try? DeploymentPackage(files: files)) ?? DeploymentPackage(),
      variables: variables)
    if let path = first.namedConfiguration { add(path, to: &files) }
    let second = PackagedConfiguration(
      function: shipped, package: (try? DeploymentPackage(files: files)) ?? DeploymentPackage(),
      variables: variables)
    for name in second.namedFiles
    where !files.contains(where: { $0.path == PackagedConfiguration.relative(name) }) {
      add(name, to: &files)
    }
    package = (try? DeploymentPackage(files: files)) ?? DeploymentPackage()
  }

  private static func file(_ path: String, _ bytes: [UInt8]) -> DeploymentPackage.File {
    DeploymentPackage.File(path: path, bytes: bytes, permissions: 0o644)
  }

  // MARK: Where

  /// The code's folder or archive; `nil` where it is no path.
  private static func code(of function: TemplateFunction?, beside folder: String) -> String? {
    guard let text = function?.code, !text.contains("://") else { return nil }
    return text.hasPrefix("/") ? text : "\(folder)/\(text)"
  }

  private static func archive(of function: TemplateFunction?, beside folder: String) -> DeploymentPackage? {
    guard let path = code(of: function, beside: folder), path.hasSuffix(".zip"),
      let bytes = contents(of: path, limit: DeploymentPackage.maximumUnpackedBytes)
    else { return nil }
    return try? DeploymentPackage(parsing: bytes)
  }

  /// Of a Makefile, in bytes: ours.
  private static let maximumMakefileBytes = 1 << 20

  /// `sam build` calls make for a runtime `provided…` (AWS SAM CLI, "Building custom runtimes").
  private static func place(of function: TemplateFunction?, beside folder: String) -> Place {
    guard let function, let code = code(of: function, beside: folder), FileSystem.isDirectory(code) else {
      return .unknown(folder: folder)
    }
    guard let makefile = contents(of: code + "/Makefile", limit: maximumMakefileBytes) else {
      switch function.buildMethod {
      case "makefile": return .shipped(folder: folder)
      case nil: return .folder(code)
      default: return .unknown(folder: folder)
      }
    }
    let text = String(decoding: makefile, as: UTF8.self)
    let isShipped = text.contains("build-\(function.name):") && text.contains("template/keys")
    return isShipped ? .shipped(folder: code + "/template") : .unknown(folder: folder)
  }

  // MARK: Files

  /// Of a file that a template leads to: no device and no pipe, which may have no end. One that is too large is cut one byte
  /// above the limit, so that whoever reads it says so.
  private static func contents(of path: String, limit: Int) -> [UInt8]? {
    let place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let type = try? FileManager.default.attributesOfItem(atPath: place)[.type] as? FileAttributeType
    guard type == .typeRegular, let handle = try? FileSystem.reading(place) else { return nil }
    defer { try? handle.close() }
    return (try? handle.read(upToCount: limit + 1)).map { Array($0) }
  }

  /// More than the function takes of any file that a configuration names.
  private static let maximumFileBytes = [JSONLimits.configuration, .keySet].map(\.bytes).reduce(1 << 20, max)

  /// Adds a file by the name that the function will look for.
  private mutating func add(_ name: String, to files: inout [DeploymentPackage.File]) {
    let path = PackagedConfiguration.relative(name)
    // What lies outside of the package is told of by the one who reads the configuration.
    guard !path.hasPrefix("/"), !path.split(separator: "/").contains("..") else { return }
    let (folder, isPacked, cure): (String, Bool, String)
    let isConfiguration = path == function.fileName
    switch place {
    case .shipped(let shipped):
      (folder, isPacked) = (shipped, isConfiguration || path.hasPrefix("keys/"))
      let last = path.split(separator: "/").last ?? ""
      cure =
        "lay it in \(Self.shown(shipped))/\(isPacked ? path : "keys/\(last)")"
        + (isPacked ? "" : ", and name it keys/\(last)") + ": sam build packs that folder"
    case .folder(let code): (folder, isPacked, cure) = (code, true, "lay it in \(Self.shown(code))/\(path)")
    case .unknown(let unknown): (folder, isPacked, cure) = (unknown, true, "")
    }
    let found = isPacked ? Self.contents(of: "\(folder)/\(path)", limit: Self.maximumFileBytes) : nil
    if let found { return files.append(Self.file(path, found)) }
    if case .unknown = place { return }
    // Where its author took it to be packed from.
    let elsewhere = [folder, template].lazy.compactMap {
      Self.contents(of: "\($0)/\(path)", limit: Self.maximumFileBytes)
    }.first
    if let elsewhere { files.append(Self.file(path, elsewhere)) }
    // No configuration at all is told of by the one who reads it.
    if isConfiguration, elsewhere == nil { return }
    excused.insert(name)
    findings.append(
      DeploymentFinding(
        .fileNotPacked, name,
        elsewhere == nil
          ? "it is nowhere that sam build packs files from"
          : "it lies here, and is not in what sam build makes: the function would not find it",
        cure: cure))
  }

  private static func shown(_ folder: String) -> String {
    let path = FileSystem.absolute(folder)
    let here = FileSystem.absolute(FileSystem.currentDirectory) + "/"
    return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
  }
}
