/// One issuer of a configuration.
package struct IssuerID: Hashable, Sendable {
  /// Its place in the configuration, and so among the profiles of a `TokenVerifier`.
  package let position: Int

  package init(position: Int) { self.position = position }
}
