import JSON
internal import Text

/// Creates tokens from named recipes.
package struct TokenMint: Sendable {
  private let recipes: TokenRecipes
  private let keys: DevelopmentKeys
  private let now: Int64
  private let entropy: @Sendable () -> UInt64

  /// - Parameters:
  ///   - recipes: the recipes for `token(named:)`.
  ///   - keys: the signing keys.
  ///   - now: the time of every token, in seconds since 1970.
  ///   - entropy: called once per token for recipes with `"unique": true`.
  package init(
    recipes: TokenRecipes, keys: DevelopmentKeys, now: Int64,
    entropy: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  ) {
    self.recipes = recipes
    self.keys = keys
    self.now = now
    self.entropy = entropy
  }

  /// Returns the token of a recipe. ECDSA and PSS signatures are randomized, so the text may differ between calls.
  ///
  /// - Throws: `unknownToken`, `damageImpossible`, or `notSigned`.
  package func token(named name: String) throws(TokenMintError) -> String {
    guard let recipe = recipes[name] else {
      throw .unknownToken(name: name, known: recipes.names)
    }
    return try token(recipe, name: name)
  }

  /// Returns the token of a recipe that is not in a file.
  ///
  /// - Parameter name: the name from which identifiers such as `jti` are derived.
  /// - Throws: `damageImpossible`, or `notSigned`.
  package func token(_ recipe: TokenRecipe, name: String) throws(TokenMintError) -> String {
    switch recipe.content {
    case .literal(let text): return text
    case .signed(let recipe): return try signedToken(recipe, name: name)
    }
  }

  /// Returns the numeric claims of a token that depend on the time of minting, such as `exp`, in seconds since 1970.
  ///
  /// Empty for an unknown or unsigned token, and for a payload that is not a JSON object.
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

  private func payload(
    _ recipe: SignedTokenRecipe, _ identifiers: TokenIdentifiers, thumbprint: String? = nil
  ) -> [UInt8] {
    var claims = recipe.preset?.claims(at: now, identifiers) ?? []
    if let thumbprint {
      claims.append(.init(name: "cnf", value: .members(["jkt": .string(thumbprint)])))
    }
    return bytes(of: recipe.payload, over: claims)
  }

  /// Returns the proof for one request with a token (RFC 9449 section 4.2), made with the development key for DPoP.
  ///
  /// - Parameters:
  ///   - method: the HTTP method.
  ///   - address: the URL of the request.
  ///   - token: the token that is sent with it.
  /// - Throws: `noProofKey` or `proofNotSigned`.
  package func proof(
    method: String, address: String, token: String
  ) throws(TokenMintError) -> String {
    let key = try proofKey()
    do throws(SigningKeyError) {
      return try key.proof(method: method, address: address, token: token, now: now, entropy: entropy)
    } catch {
      throw .proofNotSigned(error)
    }
  }

  private func proofKey() throws(TokenMintError) -> DevelopmentProofKey {
    do throws(DevelopmentKeysError) {
      return try keys.proofKey()
    } catch {
      throw .noProofKey(error)
    }
  }

  private func signedToken(_ recipe: SignedTokenRecipe, name: String) throws(TokenMintError) -> String {
    let identifiers = TokenIdentifiers(name: name, salt: recipe.isUnique ? entropy() : 0)
    let proofKey = recipe.isBound ? try proofKey() : nil
    var segments: TokenSegments
    do throws(SigningKeyError) {
      let thumbprint = try proofKey?.thumbprint()
      let key = try signingKey(recipe)
      let header = bytes(of: recipe.header, over: headerMembers(recipe))
      let payload = payload(recipe, identifiers, thumbprint: thumbprint)
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
    // A shared secret has no key ID.
    case .secret: break
    }
    members.append(.init(name: "alg", value: .string(recipe.algorithm.rawValue)))
    let type = recipe.preset.map { $0.type } ?? "JWT"
    if let type { members.append(.init(name: "typ", value: .string(type))) }
    return members
  }

  private func bytes(of part: SignedTokenRecipe.Part, over members: [JSONTree.Member]) -> [UInt8] {
    switch part {
    case .literal(let text): return Array(text.filled { RelativeTime($1[0]).map(moment) ?? "" }.utf8)
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

/// Why a token cannot be created.
package enum TokenMintError: Error, Equatable, Sendable, CustomStringConvertible {
  /// No recipe has this name.
  case unknownToken(name: String, known: [String])
  /// The damage cannot be applied to the token, perhaps because of the damages before it.
  case damageImpossible(name: String, TokenDamage, reason: String)
  /// The key could not sign.
  case notSigned(name: String, SigningKeyError)
  /// The key for proofs is not available.
  case noProofKey(DevelopmentKeysError)
  /// The key for proofs could not sign.
  case proofNotSigned(SigningKeyError)

  /// The message for the user.
  package var description: String {
    switch self {
    case .unknownToken(let name, _): "there is no token \(name)"
    case .damageImpossible(let name, let damage, let reason):
      "the damage \(damage.rawValue) cannot be applied to the token \(name): \(reason)"
    case .notSigned(let name, let error): "the token \(name) cannot be signed: \(error.description)"
    case .noProofKey(let error): error.description
    case .proofNotSigned(let error): "the proof cannot be signed: \(error.description)"
    }
  }

  /// What the user can do about it.
  package var hint: String? {
    switch self {
    case .unknownToken(let name, let known): NearestName.hint(for: name, among: known)
    case .damageImpossible: "change the order of the damages, or remove this one"
    case .noProofKey(let error): error.hint
    case .notSigned, .proofNotSigned: nil
    }
  }
}
