/// Names that a shell reads as more than one word, or as a command, if they are not quoted by bytes.
///
/// Most of them create the file `MARK` if a shell reads them.
package enum HostileNames {
  /// Names that have a form as a word of a shell.
  package static let words: [String] =
    // These characters join the one before them, so that it is another `Character` than the one a shell reads.
    ["\u{301}", "\u{FE0F}", "\u{20E3}", "\u{308}"].flatMap { joiner in
      [
        "x'\(joiner);touch MARK;'\(joiner)", "x\"\(joiner);touch MARK;\"", "x`\(joiner)touch MARK`",
        "x$\(joiner)(touch MARK)", "x;\(joiner)touch MARK", "x\\\(joiner)';touch MARK;'", "x \(joiner)y",
      ]
    } + [
      "x';touch MARK;'", "x'';touch MARK;''", "x\\';touch MARK;\\'", "x\\", "\\", "'", "\"",
      "x\";touch MARK;\"",
      "`touch MARK`", "$(touch MARK)", "${x:-`touch MARK`}", "$HOME", ";touch MARK", "&touch MARK",
      "|touch MARK",
      "&&touch MARK", "a>MARK", "a<MARK", ">MARK", "(touch MARK)", "{ touch MARK;}", "-rf", "--help", "-",
      "~",
      "~root", "a~", "!touch", "!!", "a b", " ", "# x", "x #", "*", "?[a-z]", "{a,b}", "=ls", "%1", "^a^b",
      "@x",
      "a=b", "'\u{301}'", "\u{301}'", "\u{37E}touch MARK", "\u{1FEF}touch MARK\u{1FEF}", "é", "e\u{301}",
      "\u{2019}",
      "日本 語", "1>MARK", "x\u{A0}y", "$'\\n'touch MARK", "<<x", "<(touch MARK)",
    ]

  /// Names that no word of a shell shows as they are: they have characters that a terminal may interpret.
  package static let unprintable = [
    "a\ntouch MARK\n", "\ntouch MARK", "a\rtouch MARK\r", "a\tb", "x'\u{200D};touch MARK;'", "\u{1B}[2Jx",
    "\u{1B}[201~\ntouch MARK\n", "\u{9B}31m", "\u{202E}x';touch MARK;'", "\u{2066}x", "a\u{2028}touch MARK",
    "\u{FEFF}x",
    "\u{7F}", "\u{E000}", "a\u{0}b",
  ]

  /// Names of a generator with this seed: pieces that shells interpret, and characters that join them.
  package static func random(seed: UInt64, count: Int) -> [String] {
    let pieces =
      ["'", "\"", "`", "\\", "$", "(", ")", ";", "&", "|", "<", ">", " ", "#", "*", "!", "~", "{", "}", "="]
      + ["-", "touch MARK", "\u{301}", "\u{FE0F}", "\u{20E3}", "é", "\u{37E}", "x", "/"]
    var state = seed
    func next() -> Int {
      // Knuth's constants ("MMIX"); the low bits of such a generator are not random.
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33)
    }
    return (0..<count).map { _ in (0...(next() % 12)).map { _ in pieces[next() % pieces.count] }.joined() }
  }
}
