internal import TestTokens

/// The address of the console for its user. What follows `#` is the secret: a browser keeps it from every server, and
/// the page takes it out of the address.
struct ConsoleAddress {
  let text: String

  /// The file of the development folder that leads to the address.
  static let fileName = "console.html"

  /// - Parameter base: the address of the server, without a slash at its end.
  init(at base: String, _ secret: DevelopmentSecret) {
    text = "\(base)/dev/console#secret=\(secret.value)"
  }

  /// A page that leads to the address, for the folder of the secret. Every user sees the arguments of a browser, so
  /// that it is started with the path of this page instead.
  var page: String {
    """
    <!doctype html>
    <meta charset="utf-8">
    <meta http-equiv="refresh" content="0; url=\(text)">
    <p><a href="\(text)">The console of serve</a></p>

    """
  }
}
