internal import Text

/// Checks the programs of a deployment package: processor, libraries, symbols and the OpenSSL that they contain.
package struct ProgramInspection {
  /// The findings, in the order of the programs.
  package private(set) var findings: [DeploymentFinding] = []
  /// Facts about the programs, as names and values.
  package private(set) var facts: [(name: String, value: String)] = []
  /// The processor of the first program; `nil` without one.
  package private(set) var machine: ELFFile.Machine?
  private let package: DeploymentPackage

  /// Why the programs are not packed; `nil` if they can be. The loader is left to `doctor`.
  package var refusal: DeploymentFinding? {
    let refused: [DeploymentFinding.Code] = [
      .programInvalid, .symbolsTooNew, .libraryMissing, .notStripped, .processorsDiffer,
    ]
    return findings.first { refused.contains($0.code) }
  }

  package static let names = ["bootstrap", "fetch-keys", "call-dynamodb"]

  /// - Parameter architecture: the template's architecture; `nil` without a template.
  package init(_ package: DeploymentPackage, architecture: String?) {
    self.package = package
    inspectPrograms(architecture)
  }

  /// Returns a finding for each program that is built for a different architecture than the template's.
  package static func mismatches(of package: DeploymentPackage, architecture: String) -> [DeploymentFinding] {
    names.compactMap { name in
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
      .architectureMismatch, name, "it is built for \(built), but the template says \(architecture)",
      cure: "set Architectures to \(built), in the template or with its parameter, or pack programs for"
        + " \(architecture) (docs/platforms.md)")
  }

  private mutating func inspectPrograms(_ architecture: String?) {
    var machines: [(name: String, machine: ELFFile.Machine)] = []
    for name in Self.names {
      guard let file = package.file(name) else { continue }
      let program: ELFFile
      do throws(ELFError) {
        program = try ELFFile(parsing: file.bytes)
      } catch {
        findings.add(
          .programInvalid, name, error.description, cure: "run make package on Linux to build and pack it")
        continue
      }
      machines.append((name, program.machine))
      describe(program, name, file.bytes)
      inspect(program, name)
      if let architecture, program.machine.rawValue != architecture {
        findings.append(Self.mismatch(name, program, architecture))
      }
    }
    machine = machines.first?.machine
    if let first = machines.first, let other = machines.first(where: { $0.machine != first.machine }) {
      findings.add(
        .processorsDiffer, other.name,
        "it is built for \(other.machine.rawValue), but \(first.name) for \(first.machine.rawValue)",
        cure: "deploy all programs of one build")
    }
  }

  private mutating func describe(_ program: ELFFile, _ name: String, _ bytes: [UInt8]) {
    let newest = RuntimeImage.newest(of: program)
    let libraries = program.libraries.isEmpty ? "no library" : program.libraries.joined(separator: ", ")
    facts.append(
      (
        name,
        "\(bytes.count) bytes, \(program.machine.rawValue), "
          + (program.interpreter == nil ? "static, " : "dynamic, ")
          + (program.isPositionIndependent ? "" : "at fixed addresses, ") + "needs \(libraries)"
          + (newest.isEmpty ? "" : ", newest symbols \(newest.joined(separator: ", "))")
          + (name == Self.names[0] ? "" : ", loads libcurl.so.4 when needed")
      ))
    guard let version = EmbeddedOpenSSL.version(in: bytes) else { return }
    facts.append(("OpenSSL", "\(version), linked into \(name); to patch it, build and deploy again"))
    guard let major = version.splitBytes(at: ".").first.flatMap({ Int($0) }), major < 3 else { return }
    findings.add(
      .openSSLUnsupported, name, "the linked OpenSSL \(version) no longer gets patches",
      cure: "build it with OpenSSL 3 or later")
  }

  private mutating func inspect(_ program: ELFFile, _ name: String) {
    for version in RuntimeImage.missing(of: program) {
      findings.add(
        .symbolsTooNew, name,
        "it needs \(version.name) of \(version.library), which provided.al2023 does not have",
        cure:
          "build it on a system whose libraries are no newer (docs/deployment.md), for example in a container:"
          + " docker run --rm -v \"$PWD\":/src -w /src swift:6.3-bookworm make package INSTALL=1")
    }
    for library in program.libraries where !RuntimeImage.libraries.contains(library) && !isPacked(library) {
      findings.add(
        .libraryMissing, name, "it needs \(library), which provided.al2023 does not have",
        cure: "link it statically, as make bootstrap does, or pack it as lib/\(library)")
    }
    if let interpreter = program.interpreter, interpreter != program.machine.interpreter {
      findings.add(
        .loaderMissing, name, "it needs the loader \(interpreter), which provided.al2023 does not have",
        cure: "build it on a system with glibc")
    }
    if let path = program.searchPath {
      findings.add(
        .librariesFromFolder, name, "it loads libraries from \(path) before those of the system",
        cure: "link it without -rpath, as make bootstrap does")
    }
    if program.hasSymbolTable {
      findings.add(
        .notStripped, name, "it contains symbols that only a debugger needs",
        cure: "run strip \(ShellWord.path(name, or: "FILE"))")
    }
  }

  /// Lambda searches the package and its `lib` folder ("Defined runtime environment variables", LD_LIBRARY_PATH).
  private func isPacked(_ library: String) -> Bool {
    package.file("lib/" + library) != nil || package.file(library) != nil
  }
}
