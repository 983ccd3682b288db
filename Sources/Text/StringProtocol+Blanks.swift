internal import Bytes

extension StringProtocol {
  /// The text without spaces and tabs at both ends.
  package var trimmingBlanks: String {
    var rest = Substring(self).utf8
    while let first = rest.first, first == .space || first == .tab { rest = rest.dropFirst() }
    while let last = rest.last, last == .space || last == .tab { rest = rest.dropLast() }
    return String(Substring(rest))
  }
}
