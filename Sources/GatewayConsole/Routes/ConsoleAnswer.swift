internal import ConsolePage
internal import GatewayModel
internal import JSON

enum ConsoleAnswer {
  /// Headers of every response. The last one keeps other origins from loading it as a script or an image.
  static let headers: [GatewayRequest.Header] = [
    .init("Cache-Control", "no-store"), .init("X-Content-Type-Options", "nosniff"),
    .init("Referrer-Policy", "no-referrer"), .init("Cross-Origin-Resource-Policy", "same-origin"),
  ]

  /// The policy of responses that are no page.
  private static let nothing = GatewayRequest.Header(
    "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")

  static func json(_ tree: JSONTree, status: Int = 200) -> GatewayResponse {
    GatewayResponse(
      status: status, headers: [.init("Content-Type", "application/json"), nothing] + headers,
      body: tree.bytes() + [0x0A])
  }

  static func problem(_ status: Int, _ text: String) -> GatewayResponse {
    json(.members(["error": .string(text)]), status: status)
  }

  static func file(_ file: ConsolePage.File) -> GatewayResponse {
    GatewayResponse(
      status: 200,
      headers: [
        .init("Content-Type", file.contentType),
        .init("Content-Security-Policy", ConsolePage.contentSecurityPolicy),
        // A page that has opened it keeps no hold of its window.
        .init("Cross-Origin-Opener-Policy", "same-origin"),
      ] + headers, body: file.bytes)
  }

  static func redirect(to address: String) -> GatewayResponse {
    GatewayResponse(status: 302, headers: [.init("Location", address), nothing] + headers)
  }

  static let stream = GatewayResponse(
    status: 200, headers: [.init("Content-Type", "text/event-stream"), nothing] + headers)
}

/// Why the console does not do what it was asked for.
package enum ConsoleProblem: Error, Equatable, Sendable {
  case invalid(String)
  /// There is no such decision, API or route.
  case notFound(String)
  /// It cannot be done with this decision, or not now.
  case impossible(String)
  /// As much is running as may run at the same time.
  case busy(String)

  var response: GatewayResponse {
    switch self {
    case .invalid(let text): ConsoleAnswer.problem(400, text)
    case .notFound(let text): ConsoleAnswer.problem(404, text)
    case .impossible(let text): ConsoleAnswer.problem(409, text)
    case .busy(let text): ConsoleAnswer.problem(503, text)
    }
  }
}
