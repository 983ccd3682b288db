import Foundation
import JSON
import TestSupport
import Testing

/// A WebSocket API with a Lambda authorizer ("WebSocket APIs in API Gateway").
@Suite(.needsPython, .serialized, .hangLimit)
struct ChatTests {
  private static func application() throws -> Application {
    try Application("chat", functions: ["Doorkeeper": "doorkeeper", "Room": "backend"])
  }

  private static func handshake(_ query: String) -> String {
    "GET /Chat/live\(query) HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
  }

  @Test(arguments: [("", 401, "Unauthorized"), ("?ticket=guest-1", 403, "Forbidden")])
  func refusesAHandshake(_ query: String, _ status: Int, _ word: String) throws {
    let application = try Self.application()
    let answer = try RawConnection(port: application.gateway.port).exchange(
      Self.handshake(query), until: #"{"message":"\#(word)"}"#)
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
  }

  /// A message gets an answer only on a route with a route response. The service posts to the connection.
  @Test func carriesMessagesBothWays() async throws {
    let application = try Self.application()
    let gateway = application.gateway
    var socket = try SocketClient(port: gateway.port, handshake: Self.handshake("?ticket=guest-2"))
    try socket.send(#"{"action":"rename","name":"bo"}"#)
    try socket.send(#"{"action":"say","text":"hello"}"#)
    let said = try socket.receive()
    for part in [
      #""route": "say""#, #""event": "MESSAGE""#, "hello", #""principalId": "guest-2""#,
      #""members": ["body", "isBase64Encoded", "requestContext"]"#,
    ] {
      #expect(said.contains(part), "\(said)")
    }
    try socket.send(#"{"action":"sing"}"#)
    #expect(try socket.receive().contains("Forbidden"))
    let answer = try JSONTree(parsing: Array(said.utf8))
    let connection = try #require(answer["connection"]?.text, "no connection ID: \(said)")
    let path = "/Chat/live/@connections/\(connection.replacing("=", with: "%3D"))"
    #expect(try await gateway.send("POST", path, body: "from the service").status == 200)
    #expect(try socket.receive() == "from the service")
    #expect(try await gateway.send("DELETE", path).status == 204)
    #expect(try await gateway.send("POST", path, body: "too late").status == 410)
    let closure = "$disconnect 1000 Connection Closed Normally"
    #expect(try application.events(until: closure) == ["$connect", "rename", "say", closure])
  }
}
