import Foundation
import JSON
import TestSupport

@testable import JOSE

/// The page about test vectors of other projects, generated from real runs.
struct Conformance {
  /// The text of the page.
  let page: String
  /// Cases with a different verdict and no documented reason; must be empty.
  let unexplained: [String]

  static let path = "CONFORMANCE.md"
  static let isPossible =
    Wycheproof.isPresent && Cookbook.isPresent && SharedMaterial.folder(Suite.path) != nil

  /// Runs all vectors.
  init() throws {
    var unexplained: [String] = []
    let sections = [
      Self.introduction, try Self.wycheproof(&unexplained), try Self.jsonTestSuite(&unexplained),
      try Self.cookbook(),
    ]
    page = sections.joined(separator: "\n")
    self.unexplained = unexplained
  }

  private static let introduction = """
    # Conformance

    The verdicts of the verifier on test vectors of other projects. `make vectors` downloads them to `.vectors`, at the
    commits of `scripts/vectors.pins`. `make conformance` runs them and writes this page, and `make test` fails if a
    number differs. Without vectors the test is skipped.

    """

  // MARK: Wycheproof

  private static func wycheproof(_ unexplained: inout [String]) throws -> String {
    var families: [Family] = []
    var notes: [String] = []
    var stricter: [String: Set<String>] = [:]
    var total = Family(name: "**total**")
    func add(_ file: Wycheproof.File, _ result: Wycheproof.Result) {
      let name = familyName(file)
      if families.last?.name != name { families.append(Family(name: name)) }
      families[families.count - 1].add(result)
      total.add(result)
      if result.refusedByRule > 0 {
        if file.strictness == nil { unexplained.append("\(file.name): \(result.refusedByRule) refused") }
        stricter[file.strictness ?? "no reason", default: []].insert(name)
      }
      notes += reasons(for: result.differences, file, &unexplained)
    }
    let web = Wycheproof.File(
      name: "json_web_signature", algorithm: .rs256, cases: 401, exceptions: Wycheproof.webSignatureExceptions
    )
    add(web, try Wycheproof.webSignatures())
    for file in Wycheproof.signatureFiles { add(file, try Wycheproof.signatures(file)) }
    for file in Wycheproof.macFiles { add(file, try Wycheproof.macs(file)) }
    let rules = stricter.sorted { $0.key < $1.key }
      .map { "- \($0.key): \($0.value.sorted().joined(separator: ", "))." }
    return """
      ## Wycheproof

      C2SP/wycheproof, `testvectors_v1`. *Agreed*: the verdict equals the label. *Stricter*: labeled valid or
      acceptable, but refused by a rule of JOSE. *Exceptions*: all other differences.

      | family | files | cases | agreed | stricter | exceptions |
      |---|--:|--:|--:|--:|--:|
      \((families + [total]).map(\.row).joined(separator: "\n"))

      Exceptions:

      \(notes.joined(separator: "\n"))

      Stricter:

      \(rules.joined(separator: "\n"))

      """
  }

  /// The beginning of a file's name, before the sizes and digests: `rsa_pss`.
  private static func familyName(_ file: Wycheproof.File) -> String {
    let parts = file.name.split(separator: "_").prefix { !$0.contains(where: \.isNumber) }
    return parts.isEmpty ? file.name : parts.joined(separator: "_")
  }

  /// The sums of the files whose names begin alike.
  private struct Family {
    let name: String
    private var numbers = [0, 0, 0, 0, 0]

    init(name: String) { self.name = name }

    var row: String { "| \(name) | \(numbers.map(String.init).joined(separator: " | ")) |" }

    mutating func add(_ result: Wycheproof.Result) {
      let more = [1, result.cases, result.agreed, result.refusedByRule, result.differences.count]
      numbers = zip(numbers, more).map(+)
    }
  }

  /// One line for each reason, with its cases.
  private static func reasons(
    for differences: Set<Int>, _ file: Wycheproof.File, _ unexplained: inout [String]
  ) -> [String] {
    var cases: [String: [Int]] = [:]
    for id in differences.sorted() {
      if file.exceptions[id] == nil { unexplained.append("\(file.name) tcId \(id)") }
      cases[file.exceptions[id] ?? "no reason", default: []].append(id)
    }
    return cases.sorted { $0.value[0] < $1.value[0] }.map { reason, ids in
      "- \(file.name), tcId \(ids.map(String.init).joined(separator: ", ")): \(reason)."
    }
  }

  // MARK: JSONTestSuite

  private enum Suite {
    static let path = "JSONTestSuite/test_parsing"
    static let transforms = "JSONTestSuite/test_transform"
    static let duplicateNames: Set<String> = [
      "y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json",
    ]
  }

  private static func jsonTestSuite(_ unexplained: inout [String]) throws -> String {
    let outcomes = try outcomes(in: Suite.path)
    func group(_ prefix: String) -> [(name: String, code: String?)] {
      outcomes.filter { $0.name.hasPrefix(prefix) }
    }
    for (name, code) in group("y_") where code != nil && !Suite.duplicateNames.contains(name) {
      unexplained.append("\(name) refused: \(code ?? "")")
    }
    for (name, code) in group("n_") where code == nil { unexplained.append("\(name) accepted") }
    let rows = [
      ("must accept (`y_`)", group("y_")), ("must reject (`n_`)", group("n_")),
      ("left open (`i_`)", group("i_")), ("transforms", try Self.outcomes(in: Suite.transforms)),
    ].map { title, cases in
      let accepted = cases.count { $0.code == nil }
      return "| \(title) | \(cases.count) | \(accepted) | \(cases.count - accepted) |"
    }
    return """
      ## JSONTestSuite

      nst/JSONTestSuite, parsed by the parser for tokens, with the limits of an event. Two `y_` files have duplicate
      names, which RFC 7515 section 4 forbids.

      | group | files | accepted | refused |
      |---|--:|--:|--:|
      \(rows.joined(separator: "\n"))

      """
  }

  private static func outcomes(in path: String) throws -> [(name: String, code: String?)] {
    try SharedMaterial.files(in: path, suffix: ".json").map { file in
      let bytes = Array(try Data(contentsOf: file))
      do throws(JSONError) {
        _ = try JSONDocument(parsing: bytes, limits: .event)
        return (file.lastPathComponent, nil)
      } catch {
        return (file.lastPathComponent, error.code)
      }
    }
  }

  // MARK: Cookbook

  private static func cookbook() throws -> String {
    var results: [(verdict: String, count: Int, forms: [String])] = []
    for outcome in try Cookbook.outcomes() {
      let form = outcome.form.split(separator: " ").last.map(String.init) ?? outcome.form
      let index = results.firstIndex { $0.verdict == outcome.verdict } ?? results.count
      if index == results.count { results.append((outcome.verdict, 0, [])) }
      results[index].count += 1
      if !results[index].forms.contains(form) { results[index].forms.append(form) }
    }
    let lines = results.map { "- \($0.forms.joined(separator: ", ")): \($0.count) *\($0.verdict)*" }
    return """
      ## JOSE cookbook

      ietf-jose/cookbook: RFC 7520, RFC 7797 and RFC 8037, each example in all its serializations. The verifier accepts
      only compact signatures. The one mismatch is RFC 7520 section 4.5, whose payload is not in the token.

      \(lines.joined(separator: "\n"))

      """
  }
}
