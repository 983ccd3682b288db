internal import Templates
internal import DeploymentChecks
internal import Text
internal import Foundation
internal import JSON

/// The files of a package before it is written.
struct PackageContents {
  let package: DeploymentPackage

  /// Reads all files.
  ///
  /// - Throws: `CommandFailure` for a file that is missing or not allowed in the package.
  init(_ command: PackageCommand, on machine: Machine) throws(CommandFailure) {
    let system = machine.files
    func program(_ name: String, _ path: String) throws(CommandFailure) -> DeploymentPackage.File {
      try Self.file(name, at: path, permissions: 0o755, system)
    }
    var files = [try program("bootstrap", try command.program(on: machine))]
    let fetcher = try machine.path(of: "fetch-keys", given: command.fetchKeys, by: "--fetch-keys")
    files.append(try program("fetch-keys", fetcher))
    if let keys = command.keys {
      for name in try Self.names(in: keys, system) {
        files.append(try Self.file("keys/" + name, at: "\(keys)/\(name)", system))
      }
    }
    // Without a configuration file, a variable may name a table. The configuration of another function is unknown.
    var needsTable = true
    if let config = command.config {
      let configuration = try Self.file(command.name + ".json", at: config, system)
      files.append(configuration)
      // Invalid JSON is reported when the configuration is checked.
      let document = try? JSONTree(parsing: configuration.bytes, limits: .configuration)
      if let shipped = command.shipped {
        needsTable = document.map { shipped.needsTable($0) } ?? false
      }
      let folder = system.directory(of: config)
      let seeds = document.map { PackagedConfiguration.seeds(namedBy: $0) } ?? []
      for path in document.map(PackagedConfiguration.files) ?? []
      where !path.containsBytes(of: "://") && !files.contains(where: { $0.path == path }) {
        let place = "\(folder)/\(path)"
        if seeds.contains(path), !path.hasBytePrefix("/"), !system.exists(place) {
          throw system.unreadable(
            place,
            orElse:
              "authorizer-local keys fetch PRESET_OR_URL -o \(ShellWord.path(place, or: "FILE")) writes it")
        }
        files.append(try Self.file(path, at: place, system))
      }
    }
    if needsTable {
      let path = try machine.path(
        of: "call-dynamodb", given: command.callDynamoDB, by: "--call-dynamodb")
      files.append(try program("call-dynamodb", path))
    }
    package = try Result { () throws(DeploymentError) in
      try DeploymentPackage(files: files.sorted { $0.path < $1.path })
    }.mapError {
      CommandFailure(
        .usage, Printable.text($0.description),
        hint: "use files in the folder of the configuration or below, such as keys/apple.json")
    }.get()
  }

  /// Returns what is known of the programs, after checking that Lambda can start them.
  func programs() throws(CommandFailure) -> ProgramInspection {
    let programs = ProgramInspection(package, architecture: nil)
    guard let refusal = programs.refusal else { return programs }
    throw CommandFailure(
      .unmet, Printable.text("\(refusal.place): \(refusal.problem)"), hint: refusal.cure)
  }

  private static func file(
    _ path: String, at place: String, permissions: Int = 0o644, _ system: FileSystem
  ) throws(CommandFailure) -> DeploymentPackage.File {
    DeploymentPackage.File(
      path: path, bytes: try system.bytes(at: place, limit: DeploymentPackage.maximumUnpackedBytes),
      permissions: permissions)
  }

  /// Returns the names of the key sets in a folder. Anything else in it is refused: a link could add a file from
  /// elsewhere, and a private key would be visible to anyone who can read the function.
  private static func names(in folder: String, _ system: FileSystem) throws(CommandFailure) -> [String] {
    guard let all = try? FileManager.default.contentsOfDirectory(atPath: system.place(of: folder)) else {
      throw system.unreadable(folder)
    }
    let names = all.filter { !$0.hasBytePrefix(".") }.sorted()
    for name in names {
      let path = "\(folder)/\(name)"
      // The type of the link itself, not of its target.
      let type = system.attributes(of: path)[.type] as? FileAttributeType
      guard type == .typeRegular else { throw refused(path, "is not a regular file") }
      guard name.hasByteSuffix(".json") else {
        throw refused(path, "is not a key set: its name does not end in .json")
      }
      guard let document = try? JSONTree(parsing: try system.bytes(at: path), limits: .keySet),
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

extension Machine {
  /// Returns the path of a program: the given one, or that of this release.
  func path(
    of program: String, given: String?, by option: String
  ) throws(CommandFailure) -> String {
    if let path = given ?? installation.program(program) { return path }
    throw installation.missing(program, orElse: "give its path with \(option) FILE")
  }
}
