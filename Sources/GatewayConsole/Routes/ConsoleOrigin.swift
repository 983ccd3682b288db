internal import Text
internal import GatewayModel
internal import LambdaEmulator

/// The origin of the console, which it shares with no page of a served API (docs/contributing/decisions/0016-console-origin.md).
enum ConsoleOrigin {
  /// The address of the page for a request of it under another name; `nil` for one under its own name, and for one that
  /// the console refuses.
  static func redirect(for request: GatewayRequest, scheme: String) -> String? {
    let hosts = request.values(ofHeader: "Host")
    guard hosts.count == 1, let host = hosts.first, !ConsoleHost.isHost(host),
      let old = LoopbackHost.name(of: host),
      ConsoleGuard.refusal(of: request, scheme: scheme, isPage: true) == nil
    else { return nil }
    return "\(scheme)://\(ConsoleHost.name)\(host.dropFirst(bytes: old.utf8.count))\(ConsoleHost.page)"
  }

  /// Whether the request comes from a browser: pages cannot set or remove these headers (Fetch Standard, "forbidden
  /// request-header").
  static func isOfBrowser(_ request: GatewayRequest) -> Bool {
    request.headers.contains {
      let name = $0.name.lowercased()
      return name == "origin" || name.hasBytePrefix("sec-fetch-")
    }
  }
}
