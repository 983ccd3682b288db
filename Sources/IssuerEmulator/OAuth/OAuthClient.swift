internal import JSON
internal import Text

/// A client that has registered itself (RFC 7591). It is public: it has no secret.
package struct OAuthClient: Equatable, Sendable {
  /// The client's ID.
  let identifier: String
  /// What the client says of itself.
  let metadata: ClientMetadata
  /// When it was registered, in seconds since 1970.
  let registered: Int64

  /// The registration response (RFC 7591 section 3.2.1).
  var response: JSONTree {
    .members([
      "client_id": .string(identifier), "client_id_issued_at": .integer(registered),
      "redirect_uris": .array(metadata.redirectURIs.map { .string($0.text) }),
      "grant_types": .array(metadata.grantTypes.map { .string($0.rawValue) }),
      "response_types": .array([.string("code")]), "token_endpoint_auth_method": .string("none"),
      "client_name": metadata.name.map { .string($0) }, "scope": metadata.scope.map { .string($0.text) },
      "application_type": metadata.application.map { .string($0.rawValue) },
    ])
  }
}

enum GrantType: String, CaseIterable, Sendable {
  case authorizationCode = "authorization_code"
  case refreshToken = "refresh_token"
}

/// The kind of an application (OpenID Connect Dynamic Client Registration section 2).
enum ApplicationType: String, CaseIterable, Sendable {
  case native, web
}

/// The metadata of a client (RFC 7591 section 2). Members that this server does not know are ignored.
package struct ClientMetadata: Equatable, Sendable {
  /// The registered redirect URIs, at least one.
  let redirectURIs: [RedirectURI]
  /// The name, for the login page.
  let name: String?
  /// The grant types; the default is the code alone.
  let grantTypes: [GrantType]
  /// The kind of application; `nil` if the client does not tell.
  let application: ApplicationType?
  /// The scopes, which this server repeats and does not enforce.
  let scope: ScopeList?

  /// Parses a registration request.
  ///
  /// - Throws: `invalid_redirect_uri` for a URI that `RedirectURI` refuses; `invalid_client_metadata` for anything else.
  init(parsing body: [UInt8]) throws(OAuthError) {
    guard body.count <= OAuthLimits.registrationBytes else {
      throw OAuthError(
        .invalidClientMetadata, "a registration has at most \(OAuthLimits.registrationBytes) bytes")
    }
    guard let tree = try? JSONTree(parsing: body, limits: .configuration), case .object = tree else {
      throw OAuthError(.invalidClientMetadata, "the body must be a JSON object")
    }
    redirectURIs = try Self.redirectURIs(tree["redirect_uris"])
    name = try Self.name(tree["client_name"])
    grantTypes = try Self.grantTypes(tree["grant_types"])
    application = try Self.application(tree["application_type"])
    if application == .web, redirectURIs.contains(where: \.hasPrivateScheme) {
      throw OAuthError(
        .invalidRedirectURI,
        "a web application cannot have a private-use scheme: register application_type native")
    }
    if let types = try Self.texts("response_types", tree["response_types"]), types != ["code"] {
      throw OAuthError(.invalidClientMetadata, "response_types must be [\"code\"]")
    }
    switch tree["scope"] {
    case nil, .null?: scope = nil
    case .string(let text)?:
      scope = try Result { () throws(OAuthError) in try ScopeList(text) }
        .mapError { OAuthError(.invalidClientMetadata, $0.description) }.get()
    default: throw OAuthError(.invalidClientMetadata, "scope must be a string")
    }
  }

  private static func redirectURIs(_ value: JSONTree?) throws(OAuthError) -> [RedirectURI] {
    guard case .array(let values)? = value, 1...OAuthLimits.redirectURIs ~= values.count else {
      throw OAuthError(
        .invalidRedirectURI, "redirect_uris must have 1 to \(OAuthLimits.redirectURIs) addresses")
    }
    var uris: [RedirectURI] = []
    for value in values {
      guard case .string(let text) = value else {
        throw OAuthError(.invalidRedirectURI, "each redirect URI must be a string")
      }
      uris.append(try RedirectURI(text))
    }
    return uris
  }

  private static func name(_ value: JSONTree?) throws(OAuthError) -> String? {
    switch value {
    case nil, .null?: return nil
    case .string(let text)?
    where text.unicodeScalars.count <= OAuthLimits.nameCharacters
      && !text.unicodeScalars.contains(where: \.isControl):
      // A blank name is none: the login page says so.
      return text.allSatisfy(\.isWhitespace) ? nil : text
    default:
      throw OAuthError(
        .invalidClientMetadata,
        "client_name must be a string of at most \(OAuthLimits.nameCharacters) characters without controls")
    }
  }

  private static func grantTypes(_ value: JSONTree?) throws(OAuthError) -> [GrantType] {
    guard let names = try texts("grant_types", value) else { return [.authorizationCode] }
    let types = GrantType.allCases.filter { names.contains($0.rawValue) }
    guard types.contains(.authorizationCode) else {
      throw OAuthError(.invalidClientMetadata, "grant_types must contain authorization_code")
    }
    // RFC 7591 section 3.2.1: the server may leave out what it does not have.
    return types
  }

  private static func application(_ value: JSONTree?) throws(OAuthError) -> ApplicationType? {
    switch value {
    case nil, .null?: return nil
    case .string(let text)?:
      guard let type = ApplicationType(rawValue: text) else { fallthrough }
      return type
    default: throw OAuthError(.invalidClientMetadata, "application_type must be native or web")
    }
  }

  private static func texts(_ name: String, _ value: JSONTree?) throws(OAuthError) -> [String]? {
    switch value {
    case nil, .null?: return nil
    case .array(let values)?:
      let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
      guard texts.count == values.count else { fallthrough }
      return texts
    default: throw OAuthError(.invalidClientMetadata, "\(name) must be an array of strings")
    }
  }
}
