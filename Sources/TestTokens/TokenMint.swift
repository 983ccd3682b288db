import JSON

/// Makes tokens by the name of their recipe.
public struct TokenMint: Sendable {
  private let recipes: TokenRecipes
  private let keys: DevelopmentKeys
  private let now: Int64
  private let entropy: @Sendable () -> UInt64

  /// A mint.
  ///
  /// - Parameters:
  ///   - recipes: what `token(named:)` knows.
  ///   - keys: what tokens are signed with.
  ///   - now: the time of every token, in seconds since 1970.
  ///   - entropy: asked once a token for recipes with `"unique": true`.
  public init(
    recipes: TokenRecipes, keys: DevelopmentKeys, now: Int64,
    entropy: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  ) {
    self.recipes = recipes
    self.keys = keys
    self.now = now
    self.entropy = entropy
  }

  /// The token of a recipe. ECDSA and PSS take new randomness each time, so the text may differ from call to call.
  ///
  /// - Throws: `unknownToken`, `damageImpossible`, or `notSigned`.
  public func token(named name: String) throws(TokenMintError) -> String {
    guard let recipe = recipes[name] else {
      throw .unknownToken(name: name, known: recipes.names)
    }
    return try token(recipe, name: name)
  }

  /// The token of a recipe that stands in no file.
  ///
  /// - Parameter name: what identifiers such as `jti` come from.
  /// - Throws: `damageImpossible`, or `notSigned`.
  public func token(_ recipe: TokenRecipe, name: String) throws(TokenMintError) -> String {
    switch recipe.content {
    case .literal(let text): return text
    case .signed(let recipe): return try signedToken(recipe, name: name)
    }
  }

  /// The numbers among a token's claims that depend on the time of minting, such as `exp`, in seconds since 1970.
  ///
  /// Empty for an unknown token, for one that is not signed, and for a payload that is not a JSON object.
  func times(ofTokenNamed name: String) -> Set<Int64> {
    guard case .signed(let recipe)? = recipes[name]?.content else { return [] }
    let later = TokenMint(recipes: recipes, keys: keys, now: now + 1)
    let identifiers = TokenIdentifiers(name: name, salt: 0)
    guard case .object(let claims)? = try? JSONTree(parsing: payload(recipe, identifiers)),
      let laterClaims = try? JSONTree(parsing: later.payload(recipe, identifiers))
    else { return [] }
    return Set(
      claims.compactMap { claim in
        guard case .number(let text) = claim.value, claim.value != laterClaims[claim.name] else { return nil }
        return Int64(text)
      })
  }

  private func payload(_ recipe: SignedTokenRecipe, _ identifiers: TokenIdentifiers) -> [UInt8] {
    bytes(of: recipe.payload, over: recipe.preset?.claims(at: now, identifiers) ?? [])
  }

  private func signedToken(_ recipe: SignedTokenRecipe, name: String) throws(TokenMintError) -> String {
    let identifiers = TokenIdentifiers(name: name, salt: recipe.isUnique ? entropy() : 0)
    var segments: TokenSegments
    do throws(SigningKeyError) {
      let key = try signingKey(recipe)
      let header = bytes(of: recipe.header, over: headerMembers(recipe))
      let payload = payload(recipe, identifiers)
      let input = Base64URL.encode(header) + [0x2E] + Base64URL.encode(payload)
      segments = TokenSegments(
        header: header, payload: payload,
        signature: try key.signature(over: input, using: recipe.algorithm), recipe.algorithm)
    } catch {
      throw .notSigned(name: name, error)
    }
    for damage in recipe.damages {
      do throws(TokenSegments.Impossible) {
        try segments.apply(damage)
      } catch {
        throw .damageImpossible(name: name, damage, reason: error.reason)
      }
    }
    return segments.text
  }

  private func signingKey(_ recipe: SignedTokenRecipe) throws(SigningKeyError) -> SigningKey {
    switch recipe.signer {
    case .developmentKey(let name): return keys[name]
    case .secret(let text):
      return try SigningKey(secret: Array(text.utf8), algorithm: recipe.algorithm, id: "")
    case .publicKeyAsSecret(let name):
      let text = try keys[name].publicKeyPEM() ?? ""
      return try SigningKey(secret: Array(text.utf8), algorithm: recipe.algorithm, id: name.id)
    }
  }

  private func headerMembers(_ recipe: SignedTokenRecipe) -> [JSONTree.Member] {
    var members: [JSONTree.Member] = []
    switch recipe.signer {
    case .developmentKey(let name), .publicKeyAsSecret(let name):
      members.append(.init(name: "kid", value: .string(name.id)))
    // A secret that two parties agreed on needs no name.
    case .secret: break
    }
    members.append(.init(name: "alg", value: .string(recipe.algorithm.rawValue)))
    let type = recipe.preset.map { $0.type } ?? "JWT"
    if let type { members.append(.init(name: "typ", value: .string(type))) }
    return members
  }

  private func bytes(of part: SignedTokenRecipe.Part, over members: [JSONTree.Member]) -> [UInt8] {
    switch part {
    case .literal(let text): return Array(text.filled { RelativeTime($0).map(moment) ?? "" }.utf8)
    case .members(let changes, let omitted):
      var tree = JSONTree.object(members)
      for change in changes {
        switch change.value {
        case .json(let value): tree[change.name] = value
        case .time(let time): tree[change.name] = .number(moment(time))
        }
      }
      for name in omitted { tree[name] = nil }
      return tree.bytes()
    }
  }

  private func moment(_ time: RelativeTime) -> String { String(time.moment(after: now)) }
}

/// Why there is no token.
public enum TokenMintError: Error, Equatable, Sendable, CustomStringConvertible {
  /// No recipe has this name.
  case unknownToken(name: String, known: [String])
  /// The damage does not apply to what this token is by then.
  case damageImpossible(name: String, TokenDamage, reason: String)
  /// The key could not sign.
  case notSigned(name: String, SigningKeyError)

  /// A stable name for tests and for `--json` output.
  public var code: String {
    switch self {
    case .unknownToken: "unknownToken"
    case .damageImpossible: "damageImpossible"
    case .notSigned: "tokenNotSigned"
    }
  }

  /// The known name that is nearest to an unknown one.
  public var nearestName: String? {
    guard case .unknownToken(let name, let known) = self else { return nil }
    return NearestName.of(name, among: known)
  }

  /// One sentence for a person.
  public var description: String {
    switch self {
    case .unknownToken(let name, _): "there is no token \(name)"
    case .damageImpossible(let name, let damage, let reason):
      "the token \(name) cannot have the damage \(damage.rawValue): \(reason)"
    case .notSigned(let name, let error): "the token \(name) cannot be signed: \(error.description)"
    }
  }

  /// What the person can do about it.
  public var hint: String? {
    switch self {
    case .unknownToken(let name, let known): NearestName.hint(for: name, among: known)
    case .damageImpossible: "change the order of the damages, or leave this one out"
    case .notSigned: nil
    }
  }
}
