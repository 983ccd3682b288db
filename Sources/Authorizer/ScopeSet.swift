import JSON

/// What a token may do, in one view whichever way its issuer writes it.
///
/// `scope` is a list joined by blanks (RFC 8693 section 4.2), `scp` the same or an array (Entra, Okta), `permissions` an
/// array (Auth0), `cognito:groups` an array (Amazon Cognito). An array that holds anything but strings is malformed and
/// gives nothing.
struct ScopeSet: Equatable {
  /// In the order of the claims; one that stands in two of them stands twice.
  private(set) var scopes: [[UInt8]] = []

  /// The claims that are read.
  static let claims = ["scope", "scp", "permissions", "cognito:groups"]

  init(_ claims: JSONValue) {
    for name in Self.claims {
      guard let value = claims[name] else { continue }
      if let text = value.utf8 {
        for scope in text.split(separator: 0x20) { insert(Array(scope)) }
      } else if value.elements.allSatisfy({ $0.kind == .string }) {
        for element in value.elements { if let scope = element.utf8 { insert(scope) } }
      }
    }
  }

  /// Joined by blanks; empty where there is none.
  var joined: [UInt8] { Array(scopes.joined(separator: [0x20])) }

  func contains(_ scope: [UInt8]) -> Bool { scopes.contains(scope) }

  /// RFC 6749 section 3.3, scope-token: an element of an array that holds a blank or a control character is no scope, so
  /// that it can never turn into two when the set is joined.
  static func isScope(_ bytes: some Collection<UInt8>) -> Bool {
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
