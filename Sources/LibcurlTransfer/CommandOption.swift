/// The options of a program, each with its name on the command line.
package protocol CommandOption: CaseIterable {
  /// With its two hyphens.
  var name: String { get }
}

extension CommandOption {
  /// Compares bytes: `String ==` is Unicode equivalence, whose tables would make the program larger.
  package init?(_ word: String) {
    guard let option = Self.allCases.first(where: { $0.name.utf8.elementsEqual(word.utf8) }) else {
      return nil
    }
    self = option
  }
}
