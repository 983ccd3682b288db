import Testing

@testable import Authorizer

@Suite("MethodARN")
struct MethodARNTests {
  struct Form: CustomTestStringConvertible {
    let prefix: String
    let route: String
    var isConnect = false
    var testDescription: String { prefix + route }
    var bytes: [UInt8] { Array((prefix + route).utf8) }
  }

  static let forms = [
    // Partitions: AWS regions, China, GovCloud.
    Form(prefix: "arn:aws:execute-api:eu-west-1:123456789012:puhdx84jy9/prod/", route: "POST/lambda-token"),
    Form(prefix: "arn:aws-cn:execute-api:cn-north-1:123456789012:abcdef123/prod/", route: "GET/pets"),
    Form(prefix: "arn:aws-us-gov:execute-api:us-gov-west-1:123456789012:abcdef123/v1/", route: "GET/pets"),
    // Stages: the literal `$default` of HTTP APIs, names with every allowed character, the lone wildcard of AWS's
    // samples.
    Form(prefix: "arn:aws:execute-api:eu-west-1:123456789012:lsw1ro4ipb/$default/", route: "POST/lambda"),
    Form(prefix: "arn:aws:execute-api:eu-west-1:123456789012:abc/Stage-1_b/", route: "GET/"),
    Form(prefix: "arn:aws:execute-api:us-west-2:123456789012:ymy8tbxw7b/*/", route: "GET/"),
    // Root path.
    Form(prefix: "arn:aws:execute-api:eu-west-1:123456789012:abc/dev/", route: "GET/"),
    // A path may contain any URL character; only the first five colons separate fields.
    Form(prefix: "arn:aws:execute-api:eu-west-1:123456789012:abc/dev/", route: "GET/a:b/c:d:e::/"),
    Form(prefix: "arn:aws:execute-api:eu-west-1:123456789012:abc/dev/", route: "GET/arn:aws:iam::1:role/x"),
    Form(prefix: "arn:aws:execute-api:eu-west-1:123456789012:abc/dev/", route: "GET//a///b//"),
    Form(prefix: "arn:aws:execute-api:eu-west-1:123456789012:abc/dev/", route: "GET/*/x?y"),
    Form(prefix: "arn:aws:execute-api:eu-west-1:123456789012:abc/dev/", route: "GET/%2e%2E/%00%C3%A9"),
    Form(prefix: "arn:aws:execute-api:eu-west-1:123456789012:abc/dev/", route: "GET/\u{1F600}/\u{1}"),
    // `$connect` is the whole route of a WebSocket API and an ordinary path elsewhere.
    Form(
      prefix: "arn:aws:execute-api:us-east-1:123456789012:abc/default/", route: "$connect", isConnect: true),
    Form(prefix: "arn:aws:execute-api:us-east-1:123456789012:abc/default/", route: "GET/$connect"),
    Form(prefix: "arn:aws:execute-api:us-east-1:123456789012:abc/default/", route: "$connect/"),
    Form(prefix: "arn:aws:execute-api:us-east-1:123456789012:abc/default/", route: "$connected"),
  ]

  @Test("stage and route are separated", arguments: forms)
  func parts(_ form: Form) throws {
    let arn = try #require(MethodARN(parsing: form.bytes))
    #expect(String(decoding: arn.stagePrefix, as: UTF8.self) == form.prefix)
    #expect(String(decoding: arn.route, as: UTF8.self) == form.route)
    #expect(arn.isConnectRoute == form.isConnect)
  }

  @Test("the policy's resource is the stage with a wildcard", arguments: forms)
  func resource(_ form: Form) throws {
    #expect(try Self.resources(form.bytes) == [form.prefix + "*"])
  }

  /// The resources that an accepted token may reach for this method; `nil` if the policy would be too large.
  private static func resources(_ arn: [UInt8]) throws -> [String]? {
    var authorizer = try TestIssuers.authorizer()
    let event = TestEvent.bytes(
      .restToken, arn: String(decoding: arn, as: UTF8.self), token: try TestIssuers.token(DecisionTests.apple)
    )
    let decision = authorizer.decide(on: event, at: TestIssuers.now)
    guard case .response(let bytes) = decision.answer else {
      #expect(decision.reason == .answerTooLarge)
      return nil
    }
    return try PolicyReading(bytes).resources
  }

  static let refusals = [
    // Too few fields.
    "", "arn", "arn:aws:execute-api:eu-west-1:123456789012", "arn:aws:execute-api:eu-west-1:abc/dev/GET/",
    "arn:aws:execute-api:eu-west-1:123456789012:abc", "arn:aws:execute-api:eu-west-1:123456789012:abc/dev",
    "arn:aws:execute-api:eu-west-1:123456789012:abc/dev/",
    // Empty fields.
    ":aws:execute-api:eu-west-1:123456789012:abc/dev/GET/",
    "arn::execute-api:eu-west-1:123456789012:abc/dev/GET/",
    "arn:aws::eu-west-1:123456789012:abc/dev/GET/", "arn:aws:execute-api::123456789012:abc/dev/GET/",
    "arn:aws:execute-api:eu-west-1::abc/dev/GET/", "arn:aws:execute-api:eu-west-1:123456789012:/dev/GET/",
    "arn:aws:execute-api:eu-west-1:123456789012:abc//GET/",
    // Another service, another scheme, another partition.
    "arn:aws:lambda:eu-west-1:123456789012:abc/dev/GET/",
    "arn:aws:execute-api2:eu-west-1:123456789012:abc/dev/GET/",
    "ARN:aws:execute-api:eu-west-1:123456789012:abc/dev/GET/",
    "urn:aws:execute-api:eu-west-1:123456789012:abc/dev/GET/",
    "arn:azure:execute-api:eu-west-1:123456789012:abc/dev/GET/",
    "arn:*:execute-api:eu-west-1:123456789012:abc/dev/GET/",
    // Characters that IAM treats as wildcards or variables, in any field that is part of a policy.
    "arn:aws:execute-api:*:123456789012:abc/dev/GET/", "arn:aws:execute-api:eu-west-1:*:abc/dev/GET/",
    "arn:aws:execute-api:eu-west-1:123456789012:*/dev/GET/",
    "arn:aws:execute-api:eu-west-1:123456789012:a*c/dev/GET/",
    "arn:aws:execute-api:eu-west-1:123456789012:a?c/dev/GET/",
    "arn:aws:execute-api:eu-west-1:123456789012:abc/d*/GET/",
    "arn:aws:execute-api:eu-west-1:123456789012:abc/**/GET/",
    "arn:aws:execute-api:eu-west-1:123456789012:abc/?/GET/",
    "arn:aws:execute-api:eu-west-1:123456789012:abc/de?/GET/",
    "arn:aws:execute-api:eu-west-1:123456789012:abc/${aws:userid}/GET/",
    "arn:aws:execute-api:eu-west-1:123456789012:abc/$DEFAULT/GET/",
    "arn:aws:execute-api:eu-west-1:123456789012:abc/$default2/GET/",
    // Colons before the path.
    "arn:aws:execute-api:eu-west-1:123456789012:abc:def/dev/GET/",
    "arn:aws:execute-api:eu-west-1:123456789012:abc/d:v/GET/",
    // Control characters, blanks, quotes and letters beyond ASCII.
    "arn:aws:execute-api:eu-west-1:123456789012:abc/de\u{0}v/GET/",
    "arn:aws:execute-api:eu-west-1\n:123456789012:abc/dev/GET/",
    "arn:aws:execute-api:eu-west-1:123456789012:a\u{7F}bc/dev/GET/",
    "arn:aws\t:execute-api:eu-west-1:123456789012:abc/dev/GET/",
    "arn:aws:execute-api:eu-west-1:123456789012:abc/d v/GET/",
    "arn:aws:execute-api:eu-west-1:123456789012:abc/d\"v/GET/",
    "arn:aws:execute-api:eu-west-1:123456789012:abc/d\u{E9}v/GET/",
    " arn:aws:execute-api:eu-west-1:123456789012:abc/dev/GET/",
  ]

  @Test("an ARN that is not a method's or could change a policy's meaning is refused", arguments: refusals)
  func refusal(_ text: String) {
    #expect(MethodARN(parsing: Array(text.utf8)) == nil)
  }

  /// Each byte at each place of an ARN, and each ARN cut at each place: read as by splitting at colons and slashes.
  @Test(
    "a changed byte is read as in a split ARN",
    arguments: [
      "arn:aws:execute-api:eu-west-1:123456789012:abc/dev/GET/p:x",
      "arn:aws-cn:execute-api:cn-north-1:1:a/$default/GET/",
      "arn:aws:execute-api:r:1:a/*/$connect",
    ])
  func changedBytes(_ text: String) {
    let bytes = Array(text.utf8)
    var wrong: [String] = []
    func compare(_ arn: [UInt8], _ name: String) {
      let parsed = MethodARN(parsing: arn)
      let split = Self.split(arn)
      if parsed?.stagePrefix != split?.prefix || parsed?.route != split?.route { wrong.append(name) }
    }
    for place in bytes.indices {
      compare(Array(bytes[..<place]), "cut at \(place)")
      compare(Array(bytes[..<place] + bytes[(place + 1)...]), "without \(place)")
      for byte in UInt8.min...UInt8.max {
        var changed = bytes
        changed[place] = byte
        compare(changed, "\(byte) at \(place)")
        changed[place] = bytes[place]
        changed.insert(byte, at: place)
        compare(changed, "\(byte) before \(place)")
      }
    }
    #expect(wrong.isEmpty)
  }

  /// Reads an ARN in the simplest way.
  private static func split(_ arn: [UInt8]) -> (prefix: [UInt8], route: [UInt8])? {
    let fields = arn.split(separator: 0x3A, maxSplits: 5, omittingEmptySubsequences: false)
    guard fields.count == 6, fields[0].elementsEqual("arn".utf8), fields[1].starts(with: "aws".utf8),
      fields[2].elementsEqual("execute-api".utf8)
    else { return nil }
    let parts = fields[5].split(separator: 0x2F, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[2].isEmpty else { return nil }
    let names = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.".utf8)
    func isName(_ field: ArraySlice<UInt8>) -> Bool { !field.isEmpty && field.allSatisfy(names.contains) }
    let stage = String(decoding: parts[1], as: UTF8.self)
    guard [fields[1], fields[3], fields[4], parts[0]].allSatisfy(isName),
      isName(parts[1]) || stage == "$default" || stage == "*"
    else { return nil }
    return (Array(arn[..<parts[2].startIndex]), Array(parts[2]))
  }

  /// HTTP APIs accept 10,240 bytes, and percent-encoding triples them, so no request can exceed the limit.
  @Test(
    "an ARN has at most 32 KiB",
    arguments: [(1_601, true), (3 * 10_240 + 512, true), (32 << 10, true), ((32 << 10) + 1, false)])
  func size(bytes: Int, isGood: Bool) {
    let start = "arn:aws:execute-api:eu-west-1:123456789012:abc/dev/GET/"
    let text = start + String(repeating: "a", count: bytes - start.utf8.count)
    #expect((MethodARN(parsing: Array(text.utf8)) != nil) == isGood)
  }

  @Test("a resource has at most 512 bytes", arguments: [(511, true), (512, true), (513, false)])
  func resourceSize(bytes: Int, isGood: Bool) throws {
    let start = "arn:aws:execute-api:eu-west-1:123456789012:abc/"
    let stage = String(repeating: "s", count: bytes - start.utf8.count - 2)
    let resources = try Self.resources(Array("\(start)\(stage)/GET/".utf8))
    #expect(resources?.map(\.utf8.count) == (isGood ? [bytes] : nil))
  }
}
