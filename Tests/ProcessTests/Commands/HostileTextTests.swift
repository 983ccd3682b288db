import Foundation
import TestSupport
import Testing

/// Text from outside with terminal commands. No command prints it unescaped to standard output or standard error, in
/// any output format.
@Suite(.needsPython, .hangLimit)
struct HostileTextTests {
  /// Clears the screen, starts a one-byte sequence (C1), and changes the direction of the text.
  static let hostile = "\u{1B}[2J\u{9B}31m\u{202E}\u{7F}"
  /// The same text in JSON: C1, direction and DEL need no escape there.
  static let inJSON = #"\u001b[2J"# + "\u{9B}31m\u{202E}\u{7F}"

  static let function = """
    import http.client, json, os, sys
    connection = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
    while True:
        connection.request("GET", "/2018-06-01/runtime/invocation/next")
        answer = connection.getresponse()
        answer.read()
        print("\\x1b[2J\\x9b31m\\u202e\\x7f", flush=True)
        print("\\x1b[2J\\x9b31m\\u202e\\x7f", file=sys.stderr, flush=True)
        policy = {"Version": "2012-10-17", "Statement": [{"Action": "execute-api:Invoke", "Effect": "Allow", "Resource": "*"}]}
        body = {"principalId": "u\\x1b[2J\\x9b\\u202e\\x7f", "policyDocument": policy, "context": {"c": "\\x9b\\u202e\\x7f"}}
        path = "/2018-06-01/runtime/invocation/" + answer.getheader("Lambda-Runtime-Aws-Request-Id") + "/response"
        connection.request("POST", path, json.dumps(body, ensure_ascii=False).encode())
        connection.getresponse().read()
    """

  static func workshop() throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(function, to: "f.py")
    let event =
      #"{"type":"TOKEN","methodArn":"arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/\#(inJSON)","authorizationToken":"Bearer {{token x}}","\#(inJSON)":1}"#
    try workshop.write(event, to: "events/a.json")
    try workshop.write(#"{"outcome":"forbidden","reason":"\#(inJSON)"}"#, to: "events/a.expected.json")
    try workshop.write(
      #"{"x":{"preset":"apple","claims":{"sub":"u","aud":"\#(inJSON)","nonce":"\#(inJSON)"}}}"#,
      to: "events/tokens.json")
    try workshop.write(event, to: "wrong/a.json")
    try workshop.write(#"{"outcome":"forbidden"}"#, to: "wrong/a.expected.json")
    try workshop.write(#"{"x":{"preset":"\#(inJSON)"}}"#, to: "wrong/tokens.json")
    try workshop.write(
      #"{"issuers":[{"preset":"apple","audiences":["a"],"keys":{"seed":"k","pinned":true}}]}"#,
      to: "events/authorizer.json")
    try workshop.write(
      #"{"issuers":[{"preset":"apple\#(inJSON)","audiences":["\#(inJSON)"],"\#(inJSON)":1}],"\#(inJSON)":1}"#,
      to: "bad.json")
    try workshop.write(
      #"{"issuers":[{"name":"n\#(inJSON)","issuer":"https://i.example","audiences":["\#(inJSON)"],"algorithms":["RS256"],"keys":{"url":"https://i.example/k"}}]}"#,
      to: "odd.json")
    try workshop.write(
      #"{"Version":"2012-10-17","Statement":[{"Sid":"\#(inJSON)","Action":"execute-api:Invoke","Effect":"Allow","Resource":"*\#(inJSON)"}]}"#,
      to: "policy.json")
    try workshop.write(
      #"{"keys":[{"kty":"RSA","kid":"\#(inJSON)","n":"AQAB","e":"AQAB"},{"kty":"\#(inJSON)"}]}"#,
      to: "keys.json")
    try workshop.write(
      "Resources:\n  F:\n    Type: \"AWS::ApiGateway::\\e[2J\\x9B\\u202E\"\n    Properties: { \"\\e[2J\": 1 }\n",
      to: "t.yaml")
    return workshop
  }

  static let run = ["--function", "\(Workshop.python ?? "python3") -I -u -X utf8 f.py"]

  /// Commands that print the hostile text.
  static let printing: [[String]] = [
    ["config", "check", "bad.json"], ["config", "check", "bad.json", "--json"],
    ["config", "check", "odd.json"],
    ["explain", "events/a.json"], ["explain", "events/a.json", "--json"],
    ["explain", "Bearer \(hostile)", "--config", "events/authorizer.json"],
    ["invoke", "events/a.json", "--verbose"] + run, ["invoke", "events/a.json", "--json"] + run,
    ["test", "events"] + run, ["test", "events", "--json"] + run,
    ["test", "events", "--strict", "--verbose"] + run,
    ["test", "events", "--update"] + run, ["event", "render", "events/a.json"],
    ["event", "https://a.example/s/\(hostile)"], ["event", "-H", "X: \(hostile)", "https://a.example/s/p"],
    ["event", hostile], ["evaluate", "policy.json", "--arn", hostile],
    ["evaluate", "policy.json", "--arn", hostile, "--json", "--lint"],
    ["evaluate", "policy.json", "--arn", hostile, "--verbose"],
    ["keys", "show", "--jwks", "keys.json"], ["keys", "show", "--jwks", "keys.json", "--json"],
    ["keys", "fetch", hostile], ["token", hostile], ["token", "--preset", "apple", "--expires", hostile],
    ["doctor", "--template", "t.yaml"], ["doctor", "--template", "t.yaml", "--json"],
    ["doctor", "--accept", hostile, "--template", "t.yaml"],
    ["serve", "--template", "t.yaml"], ["serve", "--template", "\(hostile).yaml"],
    [hostile], ["invoke", hostile], ["bench", "--\(hostile)"], ["package", "--bootstrap", hostile],
  ]

  /// Commands that read the hostile text and print something else.
  static let silent: [[String]] = [
    ["config", "check", "odd.json", "--json"], ["explain", hostile, "--config", "events/authorizer.json"],
    ["invoke", "events/a.json", "events/a.json", "--strict", "--expect", "failure"] + run,
    ["test", "wrong"] + run, ["token", "--preset", hostile],
  ]

  @Test(arguments: printing) func escapesTerminalCommandsInAllOutput(_ arguments: [String]) throws {
    let text = try Self.harmlessOutput(of: arguments)
    // A command that stops before it reads the text has nothing to escape.
    #expect(text.contains(#"\u{1b}"#) || text.contains(#"\u001b"#), "\(text)")
  }

  @Test(arguments: silent) func printsNoTerminalCommands(_ arguments: [String]) throws {
    let text = try Self.harmlessOutput(of: arguments)
    #expect(!text.isEmpty)
  }

  /// Returns the output and the errors of a command, which must not contain control characters.
  private static func harmlessOutput(of arguments: [String]) throws -> String {
    let answer = try workshop().execute(arguments)
    for text in [answer.output, answer.errors] {
      let raw = text.unicodeScalars.filter { scalar in
        switch scalar.properties.generalCategory {
        case .control: scalar != "\n" && scalar != "\t"
        case .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
      }
      #expect(raw.isEmpty, "\(raw.map { String($0.value, radix: 16) }) in \(text.debugDescription)")
    }
    return answer.output + answer.errors
  }

  @Test func escapedJSONHasTheSameContent() throws {
    let answer = try Self.workshop().execute(["event", "render", "events/a.json"])
    let document = try #require(
      JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Any])
    #expect((document["methodArn"] as? String)?.hasSuffix(Self.hostile) == true, "\(answer.output)")
  }
}
