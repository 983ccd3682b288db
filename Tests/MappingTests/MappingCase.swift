@testable import Mapping
import JSON

/// A template, the body whose members are its variables, and its output; `nil` for a template that is refused.
struct MappingCase: Sendable, CustomStringConvertible {
  let template: String
  let body: String
  let expected: String?

  init(_ template: String, _ expected: String?, body: String = "{}") {
    self.template = template
    self.body = body
    self.expected = expected
  }

  var description: String { template }

  /// Evaluates the template with each member of the body as a variable.
  func output() throws -> String {
    guard case .object(let members) = try JSONTree(parsing: Array(body.utf8)) else { return "" }
    let sets = members.map { "#set($\($0.name) = $variables.\($0.name))" }.joined()
    let head = "#set($variables = $util.parseJson($input.body))\(sets)\n"
    return try MappingTemplate(head + template).filled(from: .init(body: Array(body.utf8))).text
  }

  /// Output that was recorded on API Gateway (localstack/airspeed, `tests/test_templating.snapshot.json`), with other
  /// words.
  static let recorded = [
    // References.
    MappingCase("<p></p>", "<p></p>"), MappingCase("Dear $who", "Dear Ann", body: #"{"who":"Ann"}"#),
    MappingCase("Dear $ ", "Dear $ "), MappingCase("Dear $absent", "Dear "),
    MappingCase("Dear $!absent", "Dear "),
    MappingCase("Dear ${who}.", "Dear Ann.", body: #"{"who":"Ann"}"#),
    MappingCase("Dear $who}.", "Dear Ann}.", body: #"{"who":"Ann"}"#),
    MappingCase("$a[1]", "y", body: #"{"a":["x","y"]}"#),
    MappingCase("$a[1][0]", "y", body: #"{"a":["x",["y"]]}"#),
    MappingCase("$a[0].b", "y", body: #"{"a":[{"b":"y"}]}"#),
    MappingCase("#set($i = 1)$a[ $i ]", "y", body: #"{"a":["x","y"]}"#),
    MappingCase("#set($m = {'b': {'c:d': 'y'}})$m.b['c:d']$m[\"b\"]", "y{c:d=y}"),
    MappingCase(" $user.name ", "  ", body: #"{"user":{"other":"1"}}"#),
    // Conditions: nothing and the empty text are true, only false is false.
    MappingCase("#if($a)yes#end", "", body: #"{"a":false}"#), MappingCase("#if($nothing)yes#end", "yes"),
    MappingCase("#if($!{n.o.t})yes#end", "yes"), MappingCase("#if($a)yes#end", "yes", body: #"{"a":null}"#),
    MappingCase("#if($nothing) one #else two #end", " one "),
    MappingCase("#if($nothing)one#{else}two#end", "one"), MappingCase("#if($nothing)one#{end}two", "onetwo"),
    MappingCase("#if($a) one #elseif($b) two #else three #end", " two ", body: #"{"a":false,"b":true}"#),
    MappingCase("#if($a) one #elseif($b) two #else three #end", " three ", body: #"{"a":false,"b":false}"#),
    MappingCase("#if(!$a)yes#end", "yes", body: #"{"a":false}"#), MappingCase("#if(not $nothing)yes#end", ""),
    MappingCase("#if(!$a && !$b)yes#end", "yes", body: #"{"a":false,"b":false}"#),
    MappingCase("#if(($a == 1) && ($b == 2))yes#end", "yes", body: #"{"a":1,"b":2}"#),
    MappingCase("#if($a == 1 && $b == 2)yes#end", "", body: #"{"a":0,"b":2}"#),
    MappingCase("#if($a > 1)yes#end#if($a gt 1)yes#end", "", body: #"{"a":1}"#),
    MappingCase("#if($a >= 1)yes#end#if($a ge 1)yes#end", "yesyes", body: #"{"a":1}"#),
    MappingCase("#if($a < 1)yes#end#if($a lt 1)yes#end", "yesyes", body: #"{"a":0}"#),
    MappingCase("#if($a <= 1)yes#end#if($a le 1)yes#end", "", body: #"{"a":2}"#),
    MappingCase("#if($a || $b)yes#end#if($a or $b)yes#end", "yesyes", body: #"{"a":false,"b":true}"#),
    MappingCase("#if($a and $b)yes#end", "", body: #"{"a":false,"b":true}"#),
    // Loops.
    MappingCase("#foreach($i in [1, 2])$i. #if($velocityHasNext)more#end, #end", "1. more, 2. , "),
    MappingCase("#foreach($i in [1, 2])$foreach.first,$foreach.last;#end", "true,false;false,true;"),
    MappingCase(
      "#foreach($i in $a)$velocityCount$foreach.count$foreach.index #end", "110 221 ",
      body: #"{"a":["x","y"]}"#),
    MappingCase("#foreach($i in $a)$i#end$i", "xy", body: #"{"a":["x","y"]}"#),
    MappingCase("#set($i = 1)#foreach($i in [2, 3])$i#set($i = 9)#end$i", "231"),
    MappingCase(
      "#foreach($j in [1, 2])#foreach($k in [3])$foreach.count,#end$foreach.count|#end", "1,1|1,2|"),
    MappingCase("#foreach($v in $nothing)x#end", ""),
    MappingCase("#foreach($v in [1..3])$v\n#end", "1\n2\n3\n"),
    MappingCase("#foreach($v in [2..-1])$v,#end", "2,1,0,-1,"),
    MappingCase("#set($s = 0)#foreach($i in [1, 2])$s,#set($s = $i)#end$s", "0,1,2"),
    // Values.
    MappingCase("#set($v = true)$v", "true"), MappingCase("#set($v = 10)$v", "10"),
    MappingCase(#"#set($v = "x $a y")$v"#, "x 1 y", body: #"{"a":1}"#),
    MappingCase(#"#set($v = "x \$a y")$v"#, "x $a y", body: #"{"a":1}"#),
    MappingCase(#"#set($v = "\\a\nb")$v"#, #"\\a\nb"#),
    MappingCase(#"#set($v = "{""a"": 2}")$v"#, #"{"a": 2}"#),
    MappingCase(#"#set($v = '{"a": 2}')$v"#, #"{"a": 2}"#),
    MappingCase("#set($v = \"\")#set($w = '').$v.$w.", "..."),
    MappingCase("#set($v = {})$v", "{}"),
    MappingCase("#set($v = {'a': 'b', 'c': 'd'})$v.toString()", "{a=b, c=d}"),
    MappingCase(#"#set($v = {"a": "$b"})$v.a"#, "c", body: #"{"b":"c"}"#),
    MappingCase("#set($v = (5 + 4) > 2)$v", "true"), MappingCase("#set($v = 4 > 2 + 5)$v", "false"),
    MappingCase("#set($v = 5 * 4 - 2)$v", "18"), MappingCase("#set($v = 2 + 5 * 4)$v", "22"),
    MappingCase("#set($v = ($a % 2))$v", "1", body: #"{"a":3}"#),
    MappingCase("#set($v = 100.0 / 50)$v", "2.0"),
    MappingCase("#set($v = .05)$v", "0.05"), MappingCase("$v", "Grüße", body: #"{"v":"Grüße"}"#),
    // White space, comments and escapes.
    MappingCase("## a comment\nText\nmore## and more $x", "Text\nmore"),
    MappingCase("Text#*\n a comment *#\n more", "Text\n more"), MappingCase("\n#if(true)\nx##\n#end", "\nx"),
    MappingCase("a #if(true)b.\n#if(true)c\n#end.\n#end d", "a b.\nc\n.\n d"),
    MappingCase("  #set($v = 1)\n  {", "    {"),
    MappingCase("a\n#set($v = 1)\n$v#if(true)#end\n\nb", "a\n1\nb"),
    MappingCase(
      "#set($e = 'x')\n$e\n\\$e\n\\\\$e\n\\\n\\\\ \\# \\$\n\\#end\n\\# end\n\\#set( $e = \"y\" )\n",
      "x\n$e\n\\x\n\\\n\\\\ \\# \\$\n#end\n\\# end\n#set( x = \"y\" )\n"),
    MappingCase("hello #stop world", "hello "), MappingCase("color: #13ff93, \"#\"", "color: #13ff93, \"#\""),
    // Blocks; macros do not exist, and their calls are text.
    MappingCase("#define($b)x#end$b()$b()", "x()x()"),
    MappingCase("#define($b)$foreach.index#end#foreach($i in [1, 2])$b#end", "01"),
    MappingCase("#define($b)$v#end\n#set($v = 'x')\n$b\n#set($v = 'y')\n$b\n", "x\ny\n"),
    MappingCase("#macro(m $a)x$a#end\n#m(5)", "#m(5)"),
    MappingCase("#set($v = 1)#evaluate($v)", "#evaluate($v)"),
    // Methods.
    MappingCase("#set($l = [1, 2]) $l.size() $l.get(1) $l.isEmpty() $l.contains(2)", " 2 2 false true"),
    MappingCase("#set($l = [1])#set($x = $l.add('y'))#foreach($i in $l)$i,#end", "1,y,"),
    MappingCase("#set($t = 'abcab1')$t.length() $t.replaceAll('a.', 'x') $t.indexOf('c')", "6 xcx1 2"),
    MappingCase("#set($t = 'some')$t.startsWith('so') $t.contains('x') $t.substring(1, 3)", "true false om"),
    MappingCase("#set($old = $m.put('k', 'new'))$old - $m.k", "old - new", body: #"{"m":{"k":"old"}}"#),
    MappingCase("#set($x = $n.putAll({'a': 'y', 'b': 'z'}))$n.a$n.b", "yz", body: #"{"n":{}}"#),
  ]

  /// From the developer guide ("API Gateway mapping template and access logging variable reference") and the Velocity
  /// user guide; refused templates have constructs that API Gateway does not have, or that are unknown.
  static let documented = [
    MappingCase(
      "$input.json('$.things') $input.path('$.things').size()", #"{"1":{},"2":{}} 2"#,
      body: #"{"things":{"1":{},"2":{}}}"#),
    MappingCase(
      "#set($o = $util.parseJson($input.path('$.e')))$o.k.l[0]", "1", body: #"{"e":"{\"k\":{\"l\":[1,2]}}"}"#),
    MappingCase(#"$util.escapeJavaScript("it's").replaceAll("\\'","'")"#, "it's"),
    MappingCase("$util.urlEncode('x=a+b ~') $util.urlDecode('x%3D+y')", "x%3Da%2Bb+%7E x= y"),
    MappingCase("$util.base64Encode('ab') $util.base64Decode('YWI=')", "YWI= ab"),
    MappingCase(
      "$input.path('$').a $input.path('$').b $input.path('$')", #"1 [{"c":5}] {a=1, b=[{"c":5}]}"#,
      body: #"{"a":1,"b":[{"c":5}]}"#),
    MappingCase("#if($input.path('$').toString().contains('error'))yes#end", "yes", body: #"{"an":"error"}"#),
    MappingCase("$input.params('none')|$input.params().querystring.keySet()", "|[]"),
    MappingCase(
      "#foreach($e in $a.entrySet())$e.key=$e.value;#end", "x=1;y=2;", body: #"{"a":{"x":1,"y":2}}"#),
    MappingCase("#[[ #if($x) $y ]]#", " #if($x) $y "),
    MappingCase("$context.stage|$stageVariables.v|${stageVariables['v']}", "||"),
    MappingCase("#foreach($i in [1..9])$i#if($i == 3)#break#end#end", "123"),
    MappingCase("#set($context.responseOverride.status = 404)$context.responseOverride.status", "404"),
    MappingCase("#set($t = 'a,b,,c,,')#foreach($p in $t.split(','))[$p]#end", "[a][b][][c]"),
    MappingCase("$a.replaceAll('(\\d+)-(\\d+)', '$2/$1')", "2/1", body: #"{"a":"1-2"}"#),
    MappingCase("#set($n = 5 / 2)$n #set($n = -5 % 3)$n #set($n = 1.5e0)", nil),
    MappingCase("#set($n = 7 / 2)$n", "3"),
    MappingCase("#set($n = $a + 1)$n", "x1", body: #"{"a":"x"}"#),
    MappingCase("$a $b", "1.0E10 1.0E-4", body: #"{"a":1e10,"b":0.0001}"#),
    // Refused.
    MappingCase("#if(true)x", nil), MappingCase("x#end", nil), MappingCase("#parse('a')", nil),
    MappingCase("#include('a')", nil),
    MappingCase("$util.toJson($a)", nil), MappingCase("$input.header", nil),
    MappingCase("$context.nope", nil),
    MappingCase("$context.identity", nil), MappingCase("$a.getClass()", nil), MappingCase("$a.class", nil),
    MappingCase("${a|'b'}", nil), MappingCase("#set($s = 1)#foreach($i in [1..$s])x#end", nil),
    MappingCase("x$", nil),
    MappingCase("x#", nil), MappingCase("${a", nil), MappingCase("#set($a 'b')", nil),
    MappingCase("#set($a = 'b)", nil),
    MappingCase(#"#set($a = "\"b\"")"#, nil), MappingCase("#set($input.body = 1)", nil),
    MappingCase("#set($context.stage = 1)", nil),
    MappingCase("$input.path('$.a[?(@.b)]')", nil), MappingCase("$a.replaceAll('(?=x)', '')", nil),
    MappingCase("#*", nil),
    MappingCase("#if(true)x#endy", nil),
  ]
}
