import Foundation
import LoopbackTLS
import TestSupport

/// A proxy on a port between `smoke` and `serve`: it takes `CONNECT`, ends TLS with a certificate for the hosts of AWS, and
/// changes answers. It knows bytes of HTTP/1.1 only, and shares no code with the gateway.
final class ChangingProxy: @unchecked Sendable {
  /// A message of HTTP/1.1.
  struct Message: Sendable {
    var line: String
    var fields: [(name: String, value: String)]
    var body: [UInt8] = []

    init(_ line: String, _ fields: [(name: String, value: String)], body: String = "") {
      (self.line, self.fields, self.body) = (line, fields, Array(body.utf8))
    }

    /// Returns `nil` if the head is not complete.
    init?(_ bytes: [UInt8]) {
      guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
      let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
      line = lines[0]
      fields = lines.dropFirst().compactMap { line in
        line.firstIndex(of: ":").map { colon in
          let value = line[line.index(after: colon)...]
          return (String(line[..<colon]), value.trimmingCharacters(in: .whitespaces))
        }
      }
      body = Array(bytes[end.upperBound...])
    }

    var bytes: [UInt8] {
      Array((([line] + fields.map { "\($0.name): \($0.value)" }).joined(separator: "\r\n") + "\r\n\r\n").utf8)
        + body
    }

    /// The first value of a field; setting it replaces all values, and `nil` removes them.
    subscript(name: String) -> String? {
      get { fields.first { $0.name.lowercased() == name.lowercased() }?.value }
      set {
        fields.removeAll { $0.name.lowercased() == name.lowercased() }
        if let newValue { fields.append((name, newValue)) }
      }
    }
  }

  typealias Change = @Sendable (_ request: Message, _ answer: inout Message) -> Void

  private let connections: LoopbackConnections
  private let tls: TLSServer
  private let gateway: UInt16
  private let hosts: [String: String]
  private let change: Change
  private let lock = NSLock()
  private var heads: [String] = []
  private var requests = 0

  /// - Parameters:
  ///   - gateway: the port of `serve`.
  ///   - hosts: the name of the API in the template, by its host.
  ///   - authorityFile: the file for the certificate that clients must trust.
  init(
    to gateway: Int, hosts: [String: String], authorityFile: String, changing change: @escaping Change
  ) throws {
    tls = try TLSServer(
      .init(names: hosts.keys.sorted().map { "DNS:" + $0 }.joined(separator: ",")),
      authorityFile: authorityFile)
    (self.gateway, self.hosts, self.change) = (UInt16(gateway), hosts, change)
    connections = try LoopbackConnections()
    connections.start { [self] in serve($0) }
  }

  var port: UInt16 { connections.port }
  /// What clients sent in plain text.
  var plainHeads: [String] { lock.withLock { heads } }
  /// How many requests reached the gateway.
  var passed: Int { lock.withLock { requests } }

  /// Stops the proxy; returns when its thread has ended.
  func stop() { connections.stop() }

  private func serve(_ peer: Int32) {
    let plain = LoopbackConnection(descriptor: peer)
    guard let connect = Self.message(from: plain) else { return }
    lock.withLock { heads.append(String(decoding: connect.bytes, as: UTF8.self)) }
    guard connect.line.hasPrefix("CONNECT "), plain.write(Array("HTTP/1.1 200 OK\r\n\r\n".utf8)),
      let client = TLSServer.connection(peer, tls), let request = Self.message(from: client),
      var answer = answer(of: request)
    else { return }
    change(request, &answer)
    answer["Content-Length"] = String(answer.body.count)
    _ = client.write(answer.bytes)
  }

  private func answer(of request: Message) -> Message? {
    guard let api = hosts[request["Host"] ?? ""],
      let descriptor = try? LoopbackSocket.connected(port: gateway)
    else { return nil }
    defer { close(descriptor) }
    var inner = request
    inner.line = request.line.replacing(" /", with: " /\(api)/", maxReplacements: 1)
    inner["Host"] = "127.0.0.1:\(gateway)"
    inner["Connection"] = "close"
    let connection = LoopbackConnection(descriptor: descriptor)
    guard connection.write(inner.bytes) else { return nil }
    lock.withLock { requests += 1 }
    var bytes: [UInt8] = []
    while let more = connection.read() { bytes += more }
    return Message(bytes)
  }

  /// Reads the head of a request, which has no body.
  private static func message(from connection: any ServerConnection) -> Message? {
    var bytes: [UInt8] = []
    while true {
      if let message = Message(bytes) { return message }
      guard let more = connection.read() else { return nil }
      bytes += more
    }
  }
}
