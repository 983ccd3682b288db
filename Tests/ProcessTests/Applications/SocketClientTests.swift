import Foundation
import TestSupport
import Testing

/// WebSocket APIs of `serve` with programs of others: the Python packages websockets and boto3.
@Suite(.enabled(if: Clients.haveWebSockets, Clients.why), .serialized, .hangLimit)
struct SocketClientTests {
  /// Returns the output of a part of `talk.py`, line by line.
  private static func steps(_ part: String, _ application: borrowing Application) async throws -> [String] {
    let script = Clients.scripts.appendingPathComponent("talk.py").path
    let output = try await Clients.output(
      "python3", ["-B", script, part, "127.0.0.1:\(application.gateway.port)"])
    return output.split(separator: "\n").map(String.init)
  }

  @Test func chats() async throws {
    let application = try Application("chat", functions: ["Doorkeeper": "doorkeeper", "Room": "backend"])
    let steps = try await Self.steps("chat", application)
    #expect(
      steps == [
        #"["no ticket", 401, "{\"message\":\"Unauthorized\"}"]"#,
        #"["refused ticket", 403, "{\"message\":\"Forbidden\"}"]"#,
        #"["extensions", []]"#,
        #"["long message", "guest-2", true]"#,
        #"["message in frames", "parts"]"#,
        #"["pong", true]"#,
        #"["no such route", "Forbidden"]"#,
        #"["post", 200]"#,
        #"["received", "hello \u00fc"]"#,
        #"["get", "127.0.0.1", true]"#,
        #"["delete", 204]"#,
        #"["closed", 1000, "Connection Closed Normally"]"#,
        #"["post too late", 410, "GoneException"]"#,
        #"["get too late", 410, "GoneException"]"#,
        #"["delete too late", 410, "GoneException"]"#,
        #"["long frame", 1009]"#,
        #"["done"]"#,
      ], "\(application.gateway.logText)")
    try #require(steps.last == #"["done"]"#)
    let events = try application.events(until: "$disconnect 4001 bye")
    #expect(events.filter { $0 == "$connect" }.count == 3, "\(events)")
    #expect(events.contains("$disconnect 1000 Connection Closed Normally"), "\(events)")
  }

  /// botocore signs the handshake, as "Invoke WebSocket APIs" tells clients of AWS_IAM.
  @Test func signsTheHandshake() async throws {
    let application = try Application("line", functions: ["Room": "backend"])
    let steps = try await Self.steps("line", application)
    #expect(
      steps == [
        #"["unsigned", 403]"#,
        #"["wrong secret", 403]"#,
        #"["another stage", 403]"#,
        #"["wrong query", 403]"#,
        #"["headers", "MESSAGE"]"#,
        #"["query", "MESSAGE"]"#,
        #"["done"]"#,
      ], "\(application.gateway.logText)")
  }
}
