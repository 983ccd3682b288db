import Authorizer
import Foundation
import Testing

/// Checks that `docs/reference/reasons.md` has every reason code once, with its outcome, a meaning and what to do.
@Suite struct ReasonPageTests {
  static let rows: [[String]] = {
    let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docs/reference/reasons.md")
    let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
    return text.components(separatedBy: "\n").filter { $0.hasPrefix("| `") }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }()

  @Test func everyReasonHasOneRow() {
    let codes = Self.rows.map { $0[0].trimmingCharacters(in: ["`"]) }
    #expect(codes.sorted() == ReasonCode.allCases.map(\.rawValue).sorted())
  }

  @Test(arguments: ReasonCode.allCases)
  func rowStatesTheOutcome(_ code: ReasonCode) throws {
    let row = try #require(Self.rows.first { $0[0] == "`\(code.rawValue)`" })
    #expect(row.count == 4)
    #expect(row[1] == code.outcome.rawValue)
    #expect(row[2].hasSuffix(".") && row[3].hasSuffix("."))
  }
}
