import Foundation
import JOSE
import Testing

@testable import Identity

@Suite("Documented errors")
struct DocumentedErrorTests {
  @Test("the table of docs/identity.md lists each error once")
  func table() throws {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docs/identity.md")
    let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
      .compactMap { $0.firstMatch(of: /^\| (\d{3}) \| `(\w+)` \|/) }.map { "\($0.1) \($0.2)" }
    #expect(rows.sorted() == PublicError.allCases.map { "\($0.status) \($0.code)" }.sorted())
  }

  @Test("all refusals of tokens and nonces have the same response")
  func oneAnswer() {
    let refusals: [Refusal] = [
      .token(.expired), .token(.signatureMismatch), .token(.wrongAudience), .nonce(.forged), .nonce(.expired),
      .nonce(.usedBefore), .nonce(.claim(.mismatch)), .nonce(.missing), .nonce(.tokenTooOld),
    ]
    #expect(Set(refusals.map { ProxyResponse($0).body }).count == 1)
    #expect(Set(refusals.map(\.reason)).count == refusals.count)
  }
}
