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
    [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&#39;")].reduce(text) {
      $0.replacingBytes(of: $1.0, with: $1.1)
    }
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
      <p class="actions"><button class="primary" name="decision" value="allow">Allow</button>
      <button name="decision" value="deny" formnovalidate>Deny</button></p>
      </form>
      <p class="quiet">This is a development issuer: any name becomes the user, and there is no password.</p>
      """
  }

  /// The colours and controls of the console (Sources/ConsolePage/console.css).
  private static let style = """
    :root{color-scheme:light dark;--ink:light-dark(#1b1d21,#e8eaed);--quiet:light-dark(#565c66,#a9b1bc);\
    --line:light-dark(#dcdcd6,#353a43);--edge:light-dark(#8a8f98,#6d7683);\
    --surface:light-dark(#fff,#1d2026);--accent:light-dark(#1f56b3,#93b8ff)}\
    body{font:14px/1.5 system-ui,sans-serif;margin:10vh auto;max-width:440px;padding:0 12px;color:var(--ink);\
    background:light-dark(#f6f6f3,#15171b)}\
    main{background:var(--surface);border:1px solid var(--line);border-radius:8px;padding:20px 24px}\
    h1{font-size:20px;margin:0 0 12px}p{margin:8px 0}code{overflow-wrap:anywhere}.quiet,label{color:var(--quiet)}\
    label{display:block}fieldset{margin:12px 0;border:1px solid var(--line);border-radius:6px}\
    button,input{font:inherit;color:inherit;border:1px solid var(--edge);border-radius:6px;min-height:32px;\
    padding:4px 12px;background:var(--surface)}input[name=user]{box-sizing:border-box;width:100%;color:var(--ink)}\
    [type=checkbox]{min-height:0;accent-color:var(--accent)}.actions{display:flex;gap:8px;margin:16px 0}\
    .primary{background:var(--accent);border-color:var(--accent);color:light-dark(#fff,#10141b);font-weight:600}\
    :focus-visible{outline:2px solid var(--accent);outline-offset:2px}
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
