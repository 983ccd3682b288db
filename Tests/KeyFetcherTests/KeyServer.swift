import Foundation
import LoopbackTLS
import TestSupport

/// A key set server with a configurable fault. It listens on a port that the kernel chooses, and answers every
/// connection in the same way on its own thread until it is stopped. Its waits end at `HangLimit`.
final class KeyServer: @unchecked Sendable {
  /// The reaction to a request.
  enum Behavior: Sendable {
    /// Sends these bytes and closes.
    case answer([UInt8])
    /// Sends these bytes and closes, after the other server has received this number of requests.
    case answerAfter([UInt8], requests: Int, of: KeyServer)
    /// Sends nothing, and waits until the client closes.
    case silence
    /// Sends a head, then a byte every 20 ms, until the client closes.
    case drip

    static func answer(_ text: String) -> Behavior { .answer(Array(text.utf8)) }

    /// A complete answer with these fields.
    static func answer(status: String = "200 OK", fields: [String] = [], body: [UInt8]) -> Behavior {
      .answer(message(status: status, fields: fields, body))
    }
  }

  /// A complete answer with these fields.
  static func message(status: String = "200 OK", fields: [String] = [], _ body: [UInt8]) -> [UInt8] {
    let head = ["HTTP/1.1 \(status)", "Content-Length: \(body.count)", "Connection: close"] + fields
    return Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
  }

  var port: UInt16 { connections.port }
  private let connections: LoopbackConnections
  private let behavior: Behavior
  private let tls: TLSServer?
  private let lock = NSLock()
  private var heads: [String] = []

  init(_ behavior: Behavior, tls: TLSServer? = nil) throws {
    self.behavior = behavior
    self.tls = tls
    connections = try LoopbackConnections()
    connections.start { [self] peer in serve(peer) }
  }

  /// The heads of the requests so far.
  var requests: [String] { lock.withLock { heads } }

  /// Stops the server; returns when its thread has ended.
  func stop() { connections.stop() }

  private func serve(_ peer: Int32) {
    guard let connection = TLSServer.connection(peer, tls) else { return }
    var head: [UInt8] = []
    while head.suffix(4) != Array("\r\n\r\n".utf8)[...] {
      guard let bytes = connection.read() else { return }
      head += bytes
    }
    lock.withLock { heads.append(String(decoding: head, as: UTF8.self)) }
    switch behavior {
    case .answer(let bytes): answer(bytes, connection, peer)
    case .answerAfter(let bytes, let count, let other):
      if HangLimit.wait(until: { other.requests.count >= count }) { answer(bytes, connection, peer) }
    case .silence:
      while connection.read() != nil {}
    case .drip: connection.drip(on: peer)
    }
  }

  private func answer(_ bytes: [UInt8], _ connection: any ServerConnection, _ peer: Int32) {
    guard connection.write(bytes) else { return }
    shutdown(peer, Int32(SHUT_WR))
    while connection.read() != nil {}
  }
}
