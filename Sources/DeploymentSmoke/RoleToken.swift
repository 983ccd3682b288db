internal import Bytes
internal import Text

/// A token of the user for a role. Nothing but a request has its text: it describes itself by its role.
package struct RoleToken: Sendable, CustomStringConvertible, CustomReflectable {
  package let role: String
  /// The value of a query parameter, without a scheme.
  let queryValue: String
  /// The value of a header: with the scheme that the user wrote, else `Bearer`.
  var headerValue: String { queryValue.utf8.contains(.space) ? queryValue : "Bearer " + queryValue }

  /// The maximum size in bytes: our limit, below the 10,240 bytes of all headers that API Gateway accepts ("Quotas for
  /// configuring and running a REST API").
  package static let maximumBytes = 8192

  /// - Parameter bytes: the content of a file or variable, with or without blanks and line ends around the token.
  package init(role: String, _ bytes: [UInt8]) throws(SmokeRefusal) {
    let isBlank: (UInt8) -> Bool = { [.space, .tab, .carriageReturn, .lineFeed].contains($0) }
    let token = bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
    guard !token.isEmpty, token.count <= Self.maximumBytes, token.allSatisfy({ 0x20..<0x7F ~= $0 }) else {
      throw .tokenBytes(role: role)
    }
    (self.role, queryValue) = (role, String(decoding: Array(token), as: UTF8.self))
  }

  /// The name and the source of `ROLE=@FILE` or `ROLE=env:NAME`; the error has none of the text.
  package static func source(_ text: String) throws(SmokeRefusal) -> (role: String, source: Source) {
    guard let sign = text.utf8.firstIndex(of: .equalsSign), isRole(text[..<sign]) else { throw .tokenForm }
    let role = String(text[..<sign])
    let rest = text[sign...].dropFirst(bytes: 1)
    if let path = rest.rest(after: "@"), !path.isEmpty { return (role, .file(String(path))) }
    if let name = rest.rest(after: "env:"), !name.isEmpty { return (role, .variable(String(name))) }
    throw .tokenForm
  }

  package enum Source: Equatable, Sendable { case file(String), variable(String) }

  private static func isRole(_ name: Substring) -> Bool {
    (1...32).contains(name.utf8.count)
      && name.utf8.allSatisfy { $0.isLetter || $0.isDecimalDigit || $0 == .hyphen || $0 == .underscore }
  }

  package var description: String { "token of \(role)" }
  package var customMirror: Mirror { Mirror(self, children: ["role": role]) }
}
