import Testing
import UserStoreContract

@Suite("The contract of stores of users")
struct StoreRuleTests {
  private static func findings(_ rule: StoreRule, flaw: InMemoryStore.Flaw?) throws -> [String] {
    let contents = InMemoryStore.Contents()
    let store = StoreUnderTest(
      clients: 20, open: { InMemoryStore(contents, flaw: flaw) },
      revocationMilliseconds: { contents.revocationMilliseconds(of: $0) })
    return try rule.findings(store)
  }

  @Test("A store in memory keeps every rule", arguments: StoreRule.all)
  func keeps(_ rule: StoreRule) throws {
    #expect(try Self.findings(rule, flaw: nil) == [])
  }

  @Test("A store with a flaw breaks one", arguments: InMemoryStore.Flaw.allCases)
  func finds(_ flaw: InMemoryStore.Flaw) throws {
    #expect(try StoreRule.all.contains { try !Self.findings($0, flaw: flaw).isEmpty })
  }
}
