import Bytes

/// The endpoint of the Runtime API: the parsed value of `AWS_LAMBDA_RUNTIME_API`.
///
/// Lambda sets `host:port`. Forms of emulators are accepted too: a scheme (`http://127.0.0.1:9000`), a path prefix
/// (`127.0.0.1:9000/.rt`, `localhost:5050/MyFunction`), IPv6 in brackets (`[::1]:9001`), and no port (80).
///
/// The host is a numeric address or `localhost`. Other names are refused: the function is a fully static binary, in
/// which glibc's `getaddrinfo` needs shared libraries that may be missing (https://sourceware.org/glibc/wiki/FAQ,
/// "static").
///
/// Source: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html, RFC 3986 §3.2 and §3.3.
package struct RuntimeEndpoint: Equatable, Sendable {
  /// The addresses to try, in this order. Never empty.
  let addresses: [SocketAddress]
  /// The value of the `Host` field: the host and, if present, the port in their original spelling.
  let authority: String
  /// The prefix before `/2018-06-01` in each request target: empty, or `/` and a path without a slash at its end.
  let pathPrefix: String

  /// The default port, from RFC 9110 §4.2.1.
  package static let defaultPort: UInt16 = 80

  /// Parses `text`, the value of `AWS_LAMBDA_RUNTIME_API`.
  package init(parsing text: String) throws(RuntimeEndpointError) {
    guard !text.isEmpty else { throw .empty }
    let location = try Self.withoutScheme(text)
    let slash = location.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? location.endIndex
    let authority = location[..<slash]
    pathPrefix = try Self.prefix(location[slash...])
    guard authority.utf8.allSatisfy({ $0.isVisible }) else {
      throw .malformedHost(String(authority))
    }
    let (host, port) = try Self.hostAndPort(authority)
    addresses = try Self.addresses(ofHost: host, port: port)
    self.authority = String(authority)
  }
}

extension RuntimeEndpoint {
  private static func withoutScheme(_ text: String) throws(RuntimeEndpointError) -> Substring {
    guard let colon = text.utf8.firstIndex(of: .colon), text[colon...].utf8.starts(with: "://".utf8) else {
      return text[...]
    }
    guard text[..<colon].lowercased() == "http" else { throw .unsupportedScheme(String(text[..<colon])) }
    return text[text.utf8.index(colon, offsetBy: 3)...]
  }

  private static func prefix(_ path: Substring) throws(RuntimeEndpointError) -> String {
    guard path.utf8.allSatisfy({ $0.isPathCharacter || $0 == .slash || $0 == .percent })
    else {
      throw .malformedPath(String(path))
    }
    var end = path.endIndex
    while end > path.startIndex, path[path.index(before: end)] == "/" { end = path.index(before: end) }
    return String(path[..<end])
  }

  private static func hostAndPort(
    _ authority: Substring
  ) throws(RuntimeEndpointError) -> (host: Host, port: UInt16) {
    if authority.first == "[" {
      guard let bracket = authority.utf8.firstIndex(of: .closingBracket) else {
        throw .malformedHost(String(authority))
      }
      let rest = authority[authority.index(after: bracket)...]
      guard rest.isEmpty || rest.first == ":" else { throw .malformedHost(String(authority)) }
      let host = authority[authority.index(after: authority.startIndex)..<bracket]
      return (.bracketed(String(host)), rest.isEmpty ? defaultPort : try port(rest.dropFirst()))
    }
    guard let colon = authority.utf8.firstIndex(of: .colon) else {
      return (.plain(String(authority)), defaultPort)
    }
    let portText = authority[authority.index(after: colon)...]
    // A second colon means IPv6 without brackets, in which the port is ambiguous.
    guard !portText.utf8.contains(.colon) else { throw .malformedHost(String(authority)) }
    return (.plain(String(authority[..<colon])), try port(portText))
  }

  private enum Host {
    case plain(String)
    case bracketed(String)
  }

  private static func port(_ digits: Substring) throws(RuntimeEndpointError) -> UInt16 {
    guard digits.utf8.allSatisfy({ $0.isDecimalDigit }), let port = UInt16(digits), port > 0 else {
      throw .malformedPort(String(digits))
    }
    return port
  }

  private static func addresses(
    ofHost host: Host, port: UInt16
  ) throws(RuntimeEndpointError) -> [SocketAddress] {
    switch host {
    case .bracketed(let text):
      guard let address = SocketAddress(ipv6: text, port: port) else { throw .malformedHost(text) }
      return [address]
    case .plain(let text):
      if let address = SocketAddress(ipv4: text, port: port) { return [address] }
      // RFC 6761 §6.3: `localhost` is always loopback, so it needs no name resolution.
      if text.lowercased() == "localhost" { return SocketAddress.loopback(port: port) }
      let looksLikeName = text.utf8.allSatisfy {
        $0.isLetterOrDigit || $0 == .hyphen || $0 == .dot
      }
      guard looksLikeName, text.utf8.contains(where: { !$0.isDecimalDigit && $0 != .dot }) else {
        throw .malformedHost(text)
      }
      throw .hostNameUnsupported(text)
    }
  }
}

/// The reason why an endpoint is refused. Associated values contain the refused part.
package enum RuntimeEndpointError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The text is empty: the process does not run under Lambda or a harness.
  case empty
  /// The scheme is not `http`.
  case unsupportedScheme(String)
  /// The host is neither a name nor a numeric address, or is IPv6 without brackets.
  case malformedHost(String)
  /// The host is a name other than `localhost`, which a fully static binary cannot resolve.
  case hostNameUnsupported(String)
  /// The port is not a number from 1 to 65535.
  case malformedPort(String)
  /// The path contains a byte that RFC 3986 §3.3 does not allow, a query or a fragment.
  case malformedPath(String)

  /// The stable name of this error, for logs and tests.
  package var code: String {
    switch self {
    case .empty: "endpointEmpty"
    case .unsupportedScheme: "endpointScheme"
    case .malformedHost: "endpointHost"
    case .hostNameUnsupported: "endpointHostName"
    case .malformedPort: "endpointPort"
    case .malformedPath: "endpointPath"
    }
  }

  /// A description of the error, with a hint.
  package var description: String {
    switch self {
    case .empty:
      "AWS_LAMBDA_RUNTIME_API is empty\nhint: run the function under Lambda or `authorizer-local invoke`"
    case .unsupportedScheme(let scheme):
      "AWS_LAMBDA_RUNTIME_API has the scheme \(scheme)\nhint: the Runtime API uses plain http"
    case .malformedHost(let host):
      "AWS_LAMBDA_RUNTIME_API has no usable host: \(host)\nhint: write 127.0.0.1:9001 or [::1]:9001"
    case .hostNameUnsupported(let name):
      "AWS_LAMBDA_RUNTIME_API has the host name \(name), which a fully static binary cannot resolve\n"
        + "hint: write its numeric address"
    case .malformedPort(let port):
      "AWS_LAMBDA_RUNTIME_API has the port \(port)\nhint: a port is a number from 1 to 65535"
    case .malformedPath(let path):
      "AWS_LAMBDA_RUNTIME_API has the path \(path)\nhint: a path has no query, fragment, space or control character"
    }
  }
}
