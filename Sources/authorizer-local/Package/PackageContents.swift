internal import Emulator
internal import Foundation
internal import JSON

/// The files of a package before it is written.
struct PackageContents {
  let package: DeploymentPackage

  /// Reads all files.
  ///
  /// - Throws: `CommandFailure` for a file that is missing or not allowed in the package.
  init(_ command: PackageCommand) throws(CommandFailure) {
    var files = [
      try Self.file("bootstrap", at: try command.program(), permissions: 0o755),
      try Self.file(
        "fetch-keys",
        at: try PackageCommand.path(of: "fetch-keys", given: command.fetchKeys, by: "--fetch-keys"),
        permissions: 0o755),
    ]
    if let keys = command.keys {
      for name in try Self.names(in: keys) {
        files.append(try Self.file("keys/" + name, at: "\(keys)/\(name)", permissions: 0o644))
      }
    }
    // Without a configuration file, a variable may name a table. The configuration of another function is unknown.
    var needsTable = true
    if let config = command.config {
      let configuration = try Self.file(command.name + ".json", at: config, permissions: 0o644)
      files.append(configuration)
      // Invalid JSON is reported when the configuration is checked.
      let document = try? JSONTree(parsing: configuration.bytes, limits: .configuration)
      if let shipped = command.shipped {
        needsTable = document.flatMap { shipped.table(of: $0) } != nil
      }
      let folder = FileSystem.directory(of: config)
      let seeds = document.map { PackagedConfiguration.seeds(namedBy: $0) } ?? []
      for path in document.map(PackagedConfiguration.files) ?? []
      where !path.contains("://") && !files.contains(where: { $0.path == path }) {
        let place = "\(folder)/\(path)"
        if seeds.contains(path), !path.hasPrefix("/"), !FileSystem.exists(place) {
          throw FileSystem.unreadable(
            place, orElse: "authorizer-local keys fetch PRESET_OR_URL -o \(place) writes it")
        }
        files.append(try Self.file(path, at: place, permissions: 0o644))
      }
    }
    if needsTable {
      let path = try PackageCommand.path(
        of: "call-dynamodb", given: command.callDynamoDB, by: "--call-dynamodb")
      files.append(try Self.file("call-dynamodb", at: path, permissions: 0o755))
    }
    do throws(DeploymentError) {
      package = try DeploymentPackage(files: files.sorted { $0.path < $1.path })
    } catch {
      throw CommandFailure(
        .usage, Printable.text(error.description),
        hint: "use files in the folder of the configuration or below, such as keys/apple.json")
    }
  }

  /// Returns the programs, after checking that Lambda can start them.
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
    DeploymentPackage.File(
      path: path, bytes: try FileSystem.bytes(at: place, limit: DeploymentPackage.maximumUnpackedBytes),
      permissions: permissions)
  }

  /// Returns the names of the key sets in a folder. Anything else in it is refused: a link could add a file from
  /// elsewhere, and a private key would be visible to anyone who can read the function.
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
      // The type of the link itself, not of its target.
      let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
      guard type == .typeRegular else { throw refused(path, "is not a regular file") }
      guard name.hasSuffix(".json") else {
        throw refused(path, "is not a key set: its name does not end in .json")
      }
      guard let document = try? JSONTree(parsing: try FileSystem.bytes(at: path), limits: .keySet),
        case .array(let keys)? = document["keys"]
      else { throw refused(path, "is not a key set: expected an object with an array \"keys\"") }
      // Members that only the issuer may know (RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1).
      if keys.contains(where: { $0["d"] != nil || $0["k"] != nil }) {
        throw refused(path, "contains a private key")
      }
    }
    return names
  }

  private static func refused(_ path: String, _ reason: String) -> CommandFailure {
    CommandFailure(
      .usage, "\(path) \(reason)",
      hint: "the folder of --keys may contain only public key sets; name a shared secret in the configuration"
    )
  }
}

/// The programs of a package, each checked against the libraries of the runtime.
struct PackagedPrograms {
  private let programs: [(name: String, program: ELFFile)]
  private let openSSL: String?
  /// The architecture in AWS's spelling: `x86_64` or `arm64`.
  let architecture: String

  /// Debian 12 is the newest system whose builds are known to work.
  static let cure = """
    build it on a system whose libraries are no newer than those of provided.al2023, for example in a container: \
    docker run --rm -v "$PWD":/src -w /src swift:6.3-bookworm make package INSTALL=1
    """

  init(_ programs: [(name: String, program: ELFFile)], openSSL: String?) throws(CommandFailure) {
    for (name, program) in programs {
      let missing = RuntimeImage.missing(of: program)
      if !missing.isEmpty {
        let list = missing.map { "\($0.name) of \($0.library)" }.joined(separator: ", ")
        throw CommandFailure(
          .unmet, "\(name) needs \(list), which provided.al2023 does not have", hint: Self.cure)
      }
      if let library = program.libraries.first(where: { !RuntimeImage.libraries.contains($0) }) {
        throw CommandFailure(
          .unmet, "\(name) needs \(library), which provided.al2023 does not have", hint: Self.cure)
      }
      if program.hasSymbolTable {
        throw CommandFailure(
          .unmet, "\(name) is not stripped", hint: "use the programs of make bootstrap, which have no symbols"
        )
      }
    }
    guard let first = programs.first?.program.machine, programs.allSatisfy({ $0.program.machine == first })
    else {
      throw CommandFailure(
        .unmet, "the programs are for different processors", hint: "build all of them with make bootstrap")
    }
    architecture = first.rawValue
    self.programs = programs
    self.openSSL = openSSL
  }

  /// One line for each program: its libraries and the newest symbol versions that it needs.
  var lines: [String] {
    programs.map { name, program in
      let libraries =
        program.libraries.isEmpty ? "needs no library" : "needs " + program.libraries.joined(separator: ", ")
      let newest = RuntimeImage.newest(of: program)
      let inside = name == "bootstrap" ? openSSL.map { ", OpenSSL \($0) inside" } ?? "" : ""
      let loaded = name == "bootstrap" ? "" : ", loads libcurl.so.4 when needed"
      return
        "\(name): \(program.machine.rawValue), \(program.interpreter == nil ? "static" : "dynamic"), \(libraries), "
        + (newest.isEmpty ? "no versioned symbol" : "newest symbols \(newest.joined(separator: ", "))")
        + inside + loaded
    }
  }
}
