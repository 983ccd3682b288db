package import JOSE
import JSON

/// The required value of one claim.
package struct ClaimRequirement: Equatable, Sendable {
  package let claim: ClaimPath
  package let condition: Condition
  /// Whether booleans may be text, as Apple writes them ("String or Boolean").
  package var acceptsBooleanText = false

  package enum Condition: Hashable, Sendable {
    /// Present or absent; `null` counts as absent.
    case exists(Bool)
    /// A scalar equal to one of these. An array never matches, since it is unclear which element counts.
    case oneOf([Scalar])
    /// An array with at least one element equal to one of these.
    case contains([Scalar])
    /// A text that begins with these bytes.
    case prefix([UInt8])
    /// A text that ends with these bytes.
    case suffix([UInt8])
  }

  package enum Scalar: Hashable, Sendable {
    case boolean(Bool)
    case text([UInt8])
    case integer(Int64)
  }

  /// The least bytes of a prefix or suffix: one byte hardly restricts, and is probably a mistake (our own limit).
  static let minimumAffixBytes = 2

  /// The owner of a workflow's repository, by ID. A condition and no check of the token, because tokens of other owners'
  /// workflows are valid: they are a 403.
  static func repositoryOwner(_ id: String) -> ClaimRequirement {
    ClaimRequirement(
      claim: ClaimPath(name: "repository_owner_id"), condition: .oneOf([.text(Array(id.utf8))]))
  }

  /// The value of the condition for these claims. Unknown for a claim that is absent or of another kind than the
  /// condition's.
  func truth(in claims: JSONValue) -> Truth {
    let value = claim.value(in: claims)
    switch condition {
    case .exists(let expected): return Truth((value.map { $0.kind != .null } ?? false) == expected)
    case .oneOf(let scalars): return value.map { compare($0, scalars) } ?? .unknown
    case .contains(let scalars):
      guard let value, value.kind == .array else { return .unknown }
      var truth = Truth.isFalse
      for element in value.elements where truth != .met { truth = max(truth, compare(element, scalars)) }
      return truth
    case .prefix(let bytes): return value?.utf8Slice.map { Truth($0.starts(with: bytes)) } ?? .unknown
    case .suffix(let bytes):
      return value?.utf8Slice.map { Truth($0.suffix(bytes.count).elementsEqual(bytes)) } ?? .unknown
    }
  }

  /// Met if the value equals one of these, false if it only is of the kind of one of these.
  private func compare(_ value: JSONValue, _ scalars: [Scalar]) -> Truth {
    var truth = Truth.unknown
    for scalar in scalars {
      guard let isEqual = equals(value, scalar) else { continue }
      if isEqual { return .met }
      truth = .isFalse
    }
    return truth
  }

  /// Whether both are equal; `nil` if they are of different kinds.
  private func equals(_ value: JSONValue, _ scalar: Scalar) -> Bool? {
    switch scalar {
    case .boolean(let expected):
      return (acceptsBooleanText ? value.flexibleBoolean : value.boolean).map { $0 == expected }
    case .text(let expected): return value.kind == .string ? value.equals(utf8: expected) : nil
    case .integer(let expected):
      guard let bounds = value.bounds, bounds.floor == bounds.ceiling else { return nil }
      return bounds.floor == expected
    }
  }
}
