import Foundation
import Testing

/// The check-* scripts on machines without the tools they need; `scripts/check-ministack` in every such case.
@Suite struct CheckMiniStackTests {
  struct Machine: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The program that replaces Python; nil if Python is not installed.
    let python: String?
    let reason: String
  }

  private static let withoutIndex = """
    #!/bin/sh
    [ "$1 $2" = "-m venv" ] || exit 0
    mkdir -p "$3/bin"
    printf '#!/bin/sh\\nexit 1\\n' > "$3/bin/python3"
    chmod +x "$3/bin/python3"
    """

  static let machines = [
    Machine(testDescription: "no Python", python: nil, reason: "python3 is not installed"),
    Machine(
      testDescription: "an old Python", python: "#!/bin/sh\n[ \"$1\" != -c ]",
      reason: "this Python is too old"),
    Machine(
      testDescription: "no venv", python: "#!/bin/sh\n[ \"$1\" = -c ]", reason: "python3 has no venv"),
    Machine(
      testDescription: "no package index", python: withoutIndex,
      reason: "ministack boto3 cannot be installed in the versions of scripts/python-packages.txt"),
  ]

  /// Runs a script in a separate folder.
  private static func run(
    _ arguments: [String], script name: String = "check-ministack", python: String?,
    variables: [String: String] = [:]
  ) throws -> Workshop.Answer {
    let workshop = try Workshop()
    var path = workshop.folder.appendingPathComponent("bin").path
    if let python {
      try workshop.write(program: python, to: "bin/python3")
      path += ":/usr/bin:/bin"
    }
    let script = Workshop.packageRoot.appendingPathComponent("scripts/\(name)").path
    let process = workshop.process(
      [script] + arguments, environment: variables.merging(["PATH": path]) { $1 })
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    // The output is a few lines, which fit into a pipe.
    process.waitUntilExit()
    func text(_ pipe: Pipe) -> String {
      String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
    return Workshop.Answer(exit: process.terminationStatus, output: text(output), errors: text(errors))
  }

  @Test(arguments: machines) func reportsASkipAndFailsOnlyIfRequired(_ machine: Machine) throws {
    let skipped = try Self.run([], python: machine.python)
    #expect(skipped.exit == 0)
    #expect(skipped.output.contains("check-ministack: skipped: \(machine.reason)\nhint: "))
    let required = try Self.run(["--require"], python: machine.python)
    #expect(required.exit == 69)
    #expect(required.output.contains("check-ministack: skipped: \(machine.reason)"))
  }

  @Test(arguments: [
    "bench-serve", "check-bound", "check-clients", "check-console", "check-image", "check-ministack",
    "check-moto",
    "check-rie", "check-sam",
    "check-templates",
    "check-terraform", "check-workflows",
  ]) func skipsAnUnavailableCheckUnlessRequired(_ script: String) throws {
    let skipped = try Self.run([], script: script, python: nil)
    #expect(skipped.exit == 0, "\(skipped.errors)")
    #expect(skipped.output.contains("skipped"))
    let required = try Self.run([], script: script, python: nil, variables: ["REQUIRE": "1"])
    #expect(required.exit == 69, "\(required.errors)")
  }

  @Test(arguments: [["--zip"], ["--zip", "none.zip"], ["--nope"]])
  func reportsWrongOptionsAsUsageErrors(_ arguments: [String]) throws {
    let answer = try Self.run(arguments, python: nil)
    #expect(answer.exit == 64)
    #expect(answer.errors.hasPrefix("error: "))
  }
}
