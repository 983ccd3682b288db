internal import LambdaEmulator
internal import Synchronization

/// The connections of WebSocket APIs.
extension GatewayService {
  /// Answers a message, or reports the end of a connection to `$disconnect`.
  ///
  /// - Returns: what the client receives, or `nil` for nothing.
  package func answer(
    _ event: WebSocketEvent, _ message: [UInt8] = [], of session: WebSocketSession
  ) async -> [UInt8]? {
    let answer: WebSocketAnswer
    switch gateway.begin(event, message, of: session, newIdentity()) {
    case nil: return nil
    case .answer(let ready)?: answer = ready
    case .integrate(let call)?:
      answer = gateway.finish(message: call, with: await result(of: call))
    }
    onRecord(answer.record)
    return answer.text
  }

  func openSocket(_ session: WebSocketSession, _ link: WebSocketLink) {
    sockets.withLock { $0.open(session, link) }
  }

  func removeSocket(_ identifier: String) { sockets.withLock { _ = $0.remove(identifier) } }

  /// Notes a message in either direction.
  func touchSocket(_ identifier: String) {
    let now = unixMilliseconds
    sockets.withLock { $0.touch(identifier, at: now) }
  }

  /// Closes the connections that have expired by the gateway's clock.
  func closeExpiredSockets() {
    let now = unixMilliseconds
    for entry in sockets.withLock({ $0.takeExpired(at: now) }) { entry.link.close(.expired) }
  }

  /// Closes a connection when it expires. The timer wakes up once a minute at least; a moved clock closes connections
  /// at once.
  func closeSocketWhenExpired(_ identifier: String) async {
    while let entry = sockets.withLock({ $0.entry(identifier) }) {
      let rest = entry.expiresAt - unixMilliseconds
      guard rest > 0 else { return closeExpiredSockets() }
      guard (try? await clock.wait(Int(min(rest, 60_000)))) != nil else { return }
    }
  }
}
