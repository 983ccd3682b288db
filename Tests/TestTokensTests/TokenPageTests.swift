import Foundation
import Testing

@testable import TestTokens

/// `docs/reference/tokens.md` lists all names that a recipe may contain, and no others.
@Suite struct TokenPageTests {
  static let lines: [String] = {
    let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docs/reference/tokens.md")
    return ((try? String(contentsOf: page, encoding: .utf8)) ?? "").components(separatedBy: "\n")
  }()

  /// The words in backquotes in the first cells of the table under a heading.
  static func words(under heading: String) -> [String] {
    let section = lines.drop { $0 != "## " + heading }.dropFirst().prefix { !$0.hasPrefix("## ") }
    let cells = section.filter { $0.hasPrefix("| `") }.map { $0.split(separator: "|")[0] }
    return cells.flatMap { cell in
      cell.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
  }

  @Test func everyDamage() {
    #expect(Self.words(under: "Damage") == TokenDamage.allCases.map(\.rawValue))
  }

  @Test func everyKey() {
    #expect(Self.words(under: "Keys").sorted() == DevelopmentKeyName.allCases.map(\.rawValue).sorted())
  }

  @Test func everyPreset() {
    let section = Self.lines.drop { $0 != "## Presets" }.dropFirst(2).first ?? ""
    #expect(section.filter { $0 != "`" }.components(separatedBy: ", ") == TokenPreset.names)
  }

  @Test func everyMember() {
    #expect(Self.words(under: "Members of a recipe") == TokenRecipeReader.memberNames)
  }

  @Test func theSampleIsRead() throws {
    let text = Self.lines.drop { $0 != "```json" }.dropFirst().prefix { $0 != "```" }.joined(separator: "\n")
    let recipes = try TokenRecipes(parsing: Array(text.utf8))
    #expect(recipes.names == ["good", "expired", "forged", "cut", "junk"])
  }
}
