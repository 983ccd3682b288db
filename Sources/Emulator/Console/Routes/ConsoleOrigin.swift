/// The origin of the console, which it shares with no page of a served API (docs/decisions/0016-console-origin.md).
///
/// Browsers resolve each name below `localhost` to this machine (RFC 6761 section 6.3), so no second port is needed.
enum ConsoleOrigin {
  /// The host, without its port.
  static let name = "console.localhost"
  /// The path of the page.
  static let page = "/dev/console"

  /// The paths of other parts of the gateway that the page uses.
  static let otherPaths: Set<String> = ["/dev/clock", "/dev/cache/flush"]

  /// Whether a `Host` header's value is the console's.
  static func isHost(_ host: String) -> Bool { LoopbackHost.name(of: host) == name }

  /// The address of the page for a request of it under another name; `nil` for one under its own name, and for one that
  /// the console refuses.
  static func redirect(for request: GatewayRequest, scheme: String) -> String? {
    let hosts = request.values(ofHeader: "Host")
    guard hosts.count == 1, let host = hosts.first, !isHost(host), let old = LoopbackHost.name(of: host),
      ConsoleGuard.refusal(of: request, scheme: scheme, isPage: true) == nil
    else { return nil }
    return "\(scheme)://\(name)\(host.dropFirst(old.count))\(page)"
  }

  /// The host of the APIs for a client of the console: the address itself instead of the console's name.
  static func served(_ host: String) -> String {
    isHost(host) ? "127.0.0.1" + host.dropFirst(name.count) : host
  }

  /// Whether the request comes from a browser: pages cannot set or remove these headers (Fetch Standard, "forbidden
  /// request-header").
  static func isOfBrowser(_ request: GatewayRequest) -> Bool {
    request.headers.contains {
      let name = $0.name.lowercased()
      return name == "origin" || name.hasPrefix("sec-fetch-")
    }
  }
}
