@testable import LambdaRuntime

/// The answers of a Runtime API as bytes.
enum Answers {
  static func answer(_ status: Int, fields: [String] = [], body: String = "") -> [UInt8] {
    let lines = ["HTTP/1.1 \(status) X", "Content-Length: \(body.utf8.count)"] + fields
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
  }

  static func event(_ body: String = "{}", id: String = "r-1", fields: [String] = []) -> [UInt8] {
    answer(200, fields: ["Lambda-Runtime-Aws-Request-Id: \(id)"] + fields, body: body)
  }

  static let accepted = answer(202, body: #"{"status":"OK"}"#)

  static func refusal(_ status: Int) -> [UInt8] {
    answer(status, body: #"{"errorMessage":"said so","errorType":"Refused"}"#)
  }

  /// The detail that a client reads from the body of ``refusal(_:)``.
  static let refusalDetail = RefusalDetail(
    body: Array(#"{"errorMessage":"said so","errorType":"Refused"}"#.utf8))
}

/// Returns prepared pieces as the bytes of a connection, at most one piece for each call.
struct PreparedBytes: ByteSource {
  private var pieces: [[UInt8]]

  init(_ pieces: [[UInt8]]) { self.pieces = pieces.reversed() }

  mutating func receive(into buffer: inout [UInt8], at offset: Int) throws(SystemError) -> Int {
    guard var piece = pieces.popLast() else { return 0 }
    let room = buffer.count - offset
    if piece.count > room {
      pieces.append(Array(piece[room...]))
      piece = Array(piece[..<room])
    }
    buffer.replaceSubrange(offset..<(offset + piece.count), with: piece)
    return piece.count
  }
}

extension RuntimeAPI {
  /// A client of the test server. It checks its connection before each call, because a test server may close at any
  /// time.
  init(_ server: ScriptedServer, prefix: String = "", trustedNanoseconds: Int64 = 0) throws {
    self.init(
      endpoint: try RuntimeEndpoint(parsing: server.address + prefix), trustedNanoseconds: trustedNanoseconds)
  }
}

extension RuntimeAPIError {
  /// The error that `call` throws; nil if it throws none.
  static func thrown(by call: () throws(RuntimeAPIError) -> Void) -> RuntimeAPIError? {
    do throws(RuntimeAPIError) { try call() } catch { return error }
    return nil
  }
}
