import Bytes
import JSON

/// The scopes of a token, independent of how its issuer writes them.
///
/// `scope` is a list joined by blanks (RFC 8693 section 4.2), `scp` the same or an array (Entra, Okta), `permissions`
/// an array (Auth0), `cognito:groups` an array (Amazon Cognito). `null` counts as absent, as for every claim. An array
/// with an element that is not a string is malformed and ignored; a scope that is missing then may be in it.
package struct ScopeSet: Equatable {
  /// In the order of the claims; a scope in two claims occurs twice.
  private(set) var scopes: [[UInt8]] = []
  /// Whether one of the claims is neither text nor a list of texts.
  private(set) var isMalformed = false

  package static let claims: [StaticString] = ["scope", "scp", "permissions", "cognito:groups"]

  init(_ claims: JSONValue) {
    for name in Self.claims {
      guard let value = claims[name], value.kind != .null else { continue }
      if let text = value.utf8 {
        for scope in text.split(separator: .space) { insert(Array(scope)) }
      } else if value.kind == .array, value.elements.allSatisfy({ $0.kind == .string }) {
        for element in value.elements { if let scope = element.utf8 { insert(scope) } }
      } else {
        isMalformed = true
      }
    }
  }

  /// All scopes joined by blanks; empty if there are none, which a join would find out only with an allocation.
  var joined: [UInt8] { scopes.isEmpty ? [] : Array(scopes.joined(separator: [0x20])) }

  func contains(_ scope: [UInt8]) -> Bool { scopes.contains(scope) }

  /// Whether the bytes are a scope-token (RFC 6749 section 3.3). An array element with a blank or a control character
  /// is not, so that it cannot become two scopes when the set is joined.
  package static func isScope(_ bytes: some Collection<UInt8>) -> Bool {
    !bytes.isEmpty
      && bytes.allSatisfy {
        switch $0 {
        case 0x21, 0x23...0x5B, 0x5D...0x7E: true
        default: false
        }
      }
  }

  private mutating func insert(_ scope: [UInt8]) {
    if Self.isScope(scope) { scopes.append(scope) }
  }
}
