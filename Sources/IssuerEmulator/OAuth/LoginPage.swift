internal import GatewayModel
internal import Text

/// The pages for a person: the login page, and the page for errors that no client can be told.
///
/// They have no script and load nothing. Every text from outside is escaped.
enum LoginPage {
  /// Returns the login page.
  ///
  /// - Parameters:
  ///   - ticket: the form's secret, which another page does not know.
  ///   - isSecure: whether the page came over TLS.
  static func response(
    _ request: AuthorizationRequest, _ ticket: AuthorizationServer.Ticket, isSecure: Bool
  ) -> GatewayResponse {
    var response = page(200, "Log in", form(request, ticket))
    response.headers.append(
      cookie(ofForm: ticket.form, ticket.cookie, seconds: OAuthLimits.loginSeconds, isSecure: isSecure))
    return response
  }

  /// The beginning of the names of the pages' cookies: each page has one, so that two can be open at once.
  static let cookiePrefix = "oauth-login-"

  /// Returns a page that says why there is no redirect.
  ///
  /// - Parameter next: what the person can do.
  static func problem(_ status: Int, _ text: String, next: String) -> GatewayResponse {
    page(status, "This login cannot go on", "<p>\(escaped(text))</p><p>\(escaped(next))</p>")
  }

  /// Returns the header that removes the cookie of a page.
  static func withoutCookie(ofForm ticket: String, isSecure: Bool) -> GatewayRequest.Header {
    cookie(ofForm: ticket, "", seconds: 0, isSecure: isSecure)
  }

  /// The cookie's name has characters of the ticket.
  private static func cookie(
    ofForm ticket: String, _ value: String, seconds: Int64, isSecure: Bool
  ) -> GatewayRequest.Header {
    .init(
      "Set-Cookie",
      "\(cookiePrefix)\(ticket.prefix(8))=\(value); Path=\(OAuthMetadata.Path.authorization.rawValue);"
        + " Max-Age=\(seconds); HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : ""))
  }

  /// Returns the text as content or attribute value of HTML.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func form(
    _ request: AuthorizationRequest, _ ticket: AuthorizationServer.Ticket
  ) -> String {
    let name = request.client.metadata.name.map { "<bdi>\(escaped($0))</bdi>" } ?? "A client without a name"
    let scopes = request.scope.names.map { name in
      "<label><input type=\"checkbox\" name=\"scope\" value=\"\(escaped(name))\" checked>"
        + " <bdi>\(escaped(name))</bdi></label>"
    }
    let list =
      scopes.isEmpty
      ? "<p>No scope is requested.</p>"
      : "<fieldset><legend>Scopes</legend>\(scopes.joined())</fieldset>"
    return """
      <p><strong id="client">\(name)</strong> asks for access to</p>
      <p><code id="resource">\(escaped(request.resource.text))</code></p>
      <p>Then you return to <code id="redirect">\(escaped(request.redirectURI.text))</code></p>
      <form method="post" action="\(OAuthMetadata.Path.authorization.rawValue)" autocomplete="off">
      <input type="hidden" name="ticket" value="\(ticket.form)">
      <p><label>User <input name="user" maxlength="\(OAuthLimits.userCharacters)" required autofocus></label></p>
      \(list)
      <p><button name="decision" value="allow">Allow</button>
      <button name="decision" value="deny" formnovalidate>Deny</button></p>
      </form>
      <p>This is a development issuer: any name becomes the user, and there is no password.</p>
      """
  }

  private static let style = """
    body{font:16px/1.5 system-ui,sans-serif;max-width:34em;margin:3em auto;padding:0 1em}\
    code{overflow-wrap:anywhere}label{display:block}fieldset{margin:1em 0}\
    button,input{font:inherit;padding:.3em .8em}
    """

  private static func page(_ status: Int, _ title: String, _ content: String) -> GatewayResponse {
    let text = """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><title>\(title)</title>
      <meta name="viewport" content="width=device-width"><style>\(style)</style></head>
      <body><main><h1>\(title)</h1>
      \(content)
      </main></body></html>

      """
    let hash = Base64Text.encoded(SHA256Digest.of(Array(style.utf8)))
    return GatewayResponse(
      status: status,
      headers: [
        .init("Content-Type", "text/html; charset=utf-8"),
        // Without form-action: browsers apply it to all redirects that follow the form, so a client's callback could
        // not redirect to another origin. Nothing from outside becomes markup here.
        .init(
          "Content-Security-Policy",
          "default-src 'none'; style-src 'sha256-\(hash)'; base-uri 'none'; frame-ancestors 'none'"),
        .init("X-Frame-Options", "DENY"), .init("X-Content-Type-Options", "nosniff"),
        // Without a referrer at all, a browser would write `Origin: null` into the form's request.
        .init("Referrer-Policy", "same-origin"), .init("Cache-Control", "no-store"),
      ], body: Array(text.utf8))
  }
}
