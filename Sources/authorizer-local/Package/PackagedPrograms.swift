internal import DeploymentChecks

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
