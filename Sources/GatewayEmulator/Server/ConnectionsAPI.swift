internal import GatewayModel
internal import LambdaEmulator
internal import Text
internal import JSON
internal import Synchronization

/// `/STAGE/@connections/ID` of a WebSocket API: a backend sends messages to a client, or closes its connection ("Use
/// `@connections` commands in your backend service"). Statuses, headers and bodies match recorded answers.
///
/// AWS requires signatures of Signature Version 4. Here the requests come from this machine only.
struct ConnectionsAPI: Sendable {
  let service: GatewayService

  /// The name of an error of the API (`x-amzn-ErrorType`).
  private enum Problem: String {
    case badRequest = "BadRequestException"
    case forbidden = "ForbiddenException"
    case gone = "GoneException"
    case limitExceeded = "LimitExceededException"
    case notFound = "NotFoundException"
    case tooLarge = "PayloadTooLargeException"

    var status: Int {
      switch self {
      case .badRequest: 400
      case .forbidden: 403
      case .notFound: 404
      case .gone: 410
      case .tooLarge: 413
      case .limitExceeded: 429
      }
    }
  }

  /// Returns the ID that a path has, with the stage in front; `nil` for other paths. SDKs encode `@` and `=`.
  static func connectionID(in path: String, of api: GatewayAPI) -> String? {
    let parts = path.dropFirst(bytes: 1).splitBytes(at: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == api.stage.name,
      PercentText.decoded(String(parts[1])) == "@connections"
    else { return nil }
    return PercentText.decoded(String(parts[2]))
  }

  /// Answers a request, whose path is that behind the API.
  func answer(_ request: GatewayRequest, to api: GatewayAPI, _ identifier: String) -> GatewayResponse {
    let ids = service.newIdentity()
    var response = answer(request, to: api, identifier, at: ids.unixMilliseconds)
    response.headers += [
      .init("x-amzn-RequestId", ids.requestID), .init("x-amz-apigw-id", ids.extendedRequestID),
      .init("X-Amzn-Trace-Id", ids.traceID),
    ]
    service.onRecord(
      AccessRecord(
        ReceivedRequest(request, to: api, ids), routeKey: "@connections", .unused("IAM is not checked"),
        status: response.status))
    return response
  }

  private func answer(
    _ request: GatewayRequest, to api: GatewayAPI, _ identifier: String, at now: Int64
  ) -> GatewayResponse {
    // A page can send such a request without a preflight request, and a client would receive its body.
    guard request.values(ofHeader: "Origin").allSatisfy(LoopbackHost.isLoopback(origin:)) else {
      return Self.problem(.forbidden, "requests from pages of other machines are refused")
    }
    guard ["POST", "GET", "DELETE"].contains(request.method) else {
      return Self.problem(
        .notFound,
        "No method found matching route \(request.path.dropFirst()) for http method \(request.method).")
    }
    guard Self.isConnectionID(identifier) else {
      return Self.problem(.badRequest, "Invalid connectionId: \(identifier)")
    }
    if request.method == "POST", request.body.count > WebSocketAssembly.messageBytes {
      return Self.problem(.tooLarge)
    }
    guard let entry = service.sockets.withLock({ $0.entry(identifier, of: api) }), entry.link.closure == nil
    else { return Self.problem(.gone) }
    switch request.method {
    case "POST":
      guard entry.link.send(.message(request.body)) else {
        return Self.problem(entry.link.closure == nil ? .limitExceeded : .gone)
      }
      service.sockets.withLock { $0.touch(identifier, at: now) }
      return GatewayResponse(status: 200, headers: [Self.json])
    case "DELETE":
      service.removeSocket(identifier)
      entry.link.close(.deleted)
      return GatewayResponse(status: 204)
    default: return GatewayResponse(status: 200, headers: [Self.json], body: Self.description(of: entry))
    }
  }

  /// Whether it has the form of an ID: 11 bytes in base64url with padding.
  static func isConnectionID(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.count == 16 && bytes.last == UInt8(ascii: "=") && !bytes.contains(UInt8(ascii: "+"))
      && !bytes.contains(UInt8(ascii: "/"))
      && Base64Text.decodedForURL(bytes)?.count == 11
  }

  private static func description(of entry: WebSocketConnections.Entry) -> [UInt8] {
    let userAgent = entry.session.request.values(ofHeader: "User-Agent").first
    return JSONTree.members([
      "identity": .members([
        "sourceIp": .string(entry.session.request.sourceAddress), "userAgent": userAgent.map { .string($0) },
      ]),
      "connectedAt": .string(Timestamp.text(entry.session.connectedAt)),
      "lastActiveAt": .string(Timestamp.text(entry.lastActiveAt)),
    ]).bytes(indentedBy: 2)
  }

  private static let json = GatewayRequest.Header("Content-Type", "application/json")

  private static func problem(_ problem: Problem, _ message: String? = nil) -> GatewayResponse {
    GatewayResponse(
      status: problem.status, headers: [json, .init("x-amzn-ErrorType", problem.rawValue)],
      body: message.map { Array(#"{"message":\#(ParameterSource.quoted($0))}"#.utf8) } ?? [])
  }
}
