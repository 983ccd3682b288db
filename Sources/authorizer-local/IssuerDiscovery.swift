internal import JOSE
internal import JSON
internal import KeyFetcher

/// The address of an issuer's key set by its discovery document (OpenID Connect Discovery 1.0 section 4).
///
/// A tool's work, never the function's: whoever can change that document at the wrong moment would choose the keys.
struct IssuerDiscovery {
  /// Where the document lies.
  let address: KeyAddress
  private let issuer: String
  private let development: Bool

  /// The discovery of an issuer, spelled as its tokens spell it in `iss`.
  init(issuer: String, development: Bool) throws(CommandFailure) {
    self.issuer = issuer
    self.development = development
    // Section 2: "no query or fragment components".
    guard !issuer.contains(where: { $0 == "?" || $0 == "#" }) else {
      throw CommandFailure(
        .usage, "an issuer has neither a query nor a fragment",
        hint: "give the iss of a token; the address of a key set goes without --discover")
    }
    guard issuer.contains("://") else {
      throw CommandFailure(
        .usage, "the issuer does not begin with https://",
        hint: "a preset goes without --discover: authorizer-local keys fetch apple")
    }
    // Section 4.1: a terminating slash is removed before the suffix is appended, and belongs to the issuer all the same.
    let base = issuer.utf8.last == UInt8(ascii: "/") ? String(issuer.dropLast()) : issuer
    do throws(KeyAddressError) {
      address = try KeyAddress(parsing: base + "/.well-known/openid-configuration", development: development)
    } catch {
      throw CommandFailure(.usage, error)
    }
  }

  /// What the document says about keys, once it has said that it is this issuer's.
  func keySetAddress(in document: [UInt8]) throws(CommandFailure) -> KeyAddress {
    let root: JSONValue
    do throws(JSONError) {
      root = try JSONDocument(parsing: document, limits: .keySet).root
    } catch {
      throw CommandFailure(
        .unmet, "the discovery document is not JSON: \(error.description(in: document))",
        hint: "does \(address.text) show one? not every issuer has one")
    }
    guard let stated = root["issuer"]?.text else {
      throw CommandFailure(
        .unmet, "the discovery document names no issuer", hint: "give the address of the key set itself")
    }
    // Section 4.3: identical, by Unicode code points without normalization (section 5.1), so byte for byte.
    guard stated.utf8.elementsEqual(issuer.utf8) else {
      throw CommandFailure(
        .unmet, "the discovery document is that of \(KeySet.printable(Array(stated.utf8))), not of \(issuer)",
        hint: Self.isSameButForSlash(stated, issuer)
          ? "only the slash at the end differs: write the issuer as the iss of its tokens has it"
          : "compare with the iss of a real token: a well-known issuer's document once named another than its "
            + "tokens; where you trust the key set's address, fetch that without --discover")
    }
    guard let text = root["jwks_uri"]?.text else {
      throw CommandFailure(
        .unmet, "the discovery document names no \"jwks_uri\"", hint: "give the address of the key set itself"
      )
    }
    do throws(KeyAddressError) {
      return try KeyAddress(parsing: text, development: development)
    } catch {
      throw CommandFailure(.unmet, error, about: "\"jwks_uri\" cannot be used: ")
    }
  }

  private static func isSameButForSlash(_ one: String, _ other: String) -> Bool {
    (one + "/").utf8.elementsEqual(other.utf8) || one.utf8.elementsEqual((other + "/").utf8)
  }
}
