import Foundation
import Testing
import TestSupport

@Suite("scripts/build", .hangLimit)
struct BuildProgressTests {
  private static let steps = "for i in 20 40 60 80 100; do echo \"[$i/100] Compiling A\"; done"

  @Test(
    "Commands run together, their progress is summed up, and any failure is the script's",
    arguments: [
      (["true"], 0, ""), (["sh", "-c", "exit 3"], 3, ""), (["false", "--", "true"], 1, ""),
      (["true", "--", "sh", "-c", "exit 4"], 4, ""),
      (["echo", "a: error: b"], 0, "a: error: b\n"),
      // Errors come on standard error in some versions, and the last line may have no line end.
      (["sh", "-c", "printf 'warning: c' >&2"], 0, "warning: c\n"),
      (
        ["sh", "-c", steps], 0,
        "L: 20 of 100 steps\nL: 40 of 100 steps\nL: 60 of 100 steps\nL: 80 of 100 steps\nL: 100 of 100 steps\n"
      ),
      (["echo", "Build of product 'a' complete! (1.2s)"], 0, ""),
      // A package of others is not ours to mend; what follows is.
      (
        [
          "printf", "%s\\n", "/a/.build/checkouts/b/c.swift:1:2: warning: old", " 1 | let a",
          "   |     `- warning: old", "", "/a/Sources/d.swift:1:2: warning: own", " 1 | let b",
        ], 0, "/a/Sources/d.swift:1:2: warning: own\n 1 | let b\n"
      ),
      (["echo", "/a/.build/tool____/checkouts/b/c.swift:1:2: warning: old"], 0, ""),
      (
        ["echo", "/a/.build/checkouts/b/c.swift:1:2: error: broken"], 0,
        "/a/.build/checkouts/b/c.swift:1:2: error: broken\n"
      ),
      // A short build shows no progress.
      (["echo", "[1/3] Compiling A"], 0, ""),
    ] as [([String], Int32, String)])
  func output(_ command: [String], _ status: Int32, _ output: String) throws {
    let answer = try Self.run(command)
    #expect(answer.status == status)
    #expect(answer.output == output)
  }

  @Test("Two builds have one sum")
  func sum() throws {
    // The second build starts when the first one's progress is shown, so the order is certain.
    let output = FileManager.default.temporaryDirectory.appending(path: "progress-\(UUID().uuidString)")
    try Data().write(to: output)
    defer { try? FileManager.default.removeItem(at: output) }
    let second = "until grep -q '10 of 100' '\(output.path)'; do sleep 0.01; done; echo '[60/100] B'"
    let process = Self.process(["echo", "[10/100] A", "--", "sh", "-c", second])
    process.standardOutput = try FileHandle(forWritingTo: output)
    try process.run()
    process.waitUntilExit()
    #expect(try String(contentsOf: output, encoding: .utf8) == "L: 10 of 100 steps\nL: 70 of 200 steps\n")
  }

  @Test("VERBOSE=1 shows each step")
  func verbose() throws {
    #expect(try Self.run(["echo", "[1/3] Compiling A"], verbose: true).output == "[1/3] Compiling A\n")
  }

  private static func run(_ command: [String], verbose: Bool = false) throws -> (
    status: Int32, output: String
  ) {
    let process = process(command, verbose: verbose)
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  private static func process(_ command: [String], verbose: Bool = false) -> Process {
    let process = Process()
    process.executableURL = Repository.root.appending(path: "scripts/build")
    process.arguments = ["L"] + command
    process.environment = ProcessInfo.processInfo.environment.merging(["VERBOSE": verbose ? "1" : ""]) { $1 }
    return process
  }
}
