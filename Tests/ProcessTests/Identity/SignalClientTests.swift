import Foundation
import JSON
@testable import LambdaEmulator
import TestSupport
import Testing

/// Tokens of joserfc at the receivers of the identity function.
@Suite(.needsIdentity, .enabled(if: Clients.areInstalled, Clients.why), .hangLimit)
struct SignalClientTests {
  @Test("tokens of another library have the expected answers") func tokens() async throws {
    let workshop = try Workshop()
    let script = Clients.scripts.appendingPathComponent("signals.py").path
    let now = String(Int64(Date().timeIntervalSince1970))
    let text = try await Clients.output("python3", [script, now])
    let made = try #require(try? JSONTree(parsing: Array(text.utf8), limits: .event), "\(text)")
    try Data(try #require(made["keys"]).bytes()).write(
      to: workshop.folder.appendingPathComponent("foreign.json"))
    let function = try IdentityFunction(
      in: workshop.folder,
      """
      {"receivers":[{"name":"idp","issuer":"https://id.example.com","algorithms":["RS256","ES256"],
      "audiences":["client"],"accept":["back-channel-logout","security-event-token"],
      "keys":{"seed":"foreign.json","pinned":true}}],
      "store":{"sqlite":{"path":"users.sqlite","revocations":"revocations.json"}}}
      """)
    let tokens = try #require(made["tokens"]?.elements, "\(text)")
    #expect(tokens.count == 10)
    try await function.run { environment in
      for entry in tokens {
        guard case .string(let token)? = entry["token"], case .string(let route)? = entry["route"] else {
          continue
        }
        let event = IdentityFunction.event(
          "POST", "/signals/idp/" + route, body: route == "logout" ? "logout_token=" + token : token,
          contentType: route == "logout"
            ? "application/x-www-form-urlencoded" : "application/secevent+jwt")
        let answer = try ProxyAnswer(await environment.invoke(event: event))
        #expect(entry["status"] == .number(String(answer.status)), "\(entry) \(answer.text)")
      }
    }
    let file = try String(
      contentsOf: workshop.folder.appendingPathComponent("revocations.json"), encoding: .utf8)
    #expect(file.contains(#""kind":"sub","value":"alice""#) && file.contains(#""kind":"sid","value":"s1""#))
  }
}
