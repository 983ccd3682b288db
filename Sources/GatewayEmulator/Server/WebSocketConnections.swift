internal import GatewayModel

/// The open connections of WebSocket APIs: which there are, how to reach their clients, and when they expire.
struct WebSocketConnections: Sendable {
  /// Milliseconds without a message in either direction ("Amazon API Gateway quotas": idle connection timeout).
  static let idleMilliseconds: Int64 = 10 * 60 * 1000
  /// Milliseconds from the handshake ("Amazon API Gateway quotas": connection duration).
  static let maximumMilliseconds: Int64 = 2 * 60 * 60 * 1000

  struct Entry: Sendable {
    let session: WebSocketSession
    let link: WebSocketLink
    fileprivate(set) var lastActiveAt: Int64

    /// When it expires, in milliseconds since 1970.
    var expiresAt: Int64 {
      min(
        lastActiveAt + WebSocketConnections.idleMilliseconds,
        session.connectedAt + WebSocketConnections.maximumMilliseconds)
    }
  }

  private var entries: [String: Entry] = [:]

  var count: Int { entries.count }

  mutating func open(_ session: WebSocketSession, _ link: WebSocketLink) {
    entries[session.identifier] = Entry(session: session, link: link, lastActiveAt: session.connectedAt)
  }

  /// Removes a connection, if it is still there.
  @discardableResult
  mutating func remove(_ identifier: String) -> Entry? { entries.removeValue(forKey: identifier) }

  /// Returns a connection; for `@connections`, only if it belongs to this stage of this API.
  func entry(_ identifier: String, of api: GatewayAPI? = nil) -> Entry? {
    guard let entry = entries[identifier] else { return nil }
    guard let api else { return entry }
    return entry.session.api.name == api.name && entry.session.api.stage.name == api.stage.name ? entry : nil
  }

  /// Notes a message in either direction.
  mutating func touch(_ identifier: String, at unixMilliseconds: Int64) {
    entries[identifier]?.lastActiveAt = unixMilliseconds
  }

  /// Removes and returns the connections that have expired.
  mutating func takeExpired(at unixMilliseconds: Int64) -> [Entry] {
    let expired = entries.values.filter { $0.expiresAt <= unixMilliseconds }
    for entry in expired { entries[entry.session.identifier] = nil }
    return expired
  }
}
