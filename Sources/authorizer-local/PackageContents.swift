internal import Emulator
internal import Foundation
internal import JSON

/// The files of a package before it is written.
struct PackageContents {
  let package: DeploymentPackage

  /// Reads all of them.
  ///
  /// - Throws: `CommandFailure` for a file that is not there or has no place in the package.
  init(_ command: PackageCommand) throws(CommandFailure) {
    var files = [
      try Self.file("bootstrap", at: command.program, permissions: 0o755),
      try Self.file("fetch-keys", at: command.fetchKeys, permissions: 0o755),
    ]
    if let keys = command.keys {
      for name in try Self.names(in: keys) {
        files.append(try Self.file("keys/" + name, at: "\(keys)/\(name)", permissions: 0o644))
      }
    }
    // A configuration that is not here comes from a variable, and may name a table; of another function nothing is known.
    var needsTable = true
    if let config = command.config {
      let configuration = try Self.file(command.name + ".json", at: config, permissions: 0o644)
      files.append(configuration)
      // What is no JSON is told of when it is read as a configuration.
      let document = try? JSONTree(parsing: configuration.bytes, limits: .configuration)
      if let shipped = command.shipped {
        needsTable = document.flatMap { shipped.table(of: $0) } != nil
      }
      let folder = FileSystem.directory(of: config)
      for path in document.map(PackagedConfiguration.files) ?? []
      where !path.contains("://") && !files.contains(where: { $0.path == path }) {
        files.append(try Self.file(path, at: "\(folder)/\(path)", permissions: 0o644))
      }
    }
    if needsTable {
      files.append(try Self.file("call-dynamodb", at: command.callDynamoDB, permissions: 0o755))
    }
    do throws(DeploymentError) {
      package = try DeploymentPackage(files: files.sorted { $0.path < $1.path })
    } catch {
      throw CommandFailure(
        .usage, Printable.text(error.description),
        hint: "name files beside the configuration or under it, such as keys/apple.json")
    }
  }

  /// What the programs are, and that Lambda could start them.
  func programs() throws(CommandFailure) -> PackagedPrograms {
    var programs: [(name: String, program: ELFFile)] = []
    for name in ["bootstrap", "fetch-keys", "call-dynamodb"] {
      guard let file = package.file(name) else { continue }
      do throws(ELFError) {
        programs.append((name, try ELFFile(parsing: file.bytes)))
      } catch {
        throw CommandFailure(.unmet, "\(name): \(error.description)", hint: PackagedPrograms.cure)
      }
    }
    let openSSL = package.file("bootstrap").flatMap { EmbeddedOpenSSL.version(in: $0.bytes) }
    return try PackagedPrograms(programs, openSSL: openSSL)
  }

  private static func file(
    _ path: String, at place: String, permissions: Int
  ) throws(CommandFailure) -> DeploymentPackage.File {
    guard FileSystem.exists(place) || !place.hasPrefix("dist/") else {
      throw FileSystem.unreadable(place, orElse: "make bootstrap builds it")
    }
    return DeploymentPackage.File(
      path: path, bytes: try FileSystem.bytes(at: place, limit: DeploymentPackage.maximumUnpackedBytes),
      permissions: permissions)
  }

  /// The key sets of a folder. Whatever else lies there is refused rather than packed: a link would bring a file from
  /// elsewhere, and a private key would be in everybody's hands who may read the function.
  private static func names(in folder: String) throws(CommandFailure) -> [String] {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".") }
        .sorted()
    } catch {
      throw FileSystem.unreadable(folder)
    }
    for name in names {
      let path = "\(folder)/\(name)"
      // Of the link itself, not of what it names.
      let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
      guard type == .typeRegular else { throw refused(path, "is no regular file") }
      guard name.hasSuffix(".json") else {
        throw refused(path, "is no key set: its name does not end in .json")
      }
      guard let document = try? JSONTree(parsing: try FileSystem.bytes(at: path), limits: .keySet),
        case .array(let keys)? = document["keys"]
      else { throw refused(path, "is no key set: an object with an array \"keys\" is expected") }
      // RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1: what only the issuer may know.
      if keys.contains(where: { $0["d"] != nil || $0["k"] != nil }) {
        throw refused(path, "holds a private key")
      }
    }
    return names
  }

  private static func refused(_ path: String, _ reason: String) -> CommandFailure {
    CommandFailure(
      .usage, "\(path) \(reason)",
      hint: "the folder of --keys holds public key sets alone; a shared secret is named in the configuration")
  }
}

/// The programs of a package, each checked against what the runtime has.
struct PackagedPrograms {
  private let programs: [(name: String, program: ELFFile)]
  private let openSSL: String?
  /// As AWS spells it: `x86_64` or `arm64`.
  let architecture: String

  /// Debian 12 is the newest system on which a build is known to fit.
  static let cure = """
    build it where the libraries are no newer than provided.al2023's, for example in a container: \
    docker run --rm -v "$PWD":/src -w /src swift:6.3-bookworm make package INSTALL=1
    """

  init(_ programs: [(name: String, program: ELFFile)], openSSL: String?) throws(CommandFailure) {
    for (name, program) in programs {
      let missing = RuntimeImage.missing(of: program)
      if !missing.isEmpty {
        let list = missing.map { "\($0.name) of \($0.library)" }.joined(separator: ", ")
        throw CommandFailure(.unmet, "\(name) needs \(list), which provided.al2023 has not", hint: Self.cure)
      }
      if let library = program.libraries.first(where: { !RuntimeImage.libraries.contains($0) }) {
        throw CommandFailure(
          .unmet, "\(name) needs \(library), which provided.al2023 has not", hint: Self.cure)
      }
      if program.hasSymbolTable {
        throw CommandFailure(
          .unmet, "\(name) is not stripped", hint: "make bootstrap links it without symbols")
      }
    }
    guard let first = programs.first?.program.machine, programs.allSatisfy({ $0.program.machine == first })
    else {
      throw CommandFailure(
        .unmet, "its programs are for different processors", hint: "make bootstrap builds all of them")
    }
    architecture = first.rawValue
    self.programs = programs
    self.openSSL = openSSL
  }

  /// A line for each program: its libraries and the newest versions that it asks of them.
  var lines: [String] {
    programs.map { name, program in
      let libraries =
        program.libraries.isEmpty ? "needs no library" : "needs " + program.libraries.joined(separator: ", ")
      let newest = RuntimeImage.newest(of: program)
      let inside = name == "bootstrap" ? openSSL.map { ", OpenSSL \($0) inside" } ?? "" : ""
      let loaded = name == "bootstrap" ? "" : ", loads libcurl.so.4 when it is needed"
      return
        "\(name): \(program.machine.rawValue), \(program.interpreter == nil ? "static" : "dynamic"), \(libraries), "
        + (newest.isEmpty ? "no versioned symbol" : "newest symbols \(newest.joined(separator: ", "))")
        + inside + loaded
    }
  }
}
