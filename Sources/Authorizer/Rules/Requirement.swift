import JOSE
import JSON

/// What an accepted token must contain before it may reach a route. All parts must be met (RFC 6750 section 3.1,
/// `insufficient_scope`).
struct Requirement: Equatable, Sendable {
  /// All of these are required.
  var scopes: [[UInt8]] = []
  /// The names of issuers, one of which must have issued the token; empty for any issuer.
  var issuers: [String] = []
  /// All of these are required.
  var claims: [ClaimRequirement] = []

  /// Whether nothing is required.
  var isEmpty: Bool { scopes.isEmpty && issuers.isEmpty && claims.isEmpty }

  /// Whether each token that meets the other requirement certainly meets this one too.
  func isImplied(by other: Requirement) -> Bool {
    guard scopes.allSatisfy({ other.scopes.contains($0) }),
      claims.allSatisfy({ other.claims.contains($0) })
    else { return false }
    guard !issuers.isEmpty else { return true }
    return !other.issuers.isEmpty
      && other.issuers.allSatisfy { name in issuers.contains { $0.utf8.elementsEqual(name.utf8) } }
  }

  /// Returns why the token does not meet the requirement; `nil` if it does.
  func unmet(by token: VerifiedToken, _ held: ScopeSet) -> ReasonCode? {
    if !issuers.isEmpty, !issuers.contains(where: { $0.utf8.elementsEqual(token.issuerName.utf8) }) {
      return .claimNotAllowed
    }
    if !claims.allSatisfy({ $0.isMet(by: token.claims) }) { return .claimNotAllowed }
    return scopes.allSatisfy(held.contains) ? nil : .insufficientScope
  }

  /// Returns the first required scope that the token lacks, as the configuration spells it; `nil` if it has all.
  func missingScope(_ held: ScopeSet) -> [UInt8]? { scopes.first { !held.contains($0) } }
}

/// The required value of one claim.
struct ClaimRequirement: Equatable, Sendable {
  let claim: ClaimPath
  let condition: Condition
  /// Whether booleans may be text, as Apple writes them ("String or Boolean").
  var acceptsBooleanText = false

  enum Condition: Equatable, Sendable {
    /// Present or absent; `null` counts as absent.
    case exists(Bool)
    /// A scalar equal to one of these. An array never matches, since it is unclear which element counts.
    case oneOf([Scalar])
    /// An array with at least one element equal to one of these. An array with elements of different kinds is
    /// malformed and never matches.
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
