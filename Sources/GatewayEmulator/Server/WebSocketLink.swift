internal import LambdaEmulator
internal import Synchronization

/// The way to the client of an open connection: what waits to be sent, and whether the connection is closed.
final class WebSocketLink: Sendable {
  enum Output: Equatable, Sendable {
    case message([UInt8])
    case pong([UInt8])
    /// The close frame; nothing follows it.
    case close(WebSocketClosure)
  }

  /// Maximum number of outputs that wait for a slow client. Our choice: with messages of 128 KB, 4 MB for each
  /// connection. API Gateway has such a buffer too, of an unknown size (`LimitExceededException`).
  static let waitingOutputs = 32
  /// How long a client may take to close the connection after the close frame: our choice.
  static let lingerMilliseconds = 2000

  let outputs: AsyncStream<Output>
  private let continuation: AsyncStream<Output>.Continuation
  private let state = Mutex<WebSocketClosure?>(nil)
  private let clock: LambdaClock
  private let abort: @Sendable () -> Void

  /// - Parameters:
  ///   - clock: times the end of a client that does not close its connection.
  ///   - abort: closes the connection without a close frame.
  init(clock: LambdaClock, abort: @escaping @Sendable () -> Void) {
    self.clock = clock
    self.abort = abort
    (outputs, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.waitingOutputs))
  }

  /// Why the connection ended; `nil` while it is open.
  var closure: WebSocketClosure? { state.withLock { $0 } }

  /// Sends an output after those that wait.
  ///
  /// - Returns: whether there was room for it.
  @discardableResult
  func send(_ output: Output) -> Bool {
    if case .enqueued = continuation.yield(output) { true } else { false }
  }

  /// Closes the connection; only the first call has an effect.
  func close(_ closure: WebSocketClosure) {
    let isFirst = state.withLock { state in
      defer { state = state ?? closure }
      return state == nil
    }
    guard isFirst else { return }
    let isSent = send(.close(closure))
    continuation.finish()
    guard isSent else { return abort() }
    Task { [clock, abort] in
      try? await clock.wait(Self.lingerMilliseconds)
      abort()
    }
  }
}
