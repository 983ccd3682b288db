import Testing

@testable import Emulator

/// Templates that would run without end, or take all memory, without limits.
@Suite struct MappingLimitTests {
  /// Less than the default, for a program that is not optimized.
  private static let units = 1_000_000
  static let hostile = [
    // Loops within loops.
    "#foreach($a in [1..1000])#foreach($b in [1..1000])#foreach($c in [1..1000])x#end#end#end",
    "#foreach($a in [1..1000000000000])x#end", "#set($r = [-9223372036854775808..9223372036854775807])",
    // Texts and lists that double.
    "#set($t = 'xxxxxxxxxx')#foreach($i in [1..100])#set($t = \"$t$t\")#end",
    "#set($t = 'x')#foreach($i in [1..100])#set($t = $t + $t)#end",
    "#set($t = 'x')#foreach($i in [1..100])#set($t = $t.replaceAll('x', 'xx'))#end",
    "#set($t = 'x')#foreach($i in [1..100])#set($t = $t.replace('x', 'xx'))#end",
    "#set($l = [1])#foreach($i in [1..100])#set($x = $l.addAll($l))#end",
    // Things that contain themselves.
    "#set($l = [])#set($x = $l.add($l))$l", "#set($m = {})#set($m.m = $m)$m",
    "#set($m = {})#set($m.m = $m)#if($m == 1)#end",
    "#define($a)$a#end$a", "#define($a)$b#end#define($b)$a#end$b",
    "#define($a)#foreach($i in [1..9])$a#end#end$a",
    // Deep, but not recursive for the printer.
    "#set($l = [])#foreach($a in [1..1000])#foreach($b in [1..1000])#set($l = [$l])#end#end$l",
    // Patterns.
    "#foreach($i in [1..1000])$util.urlEncode($input.body).replaceAll('(a|b|c|d|e|f)*x', '')#end",
    // Numbers and places.
    "#set($a = 9223372036854775807 + 1)", "#set($a = -9223372036854775808 / -1)", "#set($l = [1])$l.get(5)",
    "#set($l = [1])$l[-2]",
    "#set($t = 'abc')$t.substring(2, 1)", "#set($t = 'abc')$t.substring(0, 9223372036854775807)",
    "#set($t = 'a')$t.charAt(9223372036854775807)",
    "#set($t = 'a')$t.replaceAll('a', '$3')", "#set($t = 'a')$t.replaceAll('a', '\\')",
    "#set($p = '(')$p.matches($p)",
    "$util.parseJson('{')", "$util.base64Decode('%')",
    // Overrides are final.
    "#set($context.responseOverride.status = 1)#set($context.responseOverride.status = 2)",
    "$context.responseOverride.header.put('a', 'b')$context.responseOverride.header.put('a', 'c')",
  ]

  @Test(arguments: hostile) func ends(_ text: String) throws {
    let template = try MappingTemplate(text)
    let body = Array(String(repeating: "a", count: 20_000).utf8)
    #expect(throws: MappingFailure.self) { try template.filled(from: .init(body: body), units: Self.units) }
  }

  @Test(arguments: [
    String(repeating: "#if(true)", count: 10_000) + String(repeating: "#end", count: 10_000),
    "#set($a = " + String(repeating: "(", count: 10_000) + "1" + String(repeating: ")", count: 10_000) + ")",
    "#set($a = " + String(repeating: "!", count: 10_000) + "true)",
    "#set($a = " + String(repeating: "[", count: 10_000), String(repeating: "$a[", count: 10_000),
    "#set($a = " + String(repeating: "{1:", count: 10_000), String(repeating: "$a.b(", count: 10_000),
    String(repeating: "x", count: MappingTemplate.mostBytes + 1),
    String(repeating: "#define($a)", count: 1000),
  ]) func refusesWhatIsTooDeepOrLong(_ text: String) {
    #expect(throws: MappingTemplate.Unknown.self) { try MappingTemplate(text) }
  }

  /// Long, but not deep.
  @Test func takesLongChains() throws {
    let sum = "#set($a = 1" + String(repeating: " + 1", count: 20_000) + ")$a"
    #expect(try MappingTemplate(sum).filled(from: .init()).text == "20001")
    let branches = "#if(false)" + String(repeating: "#elseif(false)", count: 5000) + "#else x#end"
    #expect(try MappingTemplate(branches).filled(from: .init()).text == " x")
    let steps = "#set($m = {})#set($m.m = $m)$m" + String(repeating: ".m", count: 20_000) + ".size()"
    #expect(try MappingTemplate(steps).filled(from: .init()).text == "1")
  }

  @Test func aLoopEndsAfterAThousandIterations() throws {
    let output = try MappingTemplate("#foreach($i in [1..2000])x#end").filled(from: .init())
    #expect(output.text.count == MappingRun.mostIterations)
  }

  /// Any text is a template or refused; nothing crashes.
  @Test func survivesRandomTemplates() {
    let pieces = [
      "#", "$", "{", "}", "(", ")", "[", "]", "set", "if", "foreach", "end", "else", "elseif", "define", "$a",
      ".b", "'", "\"",
      "\\", "=", "==", "&&", "!", "..", "1", "-", " in ", "\n", "$input.path('$.a')", "#set($a = ", "#if($a)",
      "#end", "*", "##",
    ]
    var generator = SplitMix(state: 18)
    var parsed = 0
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 1...14, using: &generator)).map { _ in
        pieces[Int.random(in: 0..<pieces.count, using: &generator)]
      }.joined()
      guard let template = try? MappingTemplate(text) else { continue }
      parsed += 1
      _ = try? template.filled(from: .init(body: Array(#"{"a":[1]}"#.utf8)), units: Self.units)
    }
    #expect(parsed > 100)
  }
}

/// A small generator with a fixed start (SplitMix64).
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
