internal import GatewayModel
internal import JSON

/// What happens on a connection of a WebSocket API.
package enum WebSocketEvent: Equatable, Sendable {
  case connect
  /// - Parameter identifier: the ID of the message.
  case message(identifier: String)
  case disconnect(WebSocketClosure)

  /// `eventType` in events and templates.
  var name: String {
    switch self {
    case .connect: "CONNECT"
    case .message: "MESSAGE"
    case .disconnect: "DISCONNECT"
    }
  }

  var messageID: String? { if case .message(let identifier) = self { identifier } else { nil } }

  var closure: WebSocketClosure? { if case .disconnect(let closure) = self { closure } else { nil } }
}

/// Why a connection ended: `disconnectStatusCode` and `disconnectReason` of `$disconnect`, and the close frame.
package struct WebSocketClosure: Equatable, Sendable {
  /// A code of RFC 6455 section 7.4.
  let code: UInt16
  let reason: String

  /// A close frame without a code. The reason is that of recorded events.
  static let withoutCode = WebSocketClosure(code: 1005, reason: "Client-side close frame status not set")
  /// The client is gone without a close frame. What API Gateway gives as the reason is not known.
  static let lost = WebSocketClosure(code: 1006, reason: "")
  /// `DELETE` of `@connections`, as recorded.
  static let deleted = WebSocketClosure(code: 1000, reason: "Connection Closed Normally")
  /// The idle timeout, as recorded; for the connection duration the same is assumed.
  static let expired = WebSocketClosure(code: 1001, reason: "Going away")
  static let protocolError = WebSocketClosure(code: 1002, reason: "")
  /// A binary frame ("Working with binary media types for WebSocket APIs").
  static let binary = WebSocketClosure(code: 1003, reason: "")
  static let notUTF8 = WebSocketClosure(code: 1007, reason: "")
  /// A message or a frame that is too large ("Amazon API Gateway quotas").
  static let tooLarge = WebSocketClosure(code: 1009, reason: "")
}

/// An accepted connection of a WebSocket API: the source for the events of its messages.
package struct WebSocketSession: Sendable {
  let identifier: String
  let api: GatewayAPI
  let request: GatewayRequest
  /// When it was accepted, in milliseconds since 1970.
  let connectedAt: Int64
  /// What the authorizer of `$connect` passed on.
  let authorizer: AuthorizerContext?
}

/// What an authorizer passes on to the events of later messages.
package struct AuthorizerContext: Sendable {
  /// `requestContext.authorizer`.
  let members: JSONTree
  /// The values of `$context.authorizer.…`.
  let variables: [String: String]
}
