internal import NIOCore
internal import NIOWebSocket

/// An open WebSocket: its frames are read, its messages are routed one after the other, and answers are written.
struct WebSocketConnection: Sendable {
  let service: GatewayService
  let session: WebSocketSession
  let link: WebSocketLink

  typealias Frames = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

  /// Maximum number of messages of one client that wait for their turn; then no more are read. Our choice.
  private static let waitingMessages = 16

  /// Serves the connection until it is closed, and returns the messages that still run.
  func serve(_ frames: Frames) async -> [Task<Void, Never>] {
    let timer = Task { await service.closeSocketWhenExpired(session.identifier) }
    defer { timer.cancel() }
    var messages: [Task<Void, Never>] = []
    // The only error is that of closing a connection that the client has closed.
    try? await frames.executeThenClose { inbound, outbound in
      async let writing: Void = Self.write(link.outputs, to: outbound, frames.channel)
      link.close(await read(inbound, frames.channel, &messages))
      service.removeSocket(session.identifier)
      await writing
    }
    return messages
  }

  /// Waits for the messages that still run, then sends `$disconnect`.
  func end(_ messages: [Task<Void, Never>]) async {
    link.close(.lost)
    service.removeSocket(session.identifier)
    for message in messages { await message.value }
    _ = await service.answer(.disconnect(link.closure ?? .lost), of: session)
  }

  /// Reads until the connection is closed, and returns why.
  private func read(
    _ inbound: NIOAsyncChannelInboundStream<WebSocketFrame>, _ channel: any Channel,
    _ messages: inout [Task<Void, Never>]
  ) async -> WebSocketClosure {
    var assembly = WebSocketAssembly()
    do {
      for try await frame in inbound {
        if link.closure != nil {
          // The rest is read so that the client can read the close frame: the system resets a connection with unread
          // bytes.
          if frame.opcode == .connectionClose { break }
          continue
        }
        switch assembly.take(WireFrame(frame)) {
        case .incomplete: continue
        case .ping(let bytes): link.send(.pong(bytes))
        case .closed(let closure): return closure
        case .violation(let closure): link.close(closure)
        case .message(let message):
          if messages.count == Self.waitingMessages { await messages.removeFirst().value }
          messages.append(Task { [previous = messages.last] in await handle(message, after: previous) })
        }
      }
      return .lost
    } catch let error as NIOWebSocketError {
      let closure: WebSocketClosure = error == .invalidFrameLength ? .tooLarge : .protocolError
      link.close(closure)
      // The rest cannot be read, so the client gets the time to read the close frame.
      try? await channel.closeFuture.get()
      return closure
    } catch {
      return .lost
    }
  }

  private func handle(_ message: [UInt8], after previous: Task<Void, Never>?) async {
    await previous?.value
    service.touchSocket(session.identifier)
    let event = WebSocketEvent.message(identifier: GatewayService.extendedRequestID())
    if let answer = await service.answer(event, message, of: session) {
      link.send(.message(answer))
      service.touchSocket(session.identifier)
    }
  }

  private static func write(
    _ outputs: AsyncStream<WebSocketLink.Output>,
    to outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>, _ channel: any Channel
  ) async {
    do {
      for await output in outputs {
        for frame in output.frames { try await outbound.write(frame.networkFrame) }
      }
      try await channel.close(mode: .output)
    } catch {
      // The client is gone, which the reader notices too.
    }
  }
}

extension WireFrame {
  fileprivate init(_ frame: WebSocketFrame) {
    opcode = UInt8(webSocketOpcode: frame.opcode)
    isFinal = frame.fin
    isMasked = frame.maskKey != nil
    hasReservedBits = frame.rsv1 || frame.rsv2 || frame.rsv3
    bytes = Array(frame.unmaskedData.readableBytesView)
  }

  fileprivate var networkFrame: WebSocketFrame {
    WebSocketFrame(
      fin: isFinal, opcode: WebSocketOpcode(encodedWebSocketOpcode: opcode) ?? .connectionClose,
      data: ByteBuffer(bytes: bytes))
  }
}
