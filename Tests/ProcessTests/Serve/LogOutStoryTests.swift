import Foundation
import TestSupport
import Testing

/// The story of docs/guides/log-out.md in curl, by each key: two sessions of Alice, a refreshed token of the first, and
/// Bob.
@Suite(.needsBootstrap, .needsIdentity, .needsCurl, .serialized, .hangLimit)
struct LogOutStoryTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// What the authorizer looks up.
    let keys: String
    /// Who tells it, and the status that they get.
    let end: String
    let status: Int
    /// The statuses afterwards: the phone, its refreshed token, the laptop, Bob.
    let after: String

    init(_ description: String, _ keys: String, _ end: String, _ status: Int, _ after: String) {
      (testDescription, self.keys, self.end, self.status, self.after) = (
        description, keys, end, status, after
      )
    }
  }

  private static let all = #"["sub","sid","jti","origin_jti"]"#
  private static let own =
    #"-X POST -H "Authorization: Bearer $PHONE" -H 'Content-Type: application/json' $API/Api/auth/logout"#
  private static let ownSession = #"-d '{"session":true}' "# + own

  static let rows = [
    Row("sub, by the provider", all, "-d user=alice $API/dev/logout", 200, "401 200 401 200"),
    Row("sub, by an event", all, "-d user=alice $API/dev/event", 202, "401 200 401 200"),
    Row("sub, by the user", all, own, 204, "401 200 401 200"),
    Row(
      "sid, by the provider", all, "-d user=alice -d session=phone $API/dev/logout", 200, "401 401 200 200"),
    Row("sid, by an event", all, "-d user=alice -d session=phone $API/dev/event", 202, "401 401 200 200"),
    Row("sid, by the user", all, ownSession, 204, "401 401 200 200"),
    Row("origin_jti, by the user", #"["sub","jti","origin_jti"]"#, ownSession, 204, "401 401 200 200"),
    Row("jti, by the user", #"["sub","jti"]"#, ownSession, 204, "401 200 200 200"),
    Row("nothing that is looked up", #"["sub"]"#, ownSession, 409, "200 200 200 200"),
  ]

  @Test("what has ended is refused, and everything else goes on", arguments: rows)
  func story(_ row: Row) throws {
    let guide = try Readme("docs/guides/log-out.md")
    let template = try #require(guide.blocks(in: "yaml").first?.text)
    try #require(template.contains(#"["sub", "sid"]"#))
    let workshop = try IdentityStoryTests.workshop()
    // An echo answers for a function whose code is missing.
    try workshop.write(
      template.replacing(#"["sub", "sid"]"#, with: row.keys) + """

          Backend:
            Type: AWS::Serverless::Function
            Properties:
              CodeUri: backend
              Handler: index.handler
              Runtime: nodejs22.x
              Events:
                Me:
                  Type: HttpApi
                  Properties: { ApiId: !Ref Api, Path: /me, Method: GET }

        """, to: "logout/template.yaml")
    let gateway = try ServedGateway(workshop, ["--template", "logout/template.yaml"])
    let script = """
      API=http://127.0.0.1:\(gateway.port)
      token() { curl -s -H 'Accept: text/plain' -d "{\\"user\\":\\"$1\\",\\"audience\\":\\"api\\",\\"claims\\":{\\"sid\\":\\"$2\\",\\"origin_jti\\":\\"$3\\",\\"jti\\":\\"$4\\"$5}}" $API/dev/token; }
      me() { curl -s -o /dev/null -w '%{http_code}\\n' -H "Authorization: Bearer $1" $API/Api/me; }
      PHONE=$(token alice phone login-1 token-1 '')
      LAPTOP=$(token alice laptop login-2 token-2 '')
      BOB=$(token bob tablet login-3 token-3 '')
      me $PHONE; me $LAPTOP; me $BOB
      curl -s -o /dev/null -w '%{http_code}\\n' \(row.end)
      REFRESHED=$(token alice phone login-1 token-4 ',"iat":"+5s"')
      me $PHONE; me $REFRESHED; me $LAPTOP; me $BOB
      """
    let answer = try Shell.run(script, in: workshop)
    #expect(answer.exit == 0, "\(answer.errors)")
    let found = answer.output.split(separator: "\n").joined(separator: " ")
    #expect(found == "200 200 200 \(row.status) \(row.after)", "\(gateway.logText)")
    #expect(gateway.logText.contains("reason=revoked") == row.after.contains("401"))
  }
}
