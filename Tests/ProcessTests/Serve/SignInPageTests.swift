import Foundation
import Testing

/// The commands of the sign-in page work.
@Suite(.needsBootstrap, .needsIdentity, .needsCurl, .serialized)
struct SignInPageTests {
  @Test("the commands of docs/harness/sign-in.md sign a user in, and reject the user after a withdrawal")
  func page() throws {
    let page = try Readme("docs/harness/sign-in.md")
    let block = try #require(page.blocks(in: "sh").first { $0.commands.first?.hasPrefix("API=") == true })
    let workshop = try IdentityStoryTests.workshop()
    let gateway = try ServedGateway(workshop, IdentityStoryTests.arguments)
    let script = block.text.replacing(
      "API=http://127.0.0.1:8080", with: "API=http://127.0.0.1:\(gateway.port)")
    #expect(script != block.text)
    let answer = try Shell.run(script, in: workshop)
    #expect(answer.exit == 0, "\(answer.errors)")
    let lines = answer.output.split(separator: "\n").map(String.init)
    try #require(lines.count == 5, "\(answer.output)\(answer.errors)\(gateway.logText)")
    #expect(lines[0].contains(#""is_new_user":true"#))
    #expect(lines[0].contains(#""auth_state":"authenticated""#))
    #expect(lines[1].contains(#""given_name":"Ada""#))
    #expect(lines[2] == #"{"data":{}}"#)
    #expect(lines[3...] == ["200", "401"], "\(gateway.logText)")
    #expect(gateway.logText.contains("reason=revoked"))
  }
}
