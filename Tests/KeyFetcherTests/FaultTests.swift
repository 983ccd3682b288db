import Foundation
import KeyFetcher
import Testing
import TestSupport

@Suite("Fetches from working and failing servers")
struct FaultTests {
  private static let keys = Array(#"{"keys":[]}"#.utf8)

  struct Good: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let behavior: KeyServer.Behavior
    let keySet: KeySetResponse
  }

  static let good: [Good] = [
    Good(
      testDescription: "a key set with its age",
      behavior: .answer(fields: ["Cache-Control: public, max-age=600", "Age: 100"], body: keys),
      keySet: KeySetResponse(body: keys, maximumAgeSeconds: 500)),
    Good(
      testDescription: "no age", behavior: .answer(body: keys),
      keySet: KeySetResponse(body: keys, maximumAgeSeconds: nil)),
    Good(
      testDescription: "chunks",
      behavior: .answer(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{\"ke\r\n7\r\nys\":[]}\r\n0\r\n\r\n"),
      keySet: KeySetResponse(body: keys, maximumAgeSeconds: nil)),
    Good(
      testDescription: "HTML is delivered as it is",
      behavior: .answer(fields: ["Content-Type: text/html"], body: Array("<html>".utf8)),
      keySet: KeySetResponse(body: Array("<html>".utf8), maximumAgeSeconds: nil)),
    Good(
      testDescription: "an unrequested gzip body is not decompressed",
      behavior: .answer(fields: ["Content-Encoding: gzip"], body: [0x1F, 0x8B, 8, 0, 0]),
      keySet: KeySetResponse(body: [0x1F, 0x8B, 8, 0, 0], maximumAgeSeconds: nil)),
    Good(
      testDescription: "an empty body", behavior: .answer(body: []),
      keySet: KeySetResponse(body: [], maximumAgeSeconds: nil)),
    Good(
      testDescription: "exactly 256 KiB", behavior: .answer(body: [UInt8](repeating: 32, count: 262_144)),
      keySet: KeySetResponse(body: [UInt8](repeating: 32, count: 262_144), maximumAgeSeconds: nil)),
    Good(
      testDescription: "an early hint first",
      behavior: .answer(
        "HTTP/1.1 103 Early Hints\r\nCache-Control: max-age=1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
      ),
      keySet: KeySetResponse(body: Array("{}".utf8), maximumAgeSeconds: nil)),
  ]

  @Test("The body of a 200 is returned unchanged", arguments: good, Executables.all)
  func delivers(_ good: Good, executable: String) throws {
    let server = try KeyServer(good.behavior)
    defer { server.stop() }
    let result = try KeyFetcher(executable: executable).fetch("http://127.0.0.1:\(server.port)/a/../keys?p=1")
    #expect(result == .success(good.keySet))
    let head = try #require(server.requests.first)
    #expect(head.hasPrefix("GET /a/../keys?p=1 HTTP/1.1\r\n"))
    #expect(head.contains("\r\nAccept-Encoding: identity\r\n"))
    #expect(head.contains("\r\nUser-Agent: api-gateway-authorizer\r\n"))
    #expect(!head.lowercased().contains("\r\nauthorization:"))
    #expect(server.requests.count == 1)
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let behavior: KeyServer.Behavior
    let code: String
    var curlCode: Int?
    var totalMilliseconds = HangLimit.milliseconds
  }

  static let bad: [Bad] = [
    Bad(
      testDescription: "a server that sends nothing", behavior: .silence, code: "fetchTimeout", curlCode: 28,
      totalMilliseconds: 250),
    Bad(
      testDescription: "a very slow server", behavior: .drip, code: "fetchTimeout", curlCode: 28,
      totalMilliseconds: 250),
    Bad(
      testDescription: "an incomplete body",
      behavior: .answer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"), code: "fetchTransfer",
      curlCode: 18),
    Bad(
      testDescription: "an incomplete chunk",
      behavior: .answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n{"),
      code: "fetchTransfer",
      curlCode: 18),
    Bad(testDescription: "no answer at all", behavior: .answer([]), code: "fetchTransfer", curlCode: 52),
    Bad(
      testDescription: "not HTTP", behavior: .answer("{\"keys\":[]}\n"), code: "fetchTransfer", curlCode: 1),
    Bad(
      testDescription: "10 MB with Content-Length",
      behavior: .answer(body: [UInt8](repeating: 32, count: 10 << 20)), code: "fetchTooLarge"),
    Bad(
      testDescription: "10 MB without Content-Length",
      behavior: .answer(
        Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + [UInt8](repeating: 32, count: 10 << 20)),
      code: "fetchTooLarge"),
    Bad(
      testDescription: "one byte too many",
      behavior: .answer(Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + [UInt8](repeating: 32, count: 262_145)),
      code: "fetchTooLarge"),
    Bad(
      testDescription: "a huge head",
      behavior: .answer(
        fields: (0..<40).map { "X-\($0): " + String(repeating: "a", count: 1000) }, body: keys),
      code: "fetchTooLarge"),
  ]

  @Test("A failing server results in the class of its failure", arguments: bad, Executables.all)
  func fails(_ bad: Bad, executable: String) throws {
    let server = try KeyServer(bad.behavior)
    defer { server.stop() }
    let result = try KeyFetcher(executable: executable).fetch(
      "http://127.0.0.1:\(server.port)/", totalMilliseconds: bad.totalMilliseconds)
    #expect(result.error?.code == bad.code, "\(result)")
    #expect(result.error?.curlCode == bad.curlCode, "\(result)")
  }

  @Test(
    "A status other than 200 is an error for any size of the body",
    arguments: ["500 Internal Server Error", "404 Not Found", "429 Slow", "204 No Content", "206 Partial"])
  func refusesStatus(_ status: String) throws {
    let number = try #require(Int(status.prefix(3)))
    for size in [0, 10 << 20] where size == 0 || number != 204 {
      let server = try KeyServer(.answer(status: status, body: [UInt8](repeating: 32, count: size)))
      defer { server.stop() }
      let result = try KeyFetcher(executable: Executables.built).fetch("http://127.0.0.1:\(server.port)/")
      #expect(result == .failure(.status(number)))
    }
  }

  @Test("A redirect is not followed", arguments: [301, 302, 303, 307, 308], Executables.all)
  func doesNotFollow(_ status: Int, executable: String) throws {
    let other = try KeyServer(.answer(body: Self.keys))
    defer { other.stop() }
    let server = try KeyServer(
      .answer(
        status: "\(status) Elsewhere", fields: ["Location: http://127.0.0.1:\(other.port)/"], body: Self.keys)
    )
    defer { server.stop() }
    let result = try KeyFetcher(executable: executable).fetch("http://127.0.0.1:\(server.port)/")
    #expect(result == .failure(.redirect(status: status)))
    #expect(server.requests.count == 1)
    #expect(other.requests.isEmpty)
  }

  @Test("A refused connection is fetchConnect", arguments: Executables.all)
  func connectionRefused(executable: String) throws {
    let result = try KeyFetcher(executable: executable).fetch(
      "http://127.0.0.1:\(try LoopbackSocket.refusingPort())/")
    #expect(result.error?.code == "fetchConnect")
    #expect(result.error?.curlCode == 7)
  }

  // RFC 6761 §6.4: no name below `invalid` exists.
  @Test("An unknown host name is fetchNameResolution", arguments: Executables.all)
  func nameUnknown(executable: String) throws {
    let result = try KeyFetcher(executable: executable).fetch("https://name.invalid/")
    #expect(result.error?.code == "fetchNameResolution", "\(result)")
    #expect(result.error?.curlCode == 6)
  }
}
