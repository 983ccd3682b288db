import Authorizer
import Foundation
import Testing

/// Checks that `docs/reference/reasons.md` has every reason code once, in the section of its outcome, with a meaning and
/// what to do.
@Suite struct ReasonPageTests {
  /// The cells of each row, after the first word of its section's heading.
  static let rows: [[String]] = {
    let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docs/reference/reasons.md")
    let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
    var outcome = ""
    return text.components(separatedBy: "\n").compactMap { line in
      if line.hasPrefix("## ") { outcome = line.dropFirst(3).prefix { $0 != ":" }.lowercased() }
      guard line.hasPrefix("| `") else { return nil }
      return [outcome] + line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }()

  @Test func everyReasonHasOneRow() {
    let codes = Self.rows.map { $0[1].trimmingCharacters(in: ["`"]) }
    #expect(codes.sorted() == ReasonCode.allCases.map(\.rawValue).sorted())
  }

  @Test(arguments: ReasonCode.allCases)
  func rowIsInTheSectionOfTheOutcome(_ code: ReasonCode) throws {
    let row = try #require(Self.rows.first { $0[1] == "`\(code.rawValue)`" })
    #expect(row.count == 4)
    #expect(row[0] == code.outcome.rawValue)
    #expect(row[2].hasSuffix(".") && row[3].hasSuffix("."))
  }
}
