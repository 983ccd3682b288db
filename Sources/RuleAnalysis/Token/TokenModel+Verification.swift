internal import Authorizer
internal import JOSE
internal import Satisfiability

/// What every token of the issuer has, because it would not pass verification otherwise.
extension TokenModel {
  /// The validity of an example in seconds; shorter if an issuer's tokens may not live as long.
  static let exampleSeconds: Int64 = 600

  private static func name(_ text: String) -> [UInt8] { Array(text.utf8) }
  private static let bindings = ["jkt", "x5t#S256"].map(name)

  /// The offset of `exp` from now that each configuration accepts.
  var expiryOffset: Int64 {
    min(Self.exampleSeconds, sides.compactMap { $0.profile.maximumLifetimeSeconds }.min() ?? .max)
  }

  mutating func noteVerification() {
    let issuer = Self.name(issuer)
    note([Self.name("iss")]) { $0.literals.insert(issuer) }
    noteRelative(expiryOffset, at: Self.name("exp"))
    noteRelative(0, at: Self.name("iat"))
    if places[[Self.name("nbf")]] != nil { noteRelative(0, at: Self.name("nbf")) }
    for side in sides {
      let profile = side.profile
      let audiences = Self.audiences(profile)
      note([Self.name(audiences.claim)]) {
        $0.literals.formUnion(audiences.values)
        $0.elements.formUnion(audiences.values.map { .text($0) })
      }
      for path in [ClaimPath(name: "sub"), profile.principal] {
        for location in locations(of: path) { note(location) { _ in } }
      }
      for rule in profile.claimRules {
        switch rule {
        case .equals(let name, let text): note([Self.name(name)]) { $0.literals.insert(Self.name(text)) }
        case .absent(let name), .present(let name), .atMostBytes(let name, _):
          note([Self.name(name)]) { _ in }
        case .inPast(let name): noteRelative(0, at: Self.name(name))
        case .authorizedParty: note([Self.name("azp")]) { $0.literals.formUnion(audiences.values) }
        }
      }
      guard places[[Self.name("cnf")]] != nil else { continue }
      for binding in Self.bindings { note([Self.name("cnf"), binding]) { _ in } }
    }
  }

  mutating func addVerification() {
    restrict("iss", to: [.text])
    if let node = node("iss"), let literal = node.texts[Self.name(issuer)] { formula.add([literal]) }
    let latest: Int64 = 253_402_300_799
    let offset = expiryOffset
    restrictTime("exp", isRequired: true, to: now + min(60, offset)...latest)
    for side in sides {
      let profile = side.profile
      addAudience(profile)
      let needsIssued = profile.maximumLifetimeSeconds ?? profile.maximumAgeSeconds != nil
      let oldest = max(0, profile.maximumAgeSeconds.map { now - $0 } ?? 0)
      restrictTime("iat", isRequired: needsIssued, to: oldest...now)
      if let limit = profile.maximumLifetimeSeconds {
        restrictTime("exp", isRequired: true, to: now + min(60, offset)...now + limit)
        restrictTime("iat", isRequired: true, to: max(0, now + offset - limit)...now)
      }
      restrictTime("nbf", isRequired: false, to: 0...now)
      restrictIdentifier(ClaimPath(name: "sub"), bytes: IssuerProfile.maximumPrincipalBytes)
      restrictIdentifier(profile.principal, bytes: IssuerProfile.maximumPrincipalBytes)
      for rule in profile.claimRules { add(rule, profile) }
      addConfirmation(profile.proofOfPossession)
    }
  }

  private func node(_ name: String) -> ClaimNode? { places[[Self.name(name)]].map { nodes[$0] } }

  private mutating func restrict(_ name: String, to kinds: [ClaimNode.Kind]) {
    guard let node = node(name) else { return }
    restrict(node, to: kinds)
  }

  private mutating func restrict(_ node: ClaimNode, to kinds: [ClaimNode.Kind]) {
    for kind in ClaimNode.Kind.allCases where !kinds.contains(kind) { formula.add([Formula.not(node[kind])]) }
  }

  private mutating func restrictTime(_ name: String, isRequired: Bool, to range: ClosedRange<Int64>) {
    guard let node = node(name) else { return }
    restrict(node, to: [.integer, .number] + (isRequired ? [] : [.absent]))
    for (value, literal) in node.values where !range.contains(value) { formula.add([Formula.not(literal)]) }
  }

  /// Adds that a claim is text of 1 to this many bytes without control characters.
  private mutating func restrictIdentifier(_ path: ClaimPath, bytes: Int) {
    let found = locations(of: path).compactMap { places[$0] }
    for (index, place) in found.enumerated() {
      let node = nodes[place]
      // Where a member with the whole text as its name comes first, the other one counts if there is none.
      let isElsewhere = index > 0 ? [Formula.not(nodes[found[0]][.absent])] : []
      let mayBeAbsent = index == 0 && found.count > 1
      formula.add(isElsewhere + [node[.text]] + (mayBeAbsent ? [node[.absent]] : []))
      for (text, literal) in node.texts.inOrder + node.starts.inOrder + node.ends.inOrder
      where text.count > bytes || ControlCharacters.occur(in: text) {
        formula.add(isElsewhere + [Formula.not(literal)])
      }
    }
  }

  // MARK: Audience

  private static func audiences(_ profile: IssuerProfile) -> (claim: String, values: [[UInt8]]) {
    switch profile.audience {
    case .audience(let values): ("aud", Set(values.map(name)).sorted(by: precedes))
    case .clientID(let values): ("client_id", Set(values.map(name)).sorted(by: precedes))
    }
  }

  private mutating func addAudience(_ profile: IssuerProfile) {
    let (claim, values) = Self.audiences(profile)
    guard let node = node(claim) else { return }
    let texts = values.compactMap { node.texts[$0] }
    guard claim == "aud" else {
      restrict(node, to: [.text])
      formula.add(texts)
      return
    }
    restrict(node, to: [.text, .array])
    formula.add(texts + [node[.array]])
    formula.add(values.compactMap { node.elementHolds($0) } + [node[.text]])
    for literal in node.foreignMembers { formula.add([Formula.not(literal)]) }
    for (text, literal) in node.texts.inOrder where text.contains(0) { formula.add([Formula.not(literal)]) }
    for case (.scalar(.text(let text)), let literal) in node.members where text.contains(0) {
      formula.add([Formula.not(literal)])
    }
  }

  private mutating func addAuthorizedParty(_ profile: IssuerProfile) {
    guard let audience = node("aud"), let party = node("azp") else { return }
    restrict(party, to: [.absent, .text])
    for (text, literal) in party.texts.inOrder where text.contains(0) { formula.add([Formula.not(literal)]) }
    let accepted = Self.audiences(profile).values.compactMap { party.texts[$0] }
    var before = formula.never
    for (_, literal) in audience.members {
      let areSeveral = formula.and([before, literal])
      formula.add([Formula.not(areSeveral), party[.absent]] + accepted)
      before = formula.or([before, literal])
    }
  }

  // MARK: Other claims

  private mutating func add(_ rule: ClaimRule, _ profile: IssuerProfile) {
    switch rule {
    case .equals(let name, let text):
      if let literal = node(name)?.texts[Self.name(text)] { formula.add([literal]) }
    case .absent(let name): restrict(name, to: [.absent])
    case .present(let name):
      restrict(name, to: ClaimNode.Kind.allCases.filter { $0 != .absent })
    case .atMostBytes(let name, let limit): restrictIdentifier(ClaimPath(name: name), bytes: limit)
    case .inPast(let name): restrictTime(name, isRequired: true, to: 0...now)
    case .authorizedParty: addAuthorizedParty(profile)
    }
  }

  /// Adds that a token has no binding that nothing checks.
  private mutating func addConfirmation(_ proof: ProofOfPossession) {
    guard proof != .ignore, node("cnf") != nil else { return }
    restrict("cnf", to: [.absent, .object])
    for (index, name) in Self.bindings.enumerated() {
      guard let place = places[[Self.name("cnf"), name]] else { continue }
      var isChecked = false
      if case .check(let key, let certificate) = proof { isChecked = index == 0 ? key : certificate }
      restrict(nodes[place], to: isChecked ? [.absent, .text] : [.absent])
    }
  }
}
