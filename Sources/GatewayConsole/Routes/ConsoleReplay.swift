internal import GatewayEmulator
internal import GatewayModel
internal import JSON
internal import TestTokens
internal import Text

/// Asks the authorizer about a kept request again: as it was, or for another user, at another time, without the cache.
///
/// No cached answer is stored, no quota of an API key is used, and the backend is called only if the order says so.
struct ConsoleReplay {
  let console: Console
  let connection: ConsoleConnection

  /// The farthest time from the gateway's clock, in seconds: that of `POST /dev/clock`.
  private static let maximumSeconds: Int64 = 366 * 86_400

  func answer(_ decision: RecordedDecision, _ order: ConsoleRequest) async throws(ConsoleProblem) -> JSONTree
  {
    try order.check(known: ["user", "scope", "clock", "emptyCache", "backend"])
    guard decision.hasEvent else {
      throw .impossible("requests are not kept with --real-keys; serve without it to replay them")
    }
    guard connection.service.gateway.serves(decision.served.api) else {
      throw .impossible("no API received this request; send it again")
    }
    let (user, scope) = (try order.text("user"), try order.text("scope"))
    let (callsBackend, ignoresCache) = (try order.flag("backend"), try order.flag("emptyCache"))
    if callsBackend, decision.omissions.contains(.body) {
      throw .impossible("the body of this request was too long to be kept; send it again, or omit backend")
    }
    let seconds = try Self.seconds(try order.text("clock"))
    let service = connection.service
    let request = try request(
      of: decision, user: user, scope: scope, now: service.unixMilliseconds / 1000 + seconds)
    let connectionID = decision.served.exchange?.connectionID
    func run(_ functions: [String: any FunctionInvoking]) async -> CompletedRequest {
      let options = service.trialOptions(
        readsCache: !ignoresCache, functions: functions, offsetMilliseconds: seconds * 1000,
        callsBackend: callsBackend, connectionID: connectionID)
      return await service.run(request, to: decision.served.api, options).served
    }
    let served: CompletedRequest
    if seconds == 0 {
      served = await run([:])
    } else {
      let offset = service.clockOffsetSeconds + seconds
      let asked = decision.served.exchange?.route.authorizer?.function
      served = try await console.trials.run(offsetSeconds: offset) {
        functions, moved async throws(ConsoleProblem) in
        if let asked, offset != 0, !moved.contains(asked) { throw .impossible(Self.unmoved(asked)) }
        return await run(functions)
      }
    }
    let replayed = console.log.keep(served, replayOf: decision.id)
    return .members([
      "decision": console.full(replayed),
      "difference": DecisionDifference(from: DecisionText(decision), to: DecisionText(replayed)).tree,
      "note": user != nil && decision.credentials.token == nil ? .string(Self.nothingTakenOver) : nil,
    ])
  }

  private static func unmoved(_ function: String) -> String {
    "\(function) runs at this machine's time: only this project's authorizer with development keys has a clock that "
      + "can be moved; replay without clock"
  }

  private static func seconds(_ clock: String?) throws(ConsoleProblem) -> Int64 {
    guard let clock, !clock.isEmpty else { return 0 }
    guard let seconds = RelativeTime(clock)?.seconds, abs(seconds) <= maximumSeconds else {
      throw .invalid("clock must be a distance such as +10m, -1h or +2d, within a year")
    }
    return seconds
  }

  private static let nothingTakenOver =
    "the request has no token that can be read: but for user and scope, the claims are those of a new token"

  /// The request with the credentials of the order, and with a new proof for its time. What the order does not name is
  /// taken from the decision: of its token, only the named claims change.
  func request(
    of decision: RecordedDecision, user: String? = nil, scope: String? = nil, now: Int64
  ) throws(ConsoleProblem) -> GatewayRequest {
    guard !decision.omissions.contains(.head) else {
      throw .impossible("the headers of this request were too long to be kept; send it again")
    }
    let request = decision.served.request
    let host = request.values(ofHeader: "Host").first ?? "127.0.0.1"
    let tokens = ConsoleTokens(issuer: connection.issuer, base: "\(connection.scheme)://\(host)", now: now)
    let old = decision.credentials.token
    guard user != nil || scope != nil else {
      return try old.map { token throws(ConsoleProblem) in
        try tokens.renewingProof(of: request, token: token.text)
      } ?? request
    }
    guard !console.usesRealKeys else { throw .impossible(ConsoleProblem.realKeys) }
    let route = decision.served.exchange?.route
    guard let old else {
      guard user != nil else {
        throw .invalid("the request has no token to take the user from: write user too")
      }
      let isBound = !request.values(ofHeader: "DPoP").isEmpty
      let token = try tokens.token(user: user, scope: scope, for: route, isBound: isBound)
      return try tokens.renewingProof(
        of: tokens.request(request, with: token, insteadOf: nil, for: route), token: token)
    }
    let token = try tokens.token(
      like: old, refused: DecisionText(decision).reasonCode, user: user, scope: scope)
    guard ([request.query] + request.headers.map(\.value)).contains(where: { $0.containsBytes(of: old.text) })
    else { throw .impossible("the token is neither in a header nor in the query, so it cannot be replaced") }
    return try tokens.renewingProof(
      of: tokens.request(request, with: token, insteadOf: old.text, for: route), token: token,
      isChanged: !token.hasSameBytes(as: old.text))
  }
}

extension ConsoleProblem {
  /// Why no token is made.
  package static let realKeys =
    "the authorizers use the real keys of their issuers and refuse tokens made here; serve without --real-keys"
}
