import POSIX
import TestSupport
import Testing

@testable import LambdaRuntime

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A thread whose system calls can be interrupted.
private struct InterruptibleThread: @unchecked Sendable {
  private let thread: pthread_t

  /// The calling thread, with SIGUSR1 unblocked, since test threads start with all signals blocked. SIGUSR1 only
  /// interrupts system calls.
  static func current() -> InterruptibleThread {
    signal(SIGUSR1) { _ in }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGUSR1)
    _ = unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    return InterruptibleThread(thread: pthread_self())
  }

  func interrupt() { pthread_kill(thread, SIGUSR1) }
}

@Suite("The connection to the Runtime API")
struct HTTPConnectionTests {
  static let invocation: [ScriptedServer.Step] = [
    .takeRequest, .send(Answers.event()), .takeRequest, .send(Answers.accepted),
  ]

  @Test("ten thousand invocations use one connection and one descriptor")
  func keepAlive() throws {
    let count = 10_000
    let script = Array(repeating: Self.invocation, count: count).flatMap(\.self) + [.expectEnd]
    let server = try #require(ScriptedServer([script]))
    do {
      var api = try RuntimeAPI(server)
      var descriptors: Set<Int32?> = []
      for _ in 0..<count {
        _ = try api.respond(to: try api.next(), with: Array("{}".utf8))
        descriptors.insert(api.idleDescriptor)
      }
      #expect(descriptors.count == 1)
      #expect(!descriptors.contains(nil))
    }
    let recording = server.finish()
    #expect(recording.problems == [])
    #expect(recording.connections.map(\.count) == [2 * count])
  }

  @Test(
    "a connection that the server ends is closed, and a new one is opened",
    arguments: [
      Answers.event(fields: ["Connection: close"]),
      Array("HTTP/1.0 200 OK\r\nContent-Length: 2\r\nLambda-Runtime-Aws-Request-Id: r-1\r\n\r\n{}".utf8),
      Answers.event() + Array("HTTP/1.1 408 Request Timeout\r\n\r\n".utf8),
    ])
  func connectionClose(_ answer: [UInt8]) throws {
    let server = try #require(
      ScriptedServer([
        [.takeRequest, .send(answer), .expectEnd], [.takeRequest, .send(Answers.accepted), .expectEnd],
      ]))
    do {
      var api = try RuntimeAPI(server)
      let invocation = try api.next()
      #expect(api.idleDescriptor == nil)
      #expect(try api.respond(to: invocation, with: []) == .accepted)
    }
    let recording = server.finish()
    #expect(recording.problems == [])
    #expect(recording.connections.map(\.count) == [1, 1])
  }

  @Test("a body without a length ends with its connection, and the next call uses a new one")
  func bodyUntilClose() throws {
    let answer = "HTTP/1.1 200 OK\r\nLambda-Runtime-Aws-Request-Id: r-1\r\n\r\n{\"a\":1}"
    let server = try #require(
      ScriptedServer([[.takeRequest, .send(Array(answer.utf8))], [.takeRequest, .send(Answers.accepted)]]))
    var api = try RuntimeAPI(server)
    let invocation = try api.next()
    #expect(invocation.event == Array("{\"a\":1}".utf8))
    #expect(try api.respond(to: invocation, with: []) == .accepted)
    #expect(server.finish().problems == [])
  }

  @Test(
    "a reused connection that is closed before a POST is sent is replaced once", arguments: [false, true])
  func deadBeforePost(_ byReset: Bool) throws {
    let server = try #require(
      ScriptedServer([
        [.takeRequest, .send(Answers.event())] + (byReset ? [.reset] : []),
        [.takeRequest, .send(Answers.accepted)],
      ]))
    var api = try RuntimeAPI(server)
    let invocation = try api.next()
    server.waitUntilClosed(1)
    #expect(try api.respond(to: invocation, with: []) == .accepted)
    let recording = server.finish()
    #expect(recording.problems == [])
    #expect(recording.connections.map(\.count) == [1, 1])
  }

  @Test("a recently used connection is not checked, and a POST that is lost on it is not retried")
  func trustedPost() throws {
    let server = try #require(
      ScriptedServer([
        [.takeRequest, .send(Answers.event())], [.takeRequest, .send(Answers.accepted)],
      ]))
    var api = try RuntimeAPI(server, trustedNanoseconds: .max)
    let invocation = try api.next()
    server.waitUntilClosed(1)
    var error: RuntimeAPIError?
    do throws(RuntimeAPIError) { _ = try api.respond(to: invocation, with: []) } catch let thrown {
      error = thrown
    }
    guard case .transport(.response, .connectionLost) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    // The second connection is only this one.
    var probe = try RuntimeAPI(server)
    _ = try probe.reportInitializationFailure(ErrorDocument(type: .function("probe"), message: ""))
    #expect(server.finish().connections.map(\.count) == [1, 1])
  }

  @Test("a /next that is lost on a recently used connection is retried once")
  func trustedNext() throws {
    let server = try #require(
      ScriptedServer([Self.invocation, [.takeRequest, .send(Answers.event(id: "r-2"))]]))
    var api = try RuntimeAPI(server, trustedNanoseconds: .max)
    _ = try api.respond(to: try api.next(), with: [])
    server.waitUntilClosed(1)
    #expect(try api.next().context.requestID == "r-2")
    #expect(server.finish().connections.map(\.count) == [2, 1])
  }

  @Test("unexpected bytes are not used as the answer to the next call")
  func unsolicitedBytes() throws {
    let stray = Answers.event("{\"stray\":true}", id: "stray")
    let server = try #require(
      ScriptedServer([
        Self.invocation + [.awaitTest, .send(stray)], [.takeRequest, .send(Answers.event(id: "real"))],
      ]))
    var api = try RuntimeAPI(server)
    _ = try api.respond(to: try api.next(), with: [])
    server.proceed()
    server.waitUntilClosed(1)
    let invocation = try api.next()
    #expect(invocation.context.requestID == "real")
    #expect(server.finish().problems == [])
  }

  @Test("a /next that is lost on a reused connection is retried once", arguments: [false, true])
  func lostNext(_ byReset: Bool) throws {
    let server = try #require(
      ScriptedServer([
        Self.invocation + [.takeRequest] + (byReset ? [.reset] : []),
        [.takeRequest, .send(Answers.event(id: "r-2"))],
      ]))
    var api = try RuntimeAPI(server)
    _ = try api.respond(to: try api.next(), with: [])
    let invocation = try api.next()
    #expect(invocation.context.requestID == "r-2")
    #expect(server.finish().connections.map(\.count) == [3, 1])
  }

  @Test("a /next is sent twice at most")
  func lostNextTwice() throws {
    let server = try #require(ScriptedServer([Self.invocation + [.takeRequest], [.takeRequest]]))
    var api = try RuntimeAPI(server)
    _ = try api.respond(to: try api.next(), with: [])
    let error = RuntimeAPIError.thrown { () throws(RuntimeAPIError) in _ = try api.next() }
    #expect(error == .transport(.next, .connectionLost(errorNumber: 0)))
    #expect(server.finish().connections.map(\.count) == [3, 1])
  }

  @Test("a /next with a partial answer is not retried")
  func brokenNext() throws {
    let begun = ScriptedServer.Step.send(Array("HTTP/1.1 2".utf8))
    let server = try #require(ScriptedServer([Self.invocation + [.takeRequest, begun]]))
    var api = try RuntimeAPI(server)
    _ = try api.respond(to: try api.next(), with: [])
    let error = RuntimeAPIError.thrown { () throws(RuntimeAPIError) in _ = try api.next() }
    #expect(error == .transport(.next, .connectionLost(errorNumber: 0)))
    #expect(server.finish().connections.map(\.count) == [3])
  }

  @Test("a sent POST is never retried")
  func lostPost() throws {
    let server = try #require(ScriptedServer([[.takeRequest, .send(Answers.event()), .takeRequest]]))
    var api = try RuntimeAPI(server)
    let invocation = try api.next()
    // The server no longer listens, so a second POST would fail with `connectFailed`.
    var error: RuntimeAPIError?
    do throws(RuntimeAPIError) { _ = try api.respond(to: invocation, with: []) } catch let thrown {
      error = thrown
    }
    #expect(error == .transport(.response, .connectionLost(errorNumber: 0)))
    #expect(server.finish().connections.map(\.count) == [2])
  }

  @Test("a POST that a signal interrupts continues at the same byte")
  func interruptedPost() throws {
    // More than the kernel buffers, so that the client waits in a system call.
    var body: [UInt8] = []
    for block in 0..<16 * 1024 { body += [UInt8](repeating: UInt8(block & 0xFF), count: 1024) }
    let client = InterruptibleThread.current()
    let server = try #require(
      ScriptedServer([
        [
          .takeRequest, .send(Answers.event()), .takeBytes(1 << 16), .call { client.interrupt() },
          .takeRequest,
          .send(Answers.accepted),
        ]
      ]))
    var api = try RuntimeAPI(server)
    #expect(try api.respond(to: try api.next(), with: body) == .accepted)
    let post = try #require(server.finish().requests.last)
    // Compared outside the macro, which would search for the difference for minutes.
    let isWhole = Array(post.bytes.suffix(body.count)) == body
    #expect(isWhole)
    #expect(post.bytes.count - body.count < 400)
  }

  @Test("a refused connection is an error without a retry")
  func connectionRefused() throws {
    let server = try #require(ScriptedServer([[.takeRequest, .send(Answers.event())]]))
    var api = try RuntimeAPI(server)
    _ = try api.next()
    _ = server.finish()
    let error = RuntimeAPIError.thrown { () throws(RuntimeAPIError) in _ = try api.next() }
    guard case .transport(.next, .connectFailed(let number)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(SystemCalls.text(ofError: number) == "Connection refused")
  }

  static let hasIPv6 = ScriptedServer([[]], family: .ipv6) != nil

  @Test(
    "IPv6 is supported as an address and as the second address of localhost",
    .enabled(if: hasIPv6, "this machine has no IPv6 loopback"), arguments: ["[::1]", "localhost"])
  func ipv6(_ host: String) throws {
    let server = try #require(ScriptedServer([Self.invocation], family: .ipv6))
    var api = RuntimeAPI(endpoint: try RuntimeEndpoint(parsing: "http://\(host):\(server.port)"))
    #expect(try api.respond(to: try api.next(), with: []) == .accepted)
    #expect(server.finish().requests.first?.values("host") == ["\(host):\(server.port)"])
  }
}
