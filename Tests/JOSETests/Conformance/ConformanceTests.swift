import Foundation
import Testing
import TestSupport

@Suite("Conformance page", .enabled(if: Conformance.isPossible, Comment(rawValue: SharedMaterial.absence)))
struct ConformanceTests {
  @Test("the committed page equals the page of this run")
  func page() throws {
    let conformance = try Conformance()
    #expect(conformance.unexplained.isEmpty)
    let file = Checkout.root.appending(path: Conformance.path)
    if ProcessInfo.processInfo.environment["UPDATE_CONFORMANCE"] == "1" {
      try Data(conformance.page.utf8).write(to: file)
      return
    }
    let committed = try String(contentsOf: file, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    let found = conformance.page.split(separator: "\n", omittingEmptySubsequences: false)
    for change in found.difference(from: committed) {
      switch change {
      case .insert(_, let line, _): Issue.record("only in the run: \(line)")
      case .remove(_, let line, _): Issue.record("only in the committed page: \(line)")
      }
    }
  }
}
