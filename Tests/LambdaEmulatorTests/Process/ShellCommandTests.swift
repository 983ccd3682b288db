@testable import LambdaEmulator
import Foundation
import Testing

/// The last command of a line replaces the shell if that changes nothing else.
@Suite struct ShellCommandTests {
  @Test(
    arguments: [
      ("node index.mjs", "exec node index.mjs"), ("  node a ", "  exec node a "),
      ("cd app && node index.mjs", "cd app && exec node index.mjs"),
      ("export A=1; node x;", "export A=1; exec node x;"),
      ("test -d a || mkdir a && node x", "test -d a || mkdir a && exec node x"),
      ("A=1 B='2 3' node x", "A=1 B='2 3' exec node x"), ("node x >log 2>&1", "exec node x >log 2>&1"),
      ("python3 -c 'a; b | c & (d)'", "exec python3 -c 'a; b | c & (d)'"),
      (#"node "a \" b" \; c"#, #"exec node "a \" b" \; c"#),
      ("'my program' x", "exec 'my program' x"), ("cd a\nnode x", "cd a\nexec node x"),
    ])
  func replacesTheShellByASimpleCommand(_ text: String, _ expected: String) {
    #expect(ShellCommand(text) == ShellCommand(expected))
    #expect(ShellCommand(text).text == expected)
    #expect(ShellCommand(text).isReplaced)
  }

  @Test(
    arguments: [
      "node x | tee log", "node x &", "node x & wait", "(node x)", "{ node x; }", "if true; then node x; fi",
      "for a in 1 2; do node $a; done", "while true; do node x; done", "trap 'rm a' EXIT; node x", "! node x",
      "node $(cat a)", "node `cat a`", "node \"$(cat a)\"", "node <<E", "cd a", "", ";", "A=1", "node 'x",
      "node x # comment",
      "eval node x", ". ./start", ">log node x", "f() { node x; }",
    ])
  func leavesCommandsThatNeedTheShell(_ text: String) {
    #expect(ShellCommand(text).text == text)
    #expect(!ShellCommand(text).isReplaced)
  }

  @Test(
    arguments: [
      ("kill -ABRT $$", .signal(6)), ("sh -c 'kill -ABRT $$'", .signal(6)),
      ("cd / && sh -c 'kill -SEGV $$'", .signal(11)),
      ("true | sh -c 'kill -ABRT $$'", .signal(6)), ("sh -c 'exit 134'", .status(134)),
      ("(exit 3)", .status(3)),
      ("absent-program", .status(127)), ("FOO=7 sh -c 'exit $FOO'", .status(7)),
    ] as [(String, ProcessExit)])
  func reportsTheExitOfTheRealProcess(_ text: String, _ expected: ProcessExit) async throws {
    let command = FunctionCommand(shell: text, environment: ["PATH": "/usr/local/bin:/usr/bin:/bin"])
    #expect(await (try FunctionProcess(command)).exit() == expected)
  }

  #if os(Linux)
    @Test(
      .enabled(
        if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "python3 is not installed"),
      arguments: ["", "true; ", "true | ", "sh -c 'exec \"$@\"; true' sh "])
    func reportsTheMemoryOfTheRealProcess(_ start: String) async throws {
      let program = "import sys; a = bytearray(64 << 20); print('ready', flush=True); sys.stdin.read(); a"
      // The pipe closes when the process at its other end exits.
      let text = start + "/usr/bin/python3 -I -c \"\(program); import time; time.sleep(600)\""
      let (lines, ready) = AsyncStream.makeStream(of: Void.self)
      let process = try FunctionProcess(
        FunctionCommand(shell: text, environment: ["PATH": "/usr/bin:/bin"])
      ) { _ in ready.finish() }
      for await _ in lines {}
      #expect(process.peakMemoryKiB ?? 0 > 64 << 10)
      process.kill()
      _ = await process.exit()
    }
  #endif
}
