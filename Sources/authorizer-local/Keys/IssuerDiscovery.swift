internal import Text
internal import Bytes
internal import JOSE
internal import JSON
internal import KeyFetcher

/// Finds the address of an issuer's key set in its discovery document (OpenID Connect Discovery 1.0 section 4).
///
/// Only this tool does it, never the function: a party that controls that document could choose the keys.
struct IssuerDiscovery {
  /// The address of the document.
  let address: KeyAddress
  private let issuer: String
  private let development: Bool

  /// Creates the discovery of an issuer, spelled as in the `iss` of its tokens.
  init(issuer: String, development: Bool) throws(CommandFailure) {
    self.issuer = issuer
    self.development = development
    // Section 2: "no query or fragment components".
    guard !issuer.utf8.contains(where: { $0 == .questionMark || $0 == .numberSign }) else {
      throw CommandFailure(
        .usage, "an issuer URL has no query and no fragment",
        hint: "give the iss of a token, or the address of a key set without --discover")
    }
    guard issuer.containsBytes(of: "://") else {
      throw CommandFailure(
        .usage, "the issuer does not begin with https://",
        hint: "give a preset without --discover: authorizer-local keys fetch apple")
    }
    // Section 4.1: a terminating slash is removed before the suffix is appended, but it is part of the issuer.
    let base = issuer.hasByteSuffix("/") ? String(issuer.dropLast(bytes: 1)) : issuer
    address = try Result { () throws(KeyAddressError) in
      try KeyAddress(parsing: base + "/.well-known/openid-configuration", development: development)
    }.mapError { CommandFailure(.usage, $0) }.get()
  }

  /// Returns the address of the key set, after checking that the document belongs to this issuer.
  func keySetAddress(in document: [UInt8]) throws(CommandFailure) -> KeyAddress {
    let root = try Result { () throws(JSONError) in try JSONDocument(parsing: document, limits: .keySet).root
    }
    .mapError {
      CommandFailure(
        .unmet, "the discovery document is not JSON: \($0.description(in: document))",
        hint: "open \(address.text): not every issuer has a discovery document")
    }.get()
    guard let stated = root["issuer"]?.text else {
      throw CommandFailure(
        .unmet, "the discovery document has no \"issuer\"", hint: "give the address of the key set")
    }
    // Section 4.3: identical, by Unicode code points without normalization (section 5.1), so byte for byte.
    guard stated.utf8.elementsEqual(issuer.utf8) else {
      throw CommandFailure(
        .unmet, "the discovery document belongs to \(KeySet.printable(Array(stated.utf8))), not to \(issuer)",
        hint: Self.isSameButForSlash(stated, issuer)
          ? "only the trailing slash differs: write the issuer as in the iss of its tokens"
          : "compare with the iss of a real token: a well-known issuer's document once named another issuer than its "
            + "tokens; if you trust the key set's address, fetch it without --discover")
    }
    guard let text = root["jwks_uri"]?.text else {
      throw CommandFailure(
        .unmet, "the discovery document has no \"jwks_uri\"", hint: "give the address of the key set"
      )
    }
    return try Result { () throws(KeyAddressError) in
      try KeyAddress(parsing: text, development: development)
    }.mapError { CommandFailure(.unmet, $0, about: "\"jwks_uri\" cannot be used: ") }.get()
  }

  private static func isSameButForSlash(_ one: String, _ other: String) -> Bool {
    (one + "/").utf8.elementsEqual(other.utf8) || one.utf8.elementsEqual((other + "/").utf8)
  }
}
