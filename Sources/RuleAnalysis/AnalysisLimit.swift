/// Why an analysis ends without a result.
package enum AnalysisLimit: Error, Equatable, Sendable {
  /// It would take more steps than the limit.
  case work
  /// More paths match two patterns in different ways than are examined.
  case patterns
  /// A condition compares `exp`, `iat` or `nbf` with a number, so what is decided now is not decided for ever.
  case times
  /// The rules contain every byte that a claim in a path, or the name of a tool, may have, so that no other one can be made.
  case noFreeByte
}
