import Testing
import UserStoreContract

@testable import SQLiteStore

/// The store follows the contract, with one connection for each client.
@Suite("SQLite store: contract")
struct ContractTests {
  @Test("It follows the rule", arguments: StoreRule.all)
  func rule(_ rule: StoreRule) throws {
    let folder = try StoreFolder()
    let store = StoreUnderTest(
      open: {
        try SQLiteStore(
          path: folder.database, revocationFile: folder.revocations,
          deadlineMilliseconds: SQLiteStore.deadline, now: StoreFolder.wallClock)
      },
      revocationMilliseconds: { try folder.revoked()[String(decoding: $0, as: UTF8.self)] },
      withdrawnMilliseconds: { try folder.withdrawn($0) })
    let findings = try rule.findings(store)
    #expect(findings.isEmpty, "\(findings)")
    #expect(try folder.isIntact())
  }
}
