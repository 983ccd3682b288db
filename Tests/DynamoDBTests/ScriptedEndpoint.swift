import Foundation
import LoopbackTLS
import TestSupport

/// A scripted server in place of DynamoDB: one step for each request; the last step repeats. It serves one connection
/// at a time on its own thread, on a port that the kernel chooses. Its waits end at `HangLimit`.
final class ScriptedEndpoint: @unchecked Sendable {
  enum Step: Sendable {
    /// Sends these bytes and waits for the next request.
    case answer([UInt8])
    /// Sends these bytes and closes.
    case answerAndClose([UInt8])
    /// Closes without an answer.
    case close
    /// Sends nothing, and waits until the client disconnects.
    case silence
    /// Sends a head, then a byte every 20 ms, until the client disconnects.
    case drip

    static func ok(_ body: String = "{}", status: String = "200 OK", fields: [String] = []) -> Step {
      .answer(message(body, status: status, fields: fields))
    }

    static func message(_ body: String, status: String = "200 OK", fields: [String] = []) -> [UInt8] {
      let head = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + fields
      return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }
  }

  /// A received request.
  struct Received: Equatable {
    /// The number of its connection, from 0.
    let connection: Int
    let head: String
    let body: [UInt8]
  }

  private let server: LoopbackConnections
  private let tls: TLSServer?
  private let lock = NSLock()
  private var steps: [Step]
  private let special: (body: [UInt8], step: Step)?
  private var received: [Received] = []
  private var connections = 0

  /// - Parameter special: the step for every request with this body, instead of the script.
  init(_ steps: [Step], special: (body: [UInt8], step: Step)? = nil, tls: TLSServer? = nil) throws {
    self.steps = steps
    self.special = special
    self.tls = tls
    server = try LoopbackConnections()
    server.start { [self] in serve($0) }
  }

  var port: UInt16 { server.port }
  var requests: [Received] { lock.withLock { received } }

  /// Stops the server; returns after its thread ended.
  func stop() { server.stop() }

  private func serve(_ peer: Int32) {
    guard let connection = TLSServer.connection(peer, tls) else { return }
    let number = lock.withLock {
      connections += 1
      return connections - 1
    }
    while let (head, body) = Self.request(connection) {
      let step = lock.withLock {
        received.append(Received(connection: number, head: head, body: body))
        if let special, special.body == body { return special.step }
        return steps.count > 1 ? steps.removeFirst() : steps[0]
      }
      guard perform(step, connection, peer) else { return }
    }
  }

  /// Performs a step; returns whether another request may come.
  private func perform(_ step: Step, _ connection: any ServerConnection, _ peer: Int32) -> Bool {
    switch step {
    case .answer(let bytes): return connection.write(bytes)
    case .answerAndClose(let bytes):
      _ = connection.write(bytes)
      return false
    case .close: return false
    case .silence:
      while connection.read() != nil {}
      return false
    case .drip:
      connection.drip(on: peer)
      return false
    }
  }

  /// Reads the next request; `nil` if the client disconnected.
  private static func request(_ connection: any ServerConnection) -> (head: String, body: [UInt8])? {
    var bytes: [UInt8] = []
    let end = Array("\r\n\r\n".utf8)
    while true {
      if let range = bytes.firstRange(of: end) {
        let head = String(decoding: bytes[..<range.lowerBound], as: UTF8.self)
        let length =
          head.components(separatedBy: "\r\nContent-Length: ").dropFirst().first
          .flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
        if bytes.count >= range.upperBound + length {
          return (head, Array(bytes[range.upperBound...].prefix(length)))
        }
      }
      guard let more = connection.read() else { return nil }
      bytes += more
    }
  }
}
