internal import Text
internal import GatewayModel

/// The host name of the console, which no served API has (docs/contributing/decisions/0016-console-origin.md).
///
/// Browsers resolve each name below `localhost` to this machine (RFC 6761 section 6.3), so no second port is needed.
package enum ConsoleHost {
  package static let name = "console.localhost"
  package static let page = "/dev/console"

  /// The paths of other parts of the gateway that the page uses.
  package static let otherPaths: Set<String> = ["/dev/clock", "/dev/cache/flush"]

  /// Whether a `Host` header's value is the console's.
  package static func isHost(_ host: String) -> Bool { LoopbackHost.name(of: host) == name }

  /// The host of the APIs for a client of the console: the address itself instead of the console's name.
  package static func served(_ host: String) -> String {
    isHost(host) ? "127.0.0.1" + host.dropFirst(bytes: name.utf8.count) : host
  }
}
