import TestSupport
import Testing

@Suite("Rules of the repository")
struct RuleTests {
  @Test("The repository follows the rule", arguments: Rule.all)
  func repositoryKeeps(_ rule: Rule) throws {
    let findings = rule.findings(try Repository.checkedOut.get())
    #expect(findings.isEmpty, "\(rule.name): \(findings.joined(separator: "; "))")
  }

  @Test("The rule finds violations", arguments: Rule.all)
  func ruleFinds(_ rule: Rule) {
    for bad in rule.bad {
      #expect(!rule.findings(Repository(files: bad)).isEmpty, "\(bad)")
    }
    #expect(!rule.bad.isEmpty)
  }

  @Test("The rule accepts similar valid files", arguments: Rule.all)
  func ruleLeavesAlone(_ rule: Rule) {
    #expect(rule.findings(Repository(files: rule.good)) == [])
  }

  @Test("The rules read the files of this repository")
  func rulesSeeTheRepository() throws {
    let repository = try Repository.checkedOut.get()
    for path in ["Package.swift", "Makefile", ".ci/run", "scripts/system-packages", "README.md"] {
      #expect(repository.files[path] != nil, "\(path) is not read")
    }
    #expect(repository.files(under: "events/").count >= 50)
  }

  @Test("The rules for functions apply to each of their modules and programs")
  func functionFoldersAreThoseOfThePackage() throws {
    let package = try Checkout.text("Package.swift")
    let section = try #require(
      package.split(separator: "let functionTargets: [Target] = [").last?.split(separator: "\n]").first)
    let modules = section.matches(of: /functionModule\(\s*"([\w-]+)"/).map { String($0.1) }
    let programs = section.matches(of: /executableTarget\(\s*name: "([\w-]+)"/).map { String($0.1) }
    #expect(programs.count == 4)
    #expect(Set(functionFolders) == Set((modules + programs).map { "Sources/\($0)/" }))
  }
}

@Suite("SwiftCode")
struct SwiftCodeTests {
  @Test(
    arguments: [
      (#"let a = "try! \(f(")") + x) b" // c"#, #"f(   ) + x"#, "try!"),
      (##"let a = #"unsafe \(b) \#(c)"#; d"##, "c", "unsafe"),
      ("/* a /* unsafe */ b */ let c = 1", "let c = 1", "unsafe"),
      (#"let a = "\\"; unsafe b"#, "unsafe b", #"\\"#),
      ("let a = \"\"\"\n  unsafe \"x\" \\\"\"\"\n  \"\"\"; b()", "b()", "unsafe"),
    ])
  func blanksCommentsAndLiterals(text: String, kept: String, gone: String) {
    let lines = SwiftCode(text).text.allLines
    #expect(lines.contains { $0.contains(kept) }, "\(lines)")
    #expect(!lines.contains { $0.contains(gone) }, "\(lines)")
  }

  @Test("Lines keep their numbers")
  func linesKeepTheirNumbers() {
    let code = SwiftCode("/* a\n b */\n\"\"\"\n text\n \"\"\"\nunsafe f()")
    #expect(code.lineNumbers(withWord: "unsafe") == [6])
  }
}
