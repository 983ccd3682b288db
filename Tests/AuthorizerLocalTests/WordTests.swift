import Foundation
import Testing

@testable import authorizer_local

/// Texts, times and names, as tables of facts.
@Suite struct WordTests {
  @Test(
    arguments: [
      ("A=b", "A", "b"), ("A=", "A", ""), ("A=b=c", "A", "b=c"), ("==", "=", ""), ("A b=c", "A b", "c"),
    ])
  func aPairHasANameAndAValue(_ text: String, _ name: String, _ value: String) throws {
    let pair = try #require(NamedValues.pair(text))
    #expect(pair.name == name && pair.value == value)
  }

  @Test(arguments: ["", "A", "=", "=b"]) func aPairNeedsAName(_ text: String) {
    #expect(NamedValues.pair(text) == nil)
  }

  // MARK: Times

  @Test(
    arguments: [
      ("+10m", 1600), ("-1h", -2600), ("+2d", 173_800), ("1970-01-01T00:00:07Z", 7),
      ("1970-01-01T00:00:07.9Z", 7), ("1970-01-01T01:00:00+01:00", 0), ("10m", nil), ("", nil), ("1000", nil),
      ("+10", nil), ("+1x", nil),
    ] as [(String, Int64?)])
  func aTimeIsAbsoluteOrRelative(_ text: String, _ seconds: Int64?) {
    #expect(Moment.parse(text, at: 1000) == seconds)
  }

  @Test(
    arguments: [
      (0, "0 s"), (59, "59 s"), (60, "1 min"), (3661, "1 h 1 min"), (86_400, "1 d"), (86_461, "1 d"),
      (90_061, "1 d 1 h"),
    ] as [(Int64, String)])
  func aDurationHasItsTwoLargestUnits(_ seconds: Int64, _ text: String) {
    #expect(Moment.duration(seconds) == text)
  }

  @Test func aTimeIsSeenFromNow() {
    #expect(Moment.text(100, seenFrom: 100) == "1970-01-01T00:01:40Z, now")
    #expect(Moment.text(100, seenFrom: 160) == "1970-01-01T00:01:40Z, 1 min ago")
    #expect(Moment.text(100, seenFrom: 40) == "1970-01-01T00:01:40Z, in 1 min")
    #expect(Moment.text(-1, seenFrom: 0) == "-1")
    #expect(Moment.text(253_402_300_800) == nil)
  }

  // MARK: The terminal

  @Test(
    arguments: [
      ("a\nb\tc", "a\nb\tc", #"a\u{a}b\u{9}c"#), ("\u{1B}[2J", #"\u{1b}[2J"#, #"\u{1b}[2J"#),
      ("a\u{202E}b", #"a\u{202e}b"#, #"a\u{202e}b"#), ("ü µ 猫", "ü µ 猫", "ü µ 猫"),
    ])
  func hiddenCharactersAreEscaped(_ text: String, _ lines: String, _ line: String) {
    #expect(Printable.lines(text) == lines)
    #expect(Printable.text(text) == line)
  }

  @Test func jsonStaysJSON() {
    let bytes = Array("{\"a\":\"\u{202E}\u{E0001}\"}\n".utf8)
    #expect(String(decoding: Printable.json(bytes), as: UTF8.self) == #"{"a":"\u202e\udb40\udc01"}"# + "\n")
  }

  @Test(arguments: [true, false]) func colorsAreForTerminals(_ isTerminal: Bool) throws {
    let recorded = try RecordedMachine(isTerminal: isTerminal)
    let terminal = recorded.machine.terminal
    terminal.answer("\("x\u{1B}", .red) y")
    terminal.answer(exact: "t\u{1B}")
    terminal.error("bad", hint: "do")
    terminal.progress(1, of: 2)
    terminal.progress(2, of: 2)
    #expect(
      recorded.answer
        == (isTerminal
          ? "\u{1B}[31mx\\u{1b}\u{1B}[0m y\nt\\u{1b}\n" : "x\\u{1b} y\nt\u{1B}\n"))
    #expect(
      recorded.notes
        == (isTerminal
          ? "\u{1B}[31merror:\u{1B}[0m bad\nhint: do\n\r1/2\r\u{1B}[K" : "error: bad\nhint: do\n"))
  }

  @Test func aFullDiskFailsASeedAndNothingElse() throws {
    let recorded = try RecordedMachine(failing: .init(.fileWriteOutOfSpace))
    recorded.machine.terminal.answer("lost")
    recorded.machine.terminal.answer(json: [])
    let failure = #expect(throws: CommandFailure.self) {
      try SeedFile.writeToStandardOutput([0x7B, 0x7D], on: recorded.machine.terminal)
    }
    #expect(failure?.message == "cannot write standard output: no space is left on the device")
    #expect(failure?.hint == "use -o FILE, which writes the whole file or nothing")
  }

  // MARK: Help

  @Test func helpBreaksProseAndNoExample() {
    let help = """
      OVERVIEW: one two three four

        an example that is longer than twenty columns

      USAGE: x [--a] [--b] [--c] [--d] [--e]

      OPTIONS:
        --a                     first second third fourth fifth
      """
    #expect(
      HelpText.wrapped(help, columns: 40) == """
        OVERVIEW: one two three four

          an example that is longer than twenty columns

        USAGE: x [--a] [--b] [--c] [--d] [--e]

        OPTIONS:
          --a                     first second
                                  third fourth
                                  fifth
        """)
    #expect(HelpText.wrapped("a text of any other kind", columns: 5) == "a text of any other kind")
  }

  @Test(arguments: [("100", 100), ("40", 40)]) func theWidthComesFromTheEnvironment(
    _ text: String, _ columns: Int
  ) {
    #expect(HelpText.columns(["COLUMNS": text]) == columns)
  }

  // MARK: Sizes

  @Test(
    arguments: [
      (0, "0 bytes, 0.00 MiB (target 4, limit 5)"), (1 << 20, "1048576 bytes, 1.00 MiB (target 4, limit 5)"),
      (5_295_309, "5295309 bytes, 5.05 MiB (target 4, limit 5)"),
    ])
  func aSizeIsComparedWithItsLimits(_ bytes: Int, _ text: String) {
    #expect(PackageBudget.text(bytes) == text)
  }

  @Test(
    arguments: [
      ("/var/task/keys/a.json", "keys/a.json"), ("./a.json", "a.json"), ("././a", "a"), ("/opt/a", "/opt/a"),
      ("/var/task/./a", "a"),
    ])
  func aPackageIsUnpackedToTheTaskRoot(_ path: String, _ relative: String) {
    #expect(PackagedConfiguration.relative(path) == relative)
  }

  @Test func theWorstExitCodeCounts() {
    #expect([CommandExit.unmet, .functionDied, .functionFailed].worst == .functionDied)
    #expect([CommandExit]().worst == nil)
  }
}
