package import JSON

/// An event with the placeholders `{{token NAME}}` and `{{proof NAME METHOD URL}}` in its strings.
///
/// A string value may contain placeholders anywhere: `Bearer {{token good}}`, `?access_token={{token good}}&x=1`. A
/// member name must not contain any. `{{` that does not begin a valid placeholder is an error.
package struct EventTemplate: Sendable {
  private let tree: JSONTree

  /// Parses a template.
  ///
  /// - Throws: `notJSON`.
  package init(parsing bytes: [UInt8]) throws(TokenFileError) {
    do throws(JSONError) {
      tree = try JSONTree(parsing: bytes, limits: .event)
    } catch {
      throw .notJSON(error)
    }
  }

  /// Creates a template from any JSON value, such as the value of one header.
  package init(_ tree: JSONTree) { self.tree = tree }

  /// Returns the JSON text with every placeholder filled and the members in the order of the template.
  ///
  /// - Throws: `invalid` with every problem.
  package func bytes(with mint: TokenMint) throws(TokenFileError) -> [UInt8] {
    try filled(with: mint).tree.bytes()
  }

  /// Returns the event with every placeholder filled. Placeholders with the same name get the same token,
  /// and a proof is for the token of its name. Placeholders of one proof with the same arguments get the same
  /// proof: REST events and payload 1.0 have each header twice. Each call makes new proofs.
  ///
  /// - Throws: `invalid` with every problem.
  package func filled(with mint: TokenMint) throws(TokenFileError) -> FilledEvent {
    var filler = EventFiller(mint: mint)
    let filled = filler.filled(tree, at: .root)
    guard filler.problems.isEmpty else { throw .invalid(filler.problems) }
    return FilledEvent(tree: filled, tokenTimes: filler.tokenTimes)
  }
}

/// An event whose placeholders are filled.
package struct FilledEvent: Equatable, Sendable {
  package let tree: JSONTree
  /// The claims of its tokens that depend on the time of minting, such as `exp`, in seconds since 1970.
  package let tokenTimes: Set<Int64>
}

/// Fills the placeholders of an event in one pass, and collects all problems.
private struct EventFiller {
  let mint: TokenMint
  private(set) var problems: [FileProblem] = []
  private(set) var tokenTimes: Set<Int64> = []
  private var tokens: [String: String] = [:]
  /// The proofs by the arguments of their placeholders.
  private var proofs: [[String]: String] = [:]

  init(mint: TokenMint) { self.mint = mint }

  mutating func filled(_ tree: JSONTree, at path: JSONPath) -> JSONTree {
    switch tree {
    case .object(let members):
      var filledMembers: [JSONTree.Member] = []
      for member in members {
        let place = path.member(member.name)
        if member.name.utf8.firstRange(of: "{{".utf8) != nil {
          report("a member name contains {{", at: place, hint: "use placeholders only in values")
        }
        filledMembers.append(.init(name: member.name, value: filled(member.value, at: place)))
      }
      return .object(filledMembers)
    case .array(let elements):
      var filledElements: [JSONTree] = []
      for (index, element) in elements.enumerated() {
        filledElements.append(filled(element, at: path.element(index)))
      }
      return .array(filledElements)
    case .string(let text): return .string(filled(text, at: path))
    case .number, .boolean, .null: return tree
    }
  }

  private mutating func filled(_ text: String, at path: JSONPath) -> String {
    do throws(PlaceholderText.Malformed) {
      let template = try PlaceholderText(text, [.token, .proof])
      return template.filled { directive, arguments in
        guard directive == PlaceholderText.Directive.proof.name else {
          return token(named: arguments[0], at: path)
        }
        return proof(arguments, at: path)
      }
    } catch {
      report(error.text, at: path, hint: error.hint)
      return text
    }
  }

  private mutating func token(named name: String, at path: JSONPath) -> String {
    if let token = tokens[name] { return token }
    do throws(TokenMintError) {
      let token = try mint.token(named: name)
      tokens[name] = token
      tokenTimes.formUnion(mint.times(ofTokenNamed: name))
      return token
    } catch {
      report(error.description, at: path, hint: error.hint)
      return ""
    }
  }

  /// - Parameter arguments: the name of the token, the method and the URL.
  private mutating func proof(_ arguments: [String], at path: JSONPath) -> String {
    if let proof = proofs[arguments] { return proof }
    let token = token(named: arguments[0], at: path)
    do throws(TokenMintError) {
      let proof = try mint.proof(method: arguments[1], address: arguments[2], token: token)
      proofs[arguments] = proof
      return proof
    } catch {
      report(error.description, at: path, hint: error.hint)
      return ""
    }
  }

  private mutating func report(_ text: String, at path: JSONPath, hint: String?) {
    problems.append(FileProblem(path: path.text, text: text, hint: hint))
  }
}
