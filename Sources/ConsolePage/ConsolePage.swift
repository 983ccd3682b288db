internal import CConsolePage

/// The files of the console, the page that `serve` shows at `/dev/console`.
///
/// The page comes from the program itself: no other file, and no other server. Its script is written in parts, which
/// share one scope and are served as one file.
package enum ConsolePage {
  package struct File: Sendable {
    package let contentType: String
    package let bytes: [UInt8]
  }

  /// The value of `Content-Security-Policy` for each file.
  ///
  /// Only files and routes of the same origin are loaded, and no script or style within a document. Text from a token
  /// or a request can therefore not become code, even if the page had a mistake.
  package static let contentSecurityPolicy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
  ].joined(separator: "; ")

  /// Returns the file at a path of the gateway such as `/dev/console.css`, or `nil` for all other paths.
  package static func file(_ path: String) -> File? {
    switch path {
    case "/dev/console": File(contentType: "text/html; charset=utf-8", bytes: bytes(console_document))
    case "/dev/console.css": File(contentType: "text/css; charset=utf-8", bytes: bytes(console_style))
    case "/dev/console.js":
      File(contentType: "text/javascript; charset=utf-8", bytes: bytes(console_script))
    default: nil
    }
  }

  private static func bytes(_ name: console_name) -> [UInt8] {
    let file = unsafe console_file(name)
    return unsafe [UInt8](UnsafeRawBufferPointer(start: file.bytes, count: file.count))
  }
}
