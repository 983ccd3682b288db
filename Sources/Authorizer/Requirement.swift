import JOSE
import JSON

/// What a good token must show before it may reach something; all of it (RFC 6750 section 3.1, `insufficient_scope`).
struct Requirement: Equatable, Sendable {
  /// All of these.
  var scopes: [[UInt8]] = []
  /// Names of issuers, one of which must have issued the token; any where empty.
  var issuers: [String] = []
  /// All of these.
  var claims: [ClaimRequirement] = []

  /// Whether nothing is asked for.
  var isEmpty: Bool { scopes.isEmpty && issuers.isEmpty && claims.isEmpty }

  /// Why the token does not meet it; `nil` where it does.
  func unmet(by token: VerifiedToken, _ held: ScopeSet) -> ReasonCode? {
    if !issuers.isEmpty, !issuers.contains(where: { $0.utf8.elementsEqual(token.issuerName.utf8) }) {
      return .claimNotAllowed
    }
    if !claims.allSatisfy({ $0.isMet(by: token.claims) }) { return .claimNotAllowed }
    return scopes.allSatisfy(held.contains) ? nil : .insufficientScope
  }
}

/// What one claim must be.
struct ClaimRequirement: Equatable, Sendable {
  let claim: ClaimPath
  let condition: Condition
  /// Apple writes booleans as text too ("String or Boolean").
  var acceptsBooleanText = false

  enum Condition: Equatable, Sendable {
    /// There, or not there; `null` is not there.
    case exists(Bool)
    /// A scalar that is one of these; an array is none, since nobody can tell which of its elements counts.
    case oneOf([Scalar])
    /// An array of which at least one element is one of these; one whose elements are not all of one kind is malformed and
    /// meets nothing.
    case contains([Scalar])
  }

  enum Scalar: Equatable, Sendable {
    case boolean(Bool)
    case text([UInt8])
    case integer(Int64)
  }

  func isMet(by claims: JSONValue) -> Bool {
    let value = claim.value(in: claims)
    switch condition {
    case .exists(let expected): return (value.map { $0.kind != .null } ?? false) == expected
    case .oneOf(let scalars):
      guard let value else { return false }
      return scalars.contains { equals(value, $0) }
    case .contains(let scalars):
      guard let value, let first = value.elements.first(where: { _ in true }),
        value.elements.allSatisfy({ $0.kind == first.kind })
      else { return false }
      return value.elements.contains { element in scalars.contains { equals(element, $0) } }
    }
  }

  private func equals(_ value: JSONValue, _ scalar: Scalar) -> Bool {
    switch scalar {
    case .boolean(let expected):
      (acceptsBooleanText ? value.flexibleBoolean : value.boolean) == expected
    case .text(let expected): value.equals(utf8: expected)
    case .integer(let expected): value.number?.integer == expected
    }
  }
}
