internal import Text
internal import GatewayModel

/// The parameters of a query or a form, decoded.
struct OAuthParameters: Sendable {
  private let items: [(name: String, value: String)]

  /// Decodes `application/x-www-form-urlencoded` text.
  init(_ text: String) {
    items = GatewayRequest(method: "GET", path: "/", query: text, headers: []).queryItems
  }

  var names: [String] { items.map(\.name) }

  /// All values of a name. Parameters without a value count as omitted (RFC 6749 section 3.1).
  func all(_ name: String) -> [String] {
    items.filter { $0.name.hasSameBytes(as: name) && !$0.value.isEmpty }.map(\.value)
  }

  /// The only value of a name; `nil` if there is none or more than one.
  func only(_ name: String) -> String? {
    let values = all(name)
    return values.count == 1 ? values[0] : nil
  }

  /// Throws `invalid_request` if one of these parameters is repeated (RFC 6749 sections 3.1 and 3.2).
  func refuseRepeated(_ names: [String]) throws(OAuthError) {
    for name in names where all(name).count > 1 {
      throw OAuthError(.invalidRequest, "\(name) is repeated")
    }
  }

  /// The only value of a name.
  ///
  /// - Throws: `invalid_request` if it is missing or repeated.
  func required(_ name: String) throws(OAuthError) -> String {
    try refuseRepeated([name])
    guard let value = only(name) else { throw OAuthError(.invalidRequest, "\(name) is missing") }
    return value
  }
}
