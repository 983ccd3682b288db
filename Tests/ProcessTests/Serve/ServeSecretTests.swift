import Foundation
import JSON
import TestSupport
import Testing

/// What other users of the machine get from `serve`, which every user can connect to.
@Suite(.needsBootstrap, .needsCurl, .serialized, .hangLimit)
struct ServeSecretTests {
  static let guarded = [
    "GET /dev/decisions", "GET /dev/decisions/1", "POST /dev/decisions/1/replay", "POST /dev/send",
    "GET /dev/session", "GET /dev/clock", "POST /dev/clock", "POST /dev/cache/flush",
    "POST /2015-03-31/functions/AuthorizerFunction/invocations",
  ]

  @Test("without the secret nothing is shown and nothing changes") func guarded() async throws {
    let workshop = try Workshop()
    let gateway = try ServeTests.gateway(workshop)
    let token = try await gateway.token("user=alice")
    _ = try await gateway.send("GET", "/RestApi/prod/me", headers: ["Authorization": "Bearer \(token)"])
    let file = try #require(gateway.secretFile)
    let headers = ["Content-Type": "application/json"]
    for request in Self.guarded {
      let words = request.split(separator: " ").map(String.init)
      for secret in [nil, "", String(repeating: "A", count: 43)] {
        let more = secret.map { ["X-Development-Secret": $0] } ?? [:]
        let answer = try await gateway.send(
          words[0], words[1], headers: headers.merging(more) { $1 }, body: words[0] == "POST" ? "{}" : nil,
          isOwn: false)
        #expect(answer.status == 403, "\(request)")
        #expect(answer.text.contains("curl -H @FILE sends it, and FILE is \(file)"), "\(answer.text)")
      }
    }
    let decisions = try await gateway.send("GET", "/dev/decisions")
    #expect(decisions.json?["newest"] == .number("1"), "\(decisions.text)\n\(gateway.logText)")
  }

  @Test("curl reads the secret from the file, which no other user can read") func file() async throws {
    let workshop = try Workshop()
    let gateway = try ServeTests.gateway(workshop)
    let file = try #require(gateway.secretFile)
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    let answer = try Shell.run(
      "curl -s -H @.development/secret http://127.0.0.1:\(gateway.port)/dev/clock", in: workshop)
    #expect(answer.output.contains("offsetSeconds"), "\(answer.output)")
    let secret = try #require(gateway.secret)
    #expect(!gateway.logText.contains(secret))
  }
}
