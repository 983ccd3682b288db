import Testing
import UserStoreContract

@Suite("Contract of user stores")
struct StoreRuleTests {
  private static func findings(_ rule: StoreRule, flaw: InMemoryStore.Flaw?) throws -> [String] {
    let contents = InMemoryStore.Contents()
    let store = StoreUnderTest(
      clients: 20, open: { InMemoryStore(contents, flaw: flaw) },
      revocationMilliseconds: { contents.revocationMilliseconds(of: $0) },
      withdrawnMilliseconds: { contents.withdrawnMilliseconds(of: $0) })
    return try rule.findings(store)
  }

  @Test("The in-memory store follows every rule", arguments: StoreRule.all)
  func keeps(_ rule: StoreRule) throws {
    #expect(try Self.findings(rule, flaw: nil) == [])
  }

  @Test("A store with a flaw violates a rule", arguments: InMemoryStore.Flaw.allCases)
  func finds(_ flaw: InMemoryStore.Flaw) throws {
    #expect(try StoreRule.all.contains { try !Self.findings($0, flaw: flaw).isEmpty })
  }
}
