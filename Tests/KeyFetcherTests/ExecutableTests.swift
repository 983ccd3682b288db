import Foundation
import TestSupport
import Testing

@Suite("The executable fetch-keys")
struct ExecutableTests {
  private static let keys = Array(#"{"keys":[]}"#.utf8)

  @Test("Proxies of the environment are ignored", arguments: Executables.all)
  func ignoresEnvironmentProxies(executable: String) throws {
    let trap = try KeyServer(.answer(body: Array("trap".utf8)))
    defer { trap.stop() }
    let server = try KeyServer(.answer(body: Self.keys))
    defer { server.stop() }
    let folder = try TemporaryFolder()
    var environment: [String: String] = [:]
    for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
      environment[name] = "http://127.0.0.1:\(trap.port)"
    }
    let run = try folder.run(
      executable, ["--allow-loopback-http", "http://127.0.0.1:\(server.port)/"], environment: environment)
    #expect(run.status == 0)
    #expect(run.output == #"200 -"# + "\n" + #"{"keys":[]}"#)
    let secured = try folder.run(executable, ["https://name.invalid/"], environment: environment)
    #expect(secured.status == 10)
    #expect(trap.requests.isEmpty)
  }

  @Test("--proxy is used even if no_proxy excludes the host", arguments: Executables.all)
  func usesGivenProxy(executable: String) throws {
    let proxy = try KeyServer(.answer(body: Self.keys))
    defer { proxy.stop() }
    let folder = try TemporaryFolder()
    let run = try folder.run(
      executable,
      ["--allow-loopback-http", "--proxy", "http://127.0.0.1:\(proxy.port)", "http://127.0.0.1:1/keys"],
      environment: ["no_proxy": "*"])
    #expect(run.status == 0)
    #expect(proxy.requests.first?.hasPrefix("GET http://127.0.0.1:1/keys HTTP/1.1\r\n") == true)
  }

  @Test("Plain http is refused unless it is allowed", arguments: Executables.all)
  func refusesPlainHTTP(executable: String) throws {
    let server = try KeyServer(.answer(body: Self.keys))
    defer { server.stop() }
    let folder = try TemporaryFolder()
    for arguments in [
      ["http://127.0.0.1:\(server.port)/"],
      ["--allow-loopback-http", "http://127.0.0.1.nip.io:\(server.port)/"],
    ] {
      let run = try folder.run(executable, arguments)
      #expect(run.status == 64)
      #expect(run.output == "")
      #expect(run.errors.contains("\nhint: "))
    }
    #expect(server.requests.isEmpty)
  }

  @Test("For a status other than 200 only its line is printed, never the body", arguments: Executables.all)
  func failedStatusLeavesItsLine(executable: String) throws {
    let server = try KeyServer(.answer(status: "503 Busy", body: Array("secret".utf8)))
    defer { server.stop() }
    let run = try TemporaryFolder().run(
      executable, ["--allow-loopback-http", "http://127.0.0.1:\(server.port)/"])
    #expect(run.status == 15)
    #expect(run.output == "503 -\n")
    #expect(run.errors == "fetch-keys: fetchStatus: the server answered with status 503\n")
  }

  @Test("--version and --help print version and usage", arguments: Executables.all)
  func versionAndHelp(executable: String) throws {
    let folder = try TemporaryFolder()
    let version = try folder.run(executable, ["--version"])
    #expect(version.status == 0)
    #expect(version.output.hasPrefix("fetch-keys with libcurl/"))
    let help = try folder.run(executable, ["--help"])
    #expect(help.status == 0)
    #expect(help.output.hasPrefix("usage: fetch-keys [OPTIONS] URL\n"))
    for line in help.output.split(separator: "\n") { #expect(line.count <= 120) }
  }

  #if os(Linux)
    @Test("Without a usable libcurl the error names the package", arguments: Executables.all)
    func libcurlMissing(executable: String) throws {
      let folder = try TemporaryFolder()
      // ld.so(8) searches this folder first, and stops at a file that is not a library.
      try folder.write("this is not a library", to: "libcurl.so.4")
      let run = try folder.run(
        executable, ["https://name.invalid/"], environment: ["LD_LIBRARY_PATH": folder.path])
      #expect(run.status == 69)
      #expect(run.errors.hasPrefix("fetch-keys: fetchLibraryMissing: "), "\(run.errors)")
      #expect(run.errors.contains("libcurl4"))
      #expect(run.errors.contains("libcurl-minimal"))
    }
  #endif
}

extension TemporaryFolder {
  /// Runs a program to its end with only this environment.
  func run(
    _ executable: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws -> (status: Int32, output: String, errors: String) {
    let process = Process()
    process.executableURL = URL(filePath: executable)
    process.arguments = arguments
    process.environment = environment
    // Files are used because pipes can become full.
    let paths = ["output", "errors"].map { path($0) }
    for path in paths { try Data().write(to: URL(filePath: path)) }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: URL(filePath: paths[0]))
    process.standardError = try FileHandle(forWritingTo: URL(filePath: paths[1]))
    try process.run()
    process.waitUntilExit()
    return (
      process.terminationStatus, try String(contentsOfFile: paths[0], encoding: .utf8),
      try String(contentsOfFile: paths[1], encoding: .utf8)
    )
  }
}
