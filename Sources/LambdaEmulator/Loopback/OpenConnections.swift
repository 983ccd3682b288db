internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import Synchronization

/// The number of open connections of a server, which may have unread or running requests.
package final class OpenConnections: Sendable {
  private let shared = Mutex(Shared())

  private struct Shared {
    var count = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  func opened() {
    shared.withLock { $0.count += 1 }
  }

  func closed() {
    let waiting = shared.withLock { shared in
      shared.count -= 1
      guard shared.count == 0 else { return [CheckedContinuation<Void, Never>]() }
      defer { shared.waiting = [] }
      return shared.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  func allClosed() async {
    await withCheckedContinuation { continuation in
      let isQuiet = shared.withLock { shared in
        if shared.count == 0 { return true }
        shared.waiting.append(continuation)
        return false
      }
      if isQuiet { continuation.resume() }
    }
  }
}

/// An HTTP/1.1 connection, counted from its acceptance until its last request has been answered.
struct CountedChannel: ServerChildChannel {
  let http: HTTP1Channel
  let connections: OpenConnections

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    connections.opened()
    return http.setup(channel: channel, logger: logger)
  }

  func handle(value: HTTP1Channel.Value, logger: Logger) async {
    await http.handle(value: value, logger: logger)
    connections.closed()
  }
}
