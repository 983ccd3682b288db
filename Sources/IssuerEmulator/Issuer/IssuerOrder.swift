internal import JSON

/// The JSON object of a request to the development issuer. `claims` is an object, `audience` a string or a list, and each
/// other member a string.
struct IssuerOrder {
  private let tree: JSONTree

  /// - Throws: `TokenRequestError` for a member that is not known, or of another type.
  init(_ tree: JSONTree, known: [String]) throws(DevelopmentIssuer.TokenRequestError) {
    guard case .object(let members) = tree else { throw .init(problem: "the body must be an object") }
    for member in members {
      guard known.contains(member.name) else {
        throw .init(
          problem: "unknown member \(member.name); known are \(known.joined(separator: ", "))")
      }
      switch (member.name, member.value) {
      case ("claims", .object), ("audience", .string), ("audience", .array): continue
      case ("claims", _), ("audience", _): break
      case (_, .string): continue
      default: break
      }
      throw .init(problem: "\(member.name) has the wrong JSON type")
    }
    self.tree = tree
  }

  subscript(_ name: String) -> JSONTree? { tree[name] }

  func text(_ name: String) -> String? {
    if case .string(let text)? = tree[name] { text } else { nil }
  }

  var claims: [JSONTree.Member] { if case .object(let claims)? = tree["claims"] { claims } else { [] } }
}
