/// The bindings of a token: its `cnf` claim. Other members of `cnf` are ignored.
package struct Confirmation: Equatable, Sendable {
  /// `jkt`: the thumbprint of the client's key (RFC 9449 section 6.1).
  package let key: Thumbprint?
  /// `x5t#S256`: the SHA-256 of the client's certificate (RFC 8705 section 3.1).
  package let certificate: Thumbprint?

  /// A token that is bound to nothing.
  static let none = Confirmation(key: nil, certificate: nil)

  /// The names of the bindings; empty if the token is not bound.
  package var bindings: [TokenBinding] {
    var bindings: [TokenBinding] = []
    if key != nil { bindings.append(.key) }
    if certificate != nil { bindings.append(.certificate) }
    return bindings
  }
}
