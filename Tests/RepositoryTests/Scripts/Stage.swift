import Foundation
import Testing
import TestSupport

/// A folder of fake commands, the only `PATH` of one run of `scripts/system-packages`.
struct Stage {
  struct Run {
    let status: Int32
    let standardOutput: String
    let standardError: String
  }

  private let machine: Machine
  private let temporary: TemporaryFolder
  private var folder: URL { temporary.url }
  private var bin: URL { folder.appending(path: "bin") }

  init(_ machine: Machine) throws {
    self.machine = machine
    temporary = try TemporaryFolder()
    for name in ["bin", "present", "lib"] {
      try FileManager.default.createDirectory(
        at: folder.appending(path: name), withIntermediateDirectories: true)
    }
    for tool in ["sed", "head", "env", "cp", "rm", "touch"] { try linkRealTool(tool) }
    for thing in machine.present { try write("", to: "present/\(thing)") }
    if machine.present.contains("libcrypto") { try write("", to: "lib/libcrypto.a") }
    if machine.firstInstallationFails { try write("", to: "fail-once") }
    try fakeSystem()
    try fakePackageManagers()
    if machine.present.contains("pkg-config") {
      try TestProgram.copy(
        folder.appending(path: "pkg-config.new").path, to: bin.appending(path: "pkg-config").path)
    }
  }

  func run() throws -> Run {
    let process = Process()
    process.executableURL = URL(filePath: machine.answer == nil ? "/bin/sh" : "/usr/bin/script")
    process.arguments = machine.answer == nil ? [Self.script] : Self.argumentsForTerminal
    process.environment = ["PATH": bin.path, "SHELL": "/bin/sh"]
    if let install = machine.install { process.environment?["INSTALL"] = install }
    for name in ["input", "output", "errors"] { try write("", to: name) }
    if let answer = machine.answer { try write(answer + "\n", to: "input") }
    process.standardInput = try FileHandle(forReadingFrom: folder.appending(path: "input"))
    process.standardOutput = try FileHandle(forWritingTo: folder.appending(path: "output"))
    process.standardError = try FileHandle(forWritingTo: folder.appending(path: "errors"))
    try process.run()
    process.waitUntilExit()
    let output = try temporary.text("output")
    let errors = try temporary.text("errors")
    // A terminal merges both streams.
    return machine.answer == nil
      ? Run(status: process.terminationStatus, standardOutput: output, standardError: errors)
      : Run(status: process.terminationStatus, standardOutput: "", standardError: output + errors)
  }

  private static let script = Repository.root.appending(path: "scripts/system-packages").path

  /// script(1) runs a command in a pseudo-terminal and returns its exit status.
  private static var argumentsForTerminal: [String] {
    #if os(Linux)
      ["--quiet", "--return", "--command", "/bin/sh '\(script)'", "/dev/null"]
    #else
      ["-q", "/dev/null", "/bin/sh", script]
    #endif
  }

  /// The commands that change the machine, as logged by the fakes.
  func commands() throws -> [String] {
    let log = folder.appending(path: "log")
    guard FileManager.default.fileExists(atPath: log.path) else { return [] }
    return try String(contentsOf: log, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  private func fakeSystem() throws {
    try fake("uname", "echo \(machine.system)")
    try fake("id", "echo \(machine.user)")
    if let version = machine.swift { try fake("swift", "echo '\(version)'") }
    // Answers like pkg-config for the libraries in `present`; libcrypto may exist without its archive.
    try fake(
      "pkg-config",
      """
      case "$1 $2" in
        '--exists libcrypto') [ -e '\(folder.path)/present/libcrypto' ] || [ -e '\(folder.path)/present/libcrypto-shared' ] ;;
        '--exists libcurl') [ -e '\(folder.path)/present/libcurl' ] ;;
        '--exists sqlite3') [ -e '\(folder.path)/present/sqlite' ] ;;
        '--exists zlib') [ -e '\(folder.path)/present/zlib' ] ;;
        *) echo '\(folder.path)/lib' ;;
      esac
      """, as: "pkg-config.new")
  }

  private func fakePackageManagers() throws {
    let installed =
      machine.installationWorks
      ? """
      cd '\(folder.path)' && touch present/libcrypto present/libcurl present/sqlite present/zlib lib/libcrypto.a
      cp '\(folder.path)/pkg-config.new' '\(bin.path)/pkg-config'
      """ : ""
    // `sudo` and `env` run their arguments; the innermost command logs the whole line.
    for manager in ["apt-get", "dnf", "brew"] where machine.tools.contains(manager) {
      try fake(
        manager,
        """
        case "$1" in --prefix) echo '\(folder.path)'; exit 0 ;; esac
        echo "${BY_SUDO:+sudo }${DEBIAN_FRONTEND:+env DEBIAN_FRONTEND=$DEBIAN_FRONTEND }\(manager) $*" >>'\(folder.path)/log'
        case "$1" in install) ;; *) exit 0 ;; esac
        if [ -e '\(folder.path)/fail-once' ]; then rm '\(folder.path)/fail-once'; exit 100; fi
        echo 'output of the package manager'
        \(installed)
        """)
    }
    try fake("apt-cache", machine.hasPackageLists ? "exit 0" : "exit 100")
    if machine.tools.contains("sudo") { try fake("sudo", "BY_SUDO=1 \"$@\"") }
  }

  private func fake(_ name: String, _ script: String, as path: String? = nil) throws {
    try temporary.script(script, to: path ?? "bin/\(name)")
  }

  private func write(_ text: String, to path: String) throws {
    try temporary.write(text, to: path)
  }

  private func linkRealTool(_ name: String) throws {
    let real = try #require(
      ["/usr/bin/\(name)", "/bin/\(name)"].first { FileManager.default.isExecutableFile(atPath: $0) })
    try FileManager.default.createSymbolicLink(
      at: bin.appending(path: name), withDestinationURL: URL(filePath: real))
  }
}
