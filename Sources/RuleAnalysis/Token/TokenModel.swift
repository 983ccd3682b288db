internal import Authorizer
internal import JOSE
internal import JSON
internal import Satisfiability

/// All tokens of one issuer that every configuration verifies, as far as any condition can tell them apart.
struct TokenModel {
  typealias Literal = Formula.Literal

  /// What one configuration says about the issuer.
  struct Side {
    let name: String
    let profile: IssuerProfile
    let requirement: Requirement
    /// The requirements of rules and of questions.
    var others: [Requirement] = []
  }

  /// One value of `iss`.
  let issuer: String
  let sides: [Side]
  /// Unix seconds.
  let now: Int64
  var formula = Formula()
  private(set) var nodes: [ClaimNode] = []
  private(set) var places: [[[UInt8]]: Int] = [:]
  /// Times that a recipe writes as an offset from now, by the name of the claim.
  private(set) var relativeTimes: Set<Int64> = []
  private var scopeSet: Set<[UInt8]> = []
  private var atoms: [Atom: TruthLiterals] = [:]
  /// The claims of the payload in the order of examples: those of every token first.
  private(set) var payload: [Int] = []
  /// The values that examples had, except for objects, by the literals that are true.
  var knownValues: [[Literal]: JSONTree?] = [:]

  /// Those that are tried last are in examples.
  static let scopeClaims = ScopeSet.claims.reversed().map { Array($0.description.utf8) }
  static let authenticationTime = Array("auth_time".utf8)

  /// A condition on a claim: what equal conditions share.
  private struct Atom: Hashable {
    let places: [Int]
    let condition: ClaimRequirement.Condition
    let acceptsBooleanText: Bool
  }

  /// - Parameter bindings: the texts that claims have where they are part of a path.
  init(issuer: String, sides: [Side], bindings: Set<ClaimBinding>, at now: Int64) {
    self.init(noting: bindings, issuer: issuer, sides, at: now)
    for index in nodes.indices { nodes[index].declare(in: &formula) }
    for node in nodes {
      if let parent = node.parent { formula.add([node[.absent], nodes[parent][.object]]) }
    }
    addVerification()
    let first = ["iss", "aud", "sub", "exp", "iat"].map { Array($0.utf8) }
    let names = nodes.filter { $0.parent == nil }.map { $0.location[0] }.sorted(by: precedes)
    payload = (first.filter(names.contains) + names.filter { !first.contains($0) }).compactMap {
      places[[$0]]
    }
  }

  private init(noting bindings: Set<ClaimBinding>, issuer: String, _ sides: [Side], at now: Int64) {
    self.issuer = issuer
    self.sides = sides
    self.now = now
    noteConditions()
    for binding in bindings.sorted() {
      note(.oneOf([.text(binding.text)]), at: binding.claim, acceptsBooleanText: false)
    }
    noteVerification()
  }

  /// The texts that conditions and checks compare a claim with.
  static func texts(of claim: ClaimPath, for issuer: String, _ sides: [Side], at now: Int64) -> ClaimTexts {
    let model = TokenModel(noting: [], issuer: issuer, sides, at: now)
    var texts = ClaimTexts()
    for index in model.locations(of: claim).compactMap({ model.places[$0] }) {
      let node = model.nodes[index]
      texts.literals.formUnion(node.literals.union(node.scopes))
      texts.prefixes.formUnion(node.prefixes)
      texts.suffixes.formUnion(node.suffixes)
    }
    return texts
  }

  // MARK: Places

  /// Where a path finds its claim: a member with the whole text as its name, else the member below each name.
  func locations(of path: ClaimPath) -> [[[UInt8]]] {
    [path.whole.map { [$0] }, path.steps.count > 1 ? path.steps : nil].compactMap { $0 }
  }

  mutating func place(_ location: [[UInt8]]) -> Int {
    if let known = places[location] { return known }
    let parent = location.count > 1 ? place(Array(location.dropLast())) : nil
    let index = nodes.count
    nodes.append(ClaimNode(location: location, parent: parent))
    places[location] = index
    if let parent { nodes[parent].children.append(index) }
    return index
  }

  /// Changes what is noted at a place, before the formula is made.
  mutating func note(_ location: [[UInt8]], _ change: (inout ClaimNode) -> Void) {
    change(&nodes[place(location)])
  }

  mutating func noteRelative(_ offset: Int64, at name: [UInt8]) {
    let time = now + offset
    note([name]) { $0.integers.insert(time) }
    relativeTimes.insert(time)
  }

  private mutating func note(
    _ condition: ClaimRequirement.Condition, at path: ClaimPath, acceptsBooleanText: Bool
  ) {
    for location in locations(of: path) {
      note(location) { $0.note(condition, acceptsBooleanText: acceptsBooleanText) }
    }
  }

  private mutating func noteConditions() {
    var ages: Set<Int64> = []
    var requirements = sides.flatMap { [$0.requirement] + $0.others }
    while let requirement = requirements.popLast() {
      requirements += requirement.any + requirement.not
      scopeSet.formUnion(requirement.scopes)
      if let seconds = requirement.authenticatedWithinSeconds { ages.insert(seconds) }
      for claim in requirement.claims {
        note(claim.condition, at: claim.claim, acceptsBooleanText: claim.acceptsBooleanText)
      }
    }
    if !scopeSet.isEmpty {
      let scopes = scopeSet
      for name in Self.scopeClaims { note([name]) { $0.scopes = scopes } }
    }
    if !ages.isEmpty { noteAges(ages) }
  }

  /// Notes one time between each two times at which a condition on the age changes.
  private mutating func noteAges(_ ages: Set<Int64>) {
    let leeways = Set(sides.map { $0.profile.leewaySeconds + 1 })
    let changes = ages.map { -$0 }.sorted() + leeways.sorted()
    noteRelative(changes[0] - 3600, at: Self.authenticationTime)
    for (start, end) in zip(changes, changes.dropFirst() + [changes[changes.count - 1] + 7200]) {
      noteRelative((start + end - 1) / 2, at: Self.authenticationTime)
    }
  }

  // MARK: Conditions

  /// Returns the value of a requirement of a configuration.
  mutating func truth(of requirement: Requirement, side: Int) -> TruthLiterals {
    var parts: [TruthLiterals] = []
    if !requirement.names(sides[side].name) {
      parts.append(TruthLiterals(met: formula.never, isFalse: formula.always))
    }
    for claim in requirement.claims {
      parts.append(
        truth(of: claim.condition, at: claim.claim, acceptsBooleanText: claim.acceptsBooleanText))
    }
    if !requirement.scopes.isEmpty { parts.append(truth(ofScopes: requirement.scopes)) }
    if let seconds = requirement.authenticatedWithinSeconds {
      let leeway = sides[side].profile.leewaySeconds
      let met = isAuthenticated(within: seconds, leeway)
      parts.append(TruthLiterals(met: met, isFalse: Formula.not(met)))
    }
    if !requirement.any.isEmpty {
      let members = requirement.any.map { truth(of: $0, side: side) }
      parts.append(
        TruthLiterals(met: formula.or(members.map(\.met)), isFalse: formula.and(members.map(\.isFalse))))
    }
    for denied in requirement.not { parts.append(truth(of: denied, side: side).negated) }
    return TruthLiterals(met: formula.and(parts.map(\.met)), isFalse: formula.or(parts.map(\.isFalse)))
  }

  /// Returns whether a claim is this text.
  mutating func equality(_ binding: ClaimBinding) -> Literal {
    truth(of: .oneOf([.text(binding.text)]), at: binding.claim).met
  }

  private mutating func truth(
    of condition: ClaimRequirement.Condition, at path: ClaimPath, acceptsBooleanText: Bool = false
  ) -> TruthLiterals {
    let found = locations(of: path).compactMap { places[$0] }
    let atom = Atom(places: found, condition: condition, acceptsBooleanText: acceptsBooleanText)
    if let known = atoms[atom] { return known }
    let truths = found.map {
      nodes[$0].truth(condition, acceptsBooleanText: acceptsBooleanText, &formula)
    }
    var truth = truths[0]
    if truths.count > 1 {
      let isAbsent = nodes[found[0]][.absent]
      truth.met = formula.choose(isAbsent, truths[1].met, else: truth.met)
      truth.isFalse = formula.choose(isAbsent, truths[1].isFalse, else: truth.isFalse)
    }
    atoms[atom] = truth
    return truth
  }

  private mutating func truth(ofScopes scopes: [[UInt8]]) -> TruthLiterals {
    let claims = Self.scopeClaims.compactMap { places[[$0]] }.map { nodes[$0] }
    let lists = claims.map { node in formula.and([node[.array]] + node.foreignMembers.map(Formula.not)) }
    let malformed = zip(claims, lists).map { node, list in
      Formula.not(formula.or([node[.absent], node[.null], node[.text], list]))
    }
    let held = scopes.map { scope in
      formula.or(
        zip(claims, lists).flatMap { node, list in
          [node.held[scope], node.elementHolds(scope).map { formula.and([list, $0]) }].compactMap { $0 }
        })
    }
    let met = formula.and(held)
    return TruthLiterals(
      met: met, isFalse: formula.and([Formula.not(met)] + malformed.map(Formula.not)))
  }

  private mutating func isAuthenticated(within seconds: Int64, _ leeway: Int64) -> Literal {
    let times = places[[Self.authenticationTime]].map { nodes[$0].values } ?? []
    return formula.or(times.filter { now - seconds...now + leeway ~= $0.value }.map(\.literal))
  }
}

/// A claim and the text that it has where it is part of a path.
struct ClaimBinding: Hashable, Comparable {
  let claim: ClaimPath
  let text: [UInt8]

  static func < (left: ClaimBinding, right: ClaimBinding) -> Bool {
    left.claim == right.claim ? precedes(left.text, right.text) : left.claim < right.claim
  }
}

extension ClaimPath: Hashable, Comparable {
  package func hash(into hasher: inout Hasher) { hasher.combine(steps) }

  static func < (left: ClaimPath, right: ClaimPath) -> Bool {
    left.steps.lexicographicallyPrecedes(right.steps, by: precedes)
  }
}

/// The texts that conditions compare one claim with.
struct ClaimTexts {
  var literals: Set<[UInt8]> = []
  var prefixes: Set<[UInt8]> = []
  var suffixes: Set<[UInt8]> = []
}
