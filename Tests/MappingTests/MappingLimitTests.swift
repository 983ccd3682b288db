@testable import Mapping
import TestSupport
import Testing

/// Templates that would run without end, or take all memory, without limits.
@Suite struct MappingLimitTests {
  /// Less than the default, for a program that is not optimized.
  private static let units = 1_000_000
  private static let wideClass =
    "#set($p = '[\(String(repeating: "abc", count: 3000))]{9}')$p.replaceAll($p, 'x')"
  private static let manyOverrides = """
    #foreach($i in [1..1000])#set($context.responseOverride.header["h$i"] = 1)#end
    #set($context.responseOverride.header.last = 1)
    """
  static let hostile: [String] = [
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
    wideClass,
    // Numbers and places.
    "#set($a = 9223372036854775807 + 1)", "#set($a = -9223372036854775808 / -1)", "#set($l = [1])$l.get(5)",
    "#set($l = [1])$l[-2]",
    "#set($t = 'abc')$t.substring(2, 1)", "#set($t = 'abc')$t.substring(0, 9223372036854775807)",
    "#set($t = 'a')$t.charAt(9223372036854775807)",
    "#set($t = 'a')$t.replaceAll('a', '$3')", "#set($t = 'a')$t.replaceAll('a', '\\')",
    "#set($p = '(')$p.matches($p)",
    "$util.parseJson('{')", "$util.base64Decode('%')",
    manyOverrides,
    // Overrides are final.
    "#set($context.responseOverride.status = 1)#set($context.responseOverride.status = 2)",
    "$context.responseOverride.header.put('a', 'b')$context.responseOverride.header.put('a', 'c')",
  ]

  @Test(arguments: hostile) func ends(_ text: String) throws {
    let template = try MappingTemplate(text)
    let body = Array(String(repeating: "a", count: 20_000).utf8)
    #expect(throws: MappingFailure.self) { try template.filled(from: .init(body: body), units: Self.units) }
  }

  /// What a method reads is work, also where its result is short. Each row is far cheaper than this by its parts alone.
  @Test(arguments: [
    "$input.body.contains('xy')", "$input.body.indexOf('xy')", "$input.body.lastIndexOf('xy')",
    "$input.body.startsWith('xy')", "$input.body.equals('xy')", "$input.body.length()",
    "$input.body.matches('xy')",
    "$input.body.replace('xy', '')", "$input.body.replaceAll('xy', '')",
    "#if($input.body == $input.body)#end", "#set($l = [$input.body])$l.contains($input.body)",
    "#set($x = $util.urlEncode($input.body))", "#set($x = $util.urlDecode($input.body))",
    "#set($x = $util.escapeJavaScript($input.body))", "#set($x = $util.base64Encode($input.body))",
    "#set($x = $input.path('$..none'))", "#set($x = $input.path('$[*].none'))",
    "#set($x = $input.json('$..none'))", "#set($x = $util.parseJson($input.body))",
    "#set($x = [1..10000])",
    "#set($p = 'a{200}b{200}c{200}d{200}')$p.matches($p)",
  ]) func chargesWhatIsRead(_ text: String) throws {
    let template = try MappingTemplate(text)
    let input = MappingTemplate.Input(body: Self.list)
    #expect(throws: MappingFailure(problem: "the template takes too long")) {
      try template.filled(from: input, units: 20_000)
    }
    _ = try template.filled(from: input)
  }

  /// 200,000 bytes of JSON, with 100,000 values.
  private static let list = Array(("[1" + String(repeating: ",1", count: 99_999) + "]").utf8)

  /// A needle that is found late in each place needs no more time than another one.
  @Test func searchesInOnePass() throws {
    let input = MappingTemplate.Input(
      body: Array(String(repeating: "a", count: 400_000).utf8),
      query: [("n", String(repeating: "a", count: 20_000) + "b")])
    let text = "#set($n = $input.params('n'))$input.body.contains($n) $input.body.replace($n, '').length()"
    #expect(try MappingTemplate(text).filled(from: input).text == "false 400000")
  }

  /// Each `..*` selects the values of the one before again.
  @Test func aSelectionIsNotLargerThanItsLimit() throws {
    let text = "\"" + String(repeating: "x", count: 10_000) + "\""
    let body = String(repeating: "[", count: 60) + text + String(repeating: "]", count: 60)
    let input = MappingTemplate.Input(body: Array(body.utf8))
    #expect(throws: MappingFailure.self) {
      try MappingTemplate("$input.json('$..*..*..*')").filled(from: input, units: Self.units)
    }
  }

  /// The keys of a map are text too.
  @Test func printedKeysAreCharged() throws {
    let text = "#set($m = {$input.body: 1})#set($l = [])#foreach($i in [1..900])$l.add($m)#end$l"
    let input = MappingTemplate.Input(body: [UInt8](repeating: 0x61, count: 1 << 20))
    #expect(throws: MappingFailure(problem: "the template makes too much text")) {
      try MappingTemplate(text).filled(from: input)
    }
  }

  /// An authorizer's answer chooses the names.
  @Test func aNameOfTheContextMayHaveManyPeriods() throws {
    let name = "authorizer." + String(repeating: "a.", count: 500_000) + "a"
    let input = MappingTemplate.Input(context: ContextVariables([name: "1", "authorizer.b.c": "2"]))
    #expect(try MappingTemplate("$context.authorizer.b.c").filled(from: input).text == "2")
  }

  @Test func membersAreComparedByTheirBytes() throws {
    let input = MappingTemplate.Input(body: Array("{\"jos\u{E9}\":1,\"jose\u{301}\":2}".utf8))
    #expect(try MappingTemplate("$input.path('$').size()").filled(from: input).text == "2")
  }

  @Test(arguments: [
    String(repeating: "#if(true)", count: 10_000) + String(repeating: "#end", count: 10_000),
    "#set($a = " + String(repeating: "(", count: 10_000) + "1" + String(repeating: ")", count: 10_000) + ")",
    "#set($a = " + String(repeating: "!", count: 10_000) + "true)",
    "#set($a = " + String(repeating: "[", count: 10_000), String(repeating: "$a[", count: 10_000),
    "#set($a = " + String(repeating: "{1:", count: 10_000), String(repeating: "$a.b(", count: 10_000),
    String(repeating: "x", count: MappingTemplate.maximumBytes + 1),
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
    #expect(output.text.count == MappingRun.maximumIterations)
  }

  /// Any text is a template or refused; nothing crashes.
  @Test func survivesRandomTemplates() {
    let pieces = [
      "#", "$", "{", "}", "(", ")", "[", "]", "set", "if", "foreach", "end", "else", "elseif", "define", "$a",
      ".b", "'", "\"",
      "\\", "=", "==", "&&", "!", "..", "1", "-", " in ", "\n", "$input.path('$.a')", "#set($a = ", "#if($a)",
      "#end", "*", "##",
    ]
    var generator = SeededGenerator(seed: 18)
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
