import JSON

/// The value and the reason of a requirement, by the table of section 2.
///
/// A requirement becomes a list of its parts, in the order of the reasons. Its value is the least of theirs.
enum TableRequirements {
  @Sendable static func answer(_ one: RequirementCase) -> RequirementAnswer {
    let parts = parts(of: one)
    let truth = ExpectedTruth.all(parts.map(\.truth))
    guard truth != .met else { return RequirementAnswer(truth: .met, reason: nil) }
    let firstUnmet = parts.first { $0.truth != .met }
    return RequirementAnswer(truth: truth, reason: firstUnmet?.reason ?? claimNotAllowed)
  }

  /// Whether two texts are the same bytes (`==` of String takes canonical equivalents for equal).
  static func isSame(_ one: String, _ other: String) -> Bool {
    one.utf8.elementsEqual(other.utf8)
  }

  /// The member with exactly this name, compared as bytes.
  static func member(_ name: String, of tree: JSONTree) -> JSONTree? {
    guard case .object(let members) = tree else { return nil }
    return members.first { isSame($0.name, name) }?.value
  }

  private static let claimNotAllowed = "claimNotAllowed"
}

// MARK: - Parts

extension TableRequirements {
  /// The members of a requirement, in the order of the reasons.
  private enum Part: String, CaseIterable {
    case issuers, claims, scopes
    case age = "authenticatedWithinSeconds"
    case any, not
  }

  private static func parts(of one: RequirementCase) -> [RequirementAnswer] {
    guard case .object(let members) = one.requirement else { return [] }
    var parts: [RequirementAnswer] = []
    for part in Part.allCases {
      guard let value = member(part.rawValue, of: one.requirement) else { continue }
      parts.append(answer(to: part, value, one))
    }
    let hasOthers = members.contains { other in
      !Part.allCases.contains { isSame($0.rawValue, other.name) }
    }
    if hasOthers { parts.append(RequirementAnswer(truth: .unknown, reason: claimNotAllowed)) }
    return parts
  }

  private static func answer(
    to part: Part, _ value: JSONTree, _ one: RequirementCase
  ) -> RequirementAnswer {
    switch part {
    case .issuers: return reasoned(issuers(value, one))
    case .claims: return reasoned(claims(value, one))
    case .scopes: return reasoned(scopes(value, one), ifFalse: "insufficientScope")
    case .age: return reasoned(age(value, one), ifFalse: "authenticationTooOld")
    case .any: return any(value, one)
    case .not: return reasoned(answer(one.asking(value)).truth.negated)
    }
  }

  /// A value with its reason: what is unknown is always `claimNotAllowed`.
  private static func reasoned(
    _ truth: ExpectedTruth, ifFalse reason: String = claimNotAllowed
  ) -> RequirementAnswer {
    switch truth {
    case .met: RequirementAnswer(truth: .met, reason: nil)
    case .isFalse: RequirementAnswer(truth: .isFalse, reason: reason)
    case .unknown: RequirementAnswer(truth: .unknown, reason: claimNotAllowed)
    }
  }

  private static func any(_ value: JSONTree, _ one: RequirementCase) -> RequirementAnswer {
    guard case .array(let members) = value else { return reasoned(.unknown) }
    let answers = members.map { answer(one.asking($0)) }
    let truth = ExpectedTruth.any(answers.map(\.truth))
    return reasoned(truth, ifFalse: answers.first?.reason ?? claimNotAllowed)
  }

  private static func issuers(_ value: JSONTree, _ one: RequirementCase) -> ExpectedTruth {
    guard let names = texts(value), !names.isEmpty else { return .unknown }
    return names.contains { isSame($0, one.issuer) } ? .met : .isFalse
  }

  private static func age(_ value: JSONTree, _ one: RequirementCase) -> ExpectedTruth {
    guard case .whole(let most)? = Plain(value) else { return .unknown }
    guard let claim = member("auth_time", of: one.claims), case .whole(let time)? = Plain(claim) else {
      return .isFalse
    }
    let (secondsAgo, isTooFar) = one.now.subtractingReportingOverflow(time)
    guard !isTooFar, secondsAgo <= most else { return .isFalse }
    return secondsAgo >= -one.leewaySeconds ? .met : .isFalse
  }

  /// The texts of a list of texts; nil for anything else.
  private static func texts(_ tree: JSONTree) -> [String]? {
    guard case .array(let elements) = tree else { return nil }
    var texts: [String] = []
    for element in elements {
      guard case .string(let text) = element else { return nil }
      texts.append(text)
    }
    return texts
  }
}

// MARK: - Scopes

extension TableRequirements {
  private static func scopes(_ value: JSONTree, _ one: RequirementCase) -> ExpectedTruth {
    guard let wanted = texts(value), !wanted.isEmpty else { return .unknown }
    var held: [String] = []
    var isOneMalformed = false
    for name in ["scope", "scp", "permissions", "cognito:groups"] {
      guard let claim = member(name, of: one.claims), claim != .null else { continue }
      if let names = scopeNames(claim) { held += names } else { isOneMalformed = true }
    }
    let areAllThere = wanted.allSatisfy { scope in held.contains { isSame($0, scope) } }
    if areAllThere { return .met }
    return isOneMalformed ? .unknown : .isFalse
  }

  /// The scopes of one claim; nil if it is neither a text nor a list of texts.
  private static func scopeNames(_ claim: JSONTree) -> [String]? {
    guard case .string(let text) = claim else { return texts(claim) }
    let space = UInt8(ascii: " ")
    return text.utf8.split(separator: space).map { String(decoding: $0, as: UTF8.self) }
  }
}

// MARK: - Claims

extension TableRequirements {
  /// A claim as a condition sees it: nil where it is absent, `null`, or not to be reached.
  private struct Claim {
    let value: JSONTree?
    let countsAsBoolean: Bool

    /// The value, if it is a text, a whole number or a boolean.
    var plain: Plain? {
      guard let value, let plain = Plain(value) else { return nil }
      guard countsAsBoolean, case .text(let bytes) = plain else { return plain }
      if bytes == Array("true".utf8) { return .boolean(true) }
      if bytes == Array("false".utf8) { return .boolean(false) }
      return nil
    }
  }

  private static func claims(_ value: JSONTree, _ one: RequirementCase) -> ExpectedTruth {
    switch value {
    case .object(let members):
      return .all(members.map { truth(of: $0.value, for: claim(named: $0.name, one)) })
    case .array(let entries):
      return .all(entries.map { truth(ofEntry: $0, one) })
    default:
      return .unknown
    }
  }

  /// The value of one element of the list form.
  private static func truth(ofEntry entry: JSONTree, _ one: RequirementCase) -> ExpectedTruth {
    guard case .object(let members) = entry, members.count == 2,
      let condition = member("is", of: entry),
      let path = member("path", of: entry).flatMap(texts), let first = path.first
    else { return .unknown }
    let isListed = path.count == 1 && one.booleanTexts.contains { isSame($0, first) }
    return truth(of: condition, for: Claim(value: value(at: path, one), countsAsBoolean: isListed))
  }

  /// The claim of the object form: the member with the whole name, else the path by the dots.
  private static func claim(named name: String, _ one: RequirementCase) -> Claim {
    let isListed = one.booleanTexts.contains { isSame($0, name) }
    if member(name, of: one.claims) != nil {
      return Claim(value: value(at: [name], one), countsAsBoolean: isListed)
    }
    let dot = UInt8(ascii: ".")
    let path = name.utf8.split(separator: dot, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    return Claim(value: value(at: path, one), countsAsBoolean: isListed)
  }

  private static func value(at path: [String], _ one: RequirementCase) -> JSONTree? {
    var place = one.claims
    for name in path {
      guard let next = member(name, of: place) else { return nil }
      place = next
    }
    return place == .null ? nil : place
  }

  private static func truth(of condition: JSONTree, for claim: Claim) -> ExpectedTruth {
    switch condition {
    case .object(let members):
      guard members.count == 1, let only = members.first else { return .unknown }
      return truth(ofOperator: only.name, only.value, for: claim)
    case .array(let values):
      return .any(values.map { compare(claim.plain, Plain($0)) })
    default:
      return compare(claim.plain, Plain(condition))
    }
  }

  private static func truth(
    ofOperator name: String, _ operand: JSONTree, for claim: Claim
  ) -> ExpectedTruth {
    switch name {
    case "exists":
      guard case .boolean(let wanted) = operand else { return .unknown }
      return (claim.value != nil) == wanted ? .met : .isFalse
    case "contains":
      guard let wanted = Plain(operand), case .array(let elements)? = claim.value else { return .unknown }
      return elements.isEmpty ? .isFalse : .any(elements.map { compare(Plain($0), wanted) })
    case "prefix":
      guard case .text(let wanted)? = Plain(operand), case .text(let text)? = claim.plain else {
        return .unknown
      }
      return text.starts(with: wanted) ? .met : .isFalse
    case "suffix":
      guard case .text(let wanted)? = Plain(operand), case .text(let text)? = claim.plain else {
        return .unknown
      }
      return text.reversed().starts(with: wanted.reversed()) ? .met : .isFalse
    default:
      return .unknown
    }
  }

  private static func compare(_ found: Plain?, _ wanted: Plain?) -> ExpectedTruth {
    guard let found, let wanted, found.isSameKind(as: wanted) else { return .unknown }
    return found == wanted ? .met : .isFalse
  }
}

// MARK: - Values

extension RequirementCase {
  /// The same case with another requirement.
  fileprivate func asking(_ requirement: JSONTree) -> RequirementCase {
    RequirementCase(
      requirement: requirement, claims: claims, issuer: issuer, booleanTexts: booleanTexts, now: now,
      leewaySeconds: leewaySeconds)
  }
}

/// Kleene's logic as an order: false, unknown, met. *All* is the least, *any* the greatest.
extension ExpectedTruth {
  fileprivate var rank: Int {
    switch self {
    case .isFalse: 0
    case .unknown: 1
    case .met: 2
    }
  }

  fileprivate var negated: ExpectedTruth {
    switch self {
    case .isFalse: .met
    case .unknown: .unknown
    case .met: .isFalse
    }
  }

  /// No value at all is a mistake of the configuration: unknown.
  fileprivate static func all(_ values: [ExpectedTruth]) -> ExpectedTruth {
    values.min { $0.rank < $1.rank } ?? .unknown
  }

  fileprivate static func any(_ values: [ExpectedTruth]) -> ExpectedTruth {
    values.max { $0.rank < $1.rank } ?? .unknown
  }
}

/// A value of one of the three kinds that can be compared.
private enum Plain: Equatable {
  case text([UInt8])
  case whole(Int64)
  case boolean(Bool)

  init?(_ tree: JSONTree) {
    switch tree {
    case .string(let text):
      self = .text(Array(text.utf8))
    case .number(let written):
      guard let number = ExactNumber.whole(written) else { return nil }
      self = .whole(number)
    case .boolean(let value):
      self = .boolean(value)
    case .object, .array, .null:
      return nil
    }
  }

  func isSameKind(as other: Plain) -> Bool {
    switch (self, other) {
    case (.text, .text), (.whole, .whole), (.boolean, .boolean): true
    default: false
    }
  }
}

/// Reads whole numbers exactly, from the digits as written.
private enum ExactNumber {
  private static let zero = UInt8(ascii: "0")

  /// The number, if it is whole and an Int64; nil also for what is no JSON number.
  static func whole(_ written: String) -> Int64? {
    var rest = ArraySlice(written.utf8)
    let isNegative = take("-", from: &rest)
    let integer = takeDigits(from: &rest)
    guard !integer.isEmpty, integer.count == 1 || integer.first != zero else { return nil }
    var fraction: ArraySlice<UInt8> = []
    if take(".", from: &rest) {
      fraction = takeDigits(from: &rest)
      guard !fraction.isEmpty else { return nil }
    }
    guard let exponent = takeExponent(from: &rest), rest.isEmpty else { return nil }
    return number(Array(integer) + Array(fraction), point: integer.count + exponent, isNegative)
  }

  /// The number that has these digits and its point after so many of them.
  private static func number(_ digits: [UInt8], point: Int, _ isNegative: Bool) -> Int64? {
    guard let first = digits.firstIndex(where: { $0 != zero }),
      let last = digits.lastIndex(where: { $0 != zero })
    else { return 0 }
    let places = point - first
    guard last - first < places, places <= 19 else { return nil }
    var total: Int64 = 0
    for index in first..<(first + places) {
      let digit = index <= last ? Int64(digits[index] - zero) : 0
      let (shifted, isTooFar) = total.multipliedReportingOverflow(by: 10)
      let (sum, isTooMuch) =
        isNegative
        ? shifted.subtractingReportingOverflow(digit)
        : shifted.addingReportingOverflow(digit)
      guard !isTooFar, !isTooMuch else { return nil }
      total = sum
    }
    return total
  }

  /// The exponent, 0 if there is none; what is beyond all texts' lengths stays at a bound.
  private static func takeExponent(from rest: inout ArraySlice<UInt8>) -> Int? {
    guard take("e", from: &rest) || take("E", from: &rest) else { return 0 }
    let isNegative = take("-", from: &rest)
    if !isNegative { _ = take("+", from: &rest) }
    let digits = takeDigits(from: &rest)
    guard !digits.isEmpty else { return nil }
    let size = digits.reduce(0) { min($0 * 10 + Int($1 - zero), 1 << 40) }
    return isNegative ? -size : size
  }

  private static func take(_ character: Unicode.Scalar, from rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  private static func takeDigits(from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let digits = rest.prefix { (zero...UInt8(ascii: "9")).contains($0) }
    rest = rest.dropFirst(digits.count)
    return digits
  }
}
