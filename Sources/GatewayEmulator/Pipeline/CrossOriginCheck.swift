internal import Text
internal import GatewayModel

/// The browser's CORS checks of a response to a page of another origin (Fetch Standard, "CORS check" and
/// "CORS-preflight fetch").
///
/// The page sees only `Failed to fetch` and the gateway's status is a success, so the log must name the problem.
enum CrossOriginCheck {
  /// Returns the problem in one line; `nil` if the request has no foreign `Origin` or the page may read the response.
  static func problem(
    of response: GatewayResponse, to request: GatewayRequest, by api: GatewayAPI
  ) -> String? {
    // Browsers do not apply CORS to WebSockets.
    if case .webSocket = api.kind { return nil }
    guard let origin = request.values(ofHeader: "origin").first,
      !isSameOrigin(origin, request.values(ofHeader: "host").first ?? "")
    else { return nil }
    let isPreflight = CrossOriginPolicy.isPreflight(request)
    if isPreflight, !(200...299).contains(response.status) {
      return "the preflight request returned status \(response.status); browsers require 200 to 299"
    }
    let allowed = response.values(ofHeader: "access-control-allow-origin")
    if allowed.count > 1 {
      return "the response has \(allowed.count) Access-Control-Allow-Origin headers; only one is allowed"
    }
    if allowed.first?.utf8.elementsEqual("*".utf8) != true,
      allowed.first?.utf8.elementsEqual(origin.utf8) != true
    {
      let known = api.allowedOrigins
      if allowed.isEmpty, known.contains(where: { $0.utf8.elementsEqual(origin.utf8) || $0 == "*" }) {
        return
          "no Access-Control-Allow-Origin in the response; on a REST API, set it in each integration and gateway response"
      }
      let origins = known.isEmpty ? allowed : known
      let words = origins.isEmpty ? "none, the API has no CORS settings" : origins.joined(separator: ", ")
      return "origin \(shown(origin)) is not allowed (allowed: \(words))"
    }
    return isPreflight ? preflightProblem(response, request) : nil
  }

  private static func preflightProblem(_ response: GatewayResponse, _ request: GatewayRequest) -> String? {
    let methods = list(response.values(ofHeader: "access-control-allow-methods"))
    let method = request.values(ofHeader: "access-control-request-method").first ?? ""
    // CORS-safelisted methods.
    if !["GET", "HEAD", "POST"].contains(method), !methods.contains(method), !methods.containsText("*") {
      return "method \(shown(method)) is not allowed (allowed: \(words(methods)))"
    }
    let headers = list(response.values(ofHeader: "access-control-allow-headers")).map { $0.lowercased() }
    for header in list(request.values(ofHeader: "access-control-request-headers")).map({ $0.lowercased() })
    where !headers.contains(header) && (header == "authorization" || !headers.containsText("*")) {
      return "header \(shown(header)) is not allowed (allowed: \(words(headers)))"
    }
    return nil
  }

  private static func isSameOrigin(_ origin: String, _ host: String) -> Bool {
    origin.utf8.elementsEqual("http://".utf8 + Array(host.utf8))
  }

  private static func list(_ values: [String]) -> [String] {
    values.flatMap { $0.splitBytes(at: ",") }.map { String($0.trimmingStart(of: " ").head(before: " ")) }
  }

  private static func words(_ list: [String]) -> String {
    list.isEmpty ? "none" : list.joined(separator: ", ")
  }

  /// Maximum characters of a caller's header in one line of the log: our limit, longer than any origin.
  private static let shownCharacters = 120

  private static func shown(_ text: String) -> String {
    String(text.prefix(shownCharacters).map { $0.isASCII && $0 != "\"" ? $0 : "?" })
  }
}

extension GatewayAPI {
  /// The origins that the template allows; empty without CORS settings.
  package var allowedOrigins: [String] {
    switch kind {
    case .http(let policy): return policy?.origins ?? []
    case .webSocket: return []
    case .rest:
      var origins: [String] = []
      for mock in routes.filter({ $0.key.hasBytePrefix("OPTIONS ") }).compactMap(\.integration.mock) {
        for header in mock.responses.flatMap(\.headers)
        where header.name.lowercased() == "access-control-allow-origin" {
          if case .literal(let origin) = header.value, !origins.contains(origin) { origins.append(origin) }
        }
      }
      return origins
    }
  }
}
