internal import Text
internal import GatewayModel
internal import LambdaEmulator

/// Which pages may use the console: only its own.
///
/// Programs such as curl send no header of a browser, and may use any loopback name. A browser may use the console's own
/// name alone: pages of served APIs have the others. A page of another site, of another port of this machine, or of a name that
/// resolves to this machine (DNS rebinding) is refused before anything is read; the server checks `Host` before.
enum ConsoleGuard {
  /// Returns why the request is refused; `nil` if it is not.
  ///
  /// - Parameters:
  ///   - scheme: `http` or `https`.
  ///   - isPage: whether it is a request of the page under any name, which is answered with its own address. Other pages
  ///     and files may lead to it: it shows nothing without the secret, and is in no frame.
  static func refusal(of request: GatewayRequest, scheme: String, isPage: Bool = false) -> String? {
    let hosts = request.values(ofHeader: "Host")
    guard hosts.count == 1, let host = hosts.first, LoopbackHost.isLoopback(host) else {
      return "the Host header must be one loopback name such as localhost"
    }
    // https://www.w3.org/TR/fetch-metadata/: `none` is a request of the user, such as a typed address.
    let sites = request.values(ofHeader: "Sec-Fetch-Site")
    guard isPage && isNavigation(request) || sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) else {
      return "requests from other pages are refused; open the console at its own address"
    }
    let origins = request.values(ofHeader: "Origin")
    guard origins.allSatisfy({ $0.hasSameBytes(as: "\(scheme)://\(host)") }) else {
      return "requests from pages of other origins are refused; open the console at its own address"
    }
    guard isPage || ConsoleHost.isHost(host) || !ConsoleOrigin.isOfBrowser(request) else {
      return "pages of this name are refused; open the console at \(ConsoleHost.name)"
    }
    guard request.method != "POST" || Self.isJSON(request) else {
      return "send the body as JSON: curl -H 'Content-Type: application/json'"
    }
    return nil
  }

  /// Whether a browser loads a document for its user, and not a part of another one.
  private static func isNavigation(_ request: GatewayRequest) -> Bool {
    request.values(ofHeader: "Sec-Fetch-Mode") == ["navigate"]
      && request.values(ofHeader: "Sec-Fetch-Dest") == ["document"]
  }

  /// Whether the body is JSON by its type. A page of another origin cannot send this type without asking first (Fetch
  /// Standard, "CORS-safelisted request-header").
  private static func isJSON(_ request: GatewayRequest) -> Bool {
    let types = request.values(ofHeader: "Content-Type")
    return types.count == 1
      && types[0].head(before: ";").trimmingBlanks.lowercased().hasSameBytes(as: "application/json")
  }
}
