internal import AuthorizerContract

/// A frame of a WebSocket (RFC 6455 section 5.2).
struct WireFrame: Equatable, Sendable {
  let opcode: UInt8
  var isFinal = true
  var isMasked = false
  var hasReservedBits = false
  /// The payload without the mask.
  let bytes: [UInt8]

  static let (continuation, text, binary) = (UInt8(0), UInt8(1), UInt8(2))
  static let (close, ping, pong) = (UInt8(8), UInt8(9), UInt8(10))
}

/// Assembles the frames of a client to messages, and checks them as API Gateway does and as RFC 6455 section 5 requires.
struct WebSocketAssembly {
  /// Maximum size of a frame ("Amazon API Gateway quotas": WebSocket frame size).
  static let frameBytes = 32 << 10
  /// Maximum size of a message with all its frames ("Amazon API Gateway quotas": message payload size).
  static let messageBytes = 128 << 10

  enum Outcome: Equatable {
    case incomplete
    case message([UInt8])
    case ping([UInt8])
    /// The client closes the connection.
    case closed(WebSocketClosure)
    /// The connection must be closed.
    case violation(WebSocketClosure)
  }

  /// The beginning of a message whose last frame is not there yet.
  private var beginning: [UInt8]?

  mutating func take(_ frame: WireFrame) -> Outcome {
    // No extension is negotiated, and a client must mask its frames.
    guard !frame.hasReservedBits, frame.isMasked else { return .violation(.protocolError) }
    switch frame.opcode {
    case WireFrame.ping: return .ping(frame.bytes)
    case WireFrame.pong: return .incomplete
    case WireFrame.close: return Self.closure(frame.bytes)
    case WireFrame.binary: return .violation(.binary)
    case WireFrame.text where beginning == nil: return extend([], with: frame)
    case WireFrame.continuation:
      guard let beginning else { return .violation(.protocolError) }
      return extend(beginning, with: frame)
    default: return .violation(.protocolError)
    }
  }

  private mutating func extend(_ start: [UInt8], with frame: WireFrame) -> Outcome {
    beginning = nil
    guard frame.bytes.count <= Self.frameBytes, start.count + frame.bytes.count <= Self.messageBytes else {
      return .violation(.tooLarge)
    }
    let message = start + frame.bytes
    guard frame.isFinal else {
      beginning = message
      return .incomplete
    }
    return String(validating: message, as: UTF8.self) == nil ? .violation(.notUTF8) : .message(message)
  }

  private static func closure(_ bytes: [UInt8]) -> Outcome {
    if bytes.isEmpty { return .closed(.withoutCode) }
    guard bytes.count >= 2 else { return .violation(.protocolError) }
    let code = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    // The other codes are reserved or must not be sent (RFC 6455 section 7.4).
    guard (1000...1003).contains(code) || (1007...1014).contains(code) || (3000...4999).contains(code) else {
      return .violation(.protocolError)
    }
    guard let reason = String(validating: bytes[2...], as: UTF8.self) else { return .violation(.notUTF8) }
    return .closed(WebSocketClosure(code: code, reason: reason))
  }
}

extension WebSocketLink.Output {
  /// The frames of an output. A message is split into frames of the size that API Gateway accepts itself.
  package var frames: [WireFrame] {
    switch self {
    case .pong(let bytes): return [WireFrame(opcode: WireFrame.pong, bytes: bytes)]
    case .close(let closure):
      // These two stand for the absence of a code.
      let hasCode =
        closure.code != WebSocketClosure.withoutCode.code
        && closure.code != WebSocketClosure.lost.code
      let bytes = [UInt8(closure.code >> 8), UInt8(closure.code & 0xFF)] + Array(closure.reason.utf8)
      return [WireFrame(opcode: WireFrame.close, bytes: hasCode ? bytes : [])]
    case .message(let bytes):
      let isText = String(validating: bytes, as: UTF8.self) != nil
      var frames: [WireFrame] = []
      var rest = bytes[...]
      repeat {
        let part = rest.prefix(WebSocketAssembly.frameBytes)
        rest = rest.dropFirst(part.count)
        let opcode =
          !frames.isEmpty ? WireFrame.continuation : isText ? WireFrame.text : WireFrame.binary
        frames.append(WireFrame(opcode: opcode, isFinal: rest.isEmpty, bytes: Array(part)))
      } while !rest.isEmpty
      return frames
    }
  }
}
