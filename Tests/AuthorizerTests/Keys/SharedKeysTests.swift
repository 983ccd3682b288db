import Foundation
import KeyFetcher
import Synchronization
import TestSupport
import Testing

@testable import Authorizer
@testable import FunctionHost
@testable import IssuerKeys

@Suite("Workers that share keys", .hangLimit)
struct SharedKeysTests {
  /// A key server that answers on request.
  final class HeldTransport: KeyTransport, Sendable {
    private let document: [UInt8]
    private let asked = DispatchSemaphore(value: 0)
    private let gate = DispatchSemaphore(value: 0)
    private let count = Mutex(0)

    init(_ document: [UInt8]) { self.document = document }

    var fetches: Int { count.withLock { $0 } }

    func fetch(_ addresses: [KeyAddress], milliseconds: Int64) -> KeyFetches {
      count.withLock { $0 += addresses.count }
      asked.signal()
      _ = gate.wait(timeout: HangLimit.dispatchTime)
      return KeyFetches(
        results: addresses.map { _ in .document(document, maxAge: nil) }, elapsedMilliseconds: 1000)
    }

    /// Waits for one more fetch.
    func waitUntilAsked() -> Bool { asked.wait(timeout: HangLimit.dispatchTime) == .success }

    /// Answers one fetch.
    func answer() { gate.signal() }
  }

  /// A worker; belongs to one thread at a time.
  final class Worker: @unchecked Sendable {
    var authorizer: Authorizer<HeldTransport>
    private let ended = DispatchSemaphore(value: 0)
    private var reason: ReasonCode?

    init(_ authorizer: Authorizer<HeldTransport>) { self.authorizer = authorizer }

    /// Returns the reason of a decision; nil if it allows.
    func decide(_ event: [UInt8], milliseconds: Int64 = 8500) -> ReasonCode? {
      let time = InvocationTime(unixSeconds: TestIssuers.now, remainingMilliseconds: milliseconds)
      return authorizer.decide(on: event, at: time).reason
    }

    /// Decides on a new thread.
    func start(_ event: [UInt8]) {
      Thread.detachNewThread { [self] in
        reason = decide(event)
        ended.signal()
      }
    }

    /// Waits for the decision that `start` began.
    func finish() -> ReasonCode? {
      #expect(ended.wait(timeout: HangLimit.dispatchTime) == .success)
      return reason
    }
  }

  let transport: HeldTransport
  let workers: [Worker]
  let known: [UInt8]
  let unknown: [UInt8]

  /// Four workers with a seed that contains the key `a`; the issuer has published `b` too.
  init() throws {
    let now = TestIssuers.now
    transport = HeldTransport(try KeyHarness.keySet([TestKeys.a, TestKeys.b]))
    var source = InMemorySource(variables: [
      "AUTHORIZER_CONFIG": """
      {"issuers":[{"name":"partner","issuer":"https://id.example.com","audiences":["api"],
      "algorithms":["ES256"],"keys":{"url":"\(KeyHarness.address)","seed":"seed.json"}}]}
      """
    ])
    source.files["seed.json"] = .bytes(try KeyHarness.keySet([TestKeys.a], fetchedAt: now))
    let first = Authorizer(settings: try Settings(reading: source), transport: transport, at: now)
    workers = try [Worker(first)] + (1..<4).map { _ in Worker(try #require(first.forAnotherWorker())) }
    known = TestEvent.bytes(
      .restToken, token: try TestKeys.token(signedWith: TestKeys.a, kid: "a", now: now))
    unknown = TestEvent.bytes(
      .restToken, token: try TestKeys.token(signedWith: TestKeys.b, kid: "b", now: now))
  }

  @Test("workers wait for the one fetch in progress and all get its keys")
  func oneFetch() {
    workers[0].start(unknown)
    #expect(transport.waitUntilAsked())
    for worker in workers.dropFirst() { worker.start(unknown) }
    transport.answer()
    #expect(workers.map { $0.finish() } == [nil, nil, nil, nil])
    #expect(transport.fetches == 1)
    #expect(workers.map(\.authorizer.keyFetches) == [1, 0, 0, 0])
    #expect(workers[3].decide(unknown) == nil)
  }

  @Test("workers do not wait for a fetch that they do not need and start no second one after the response")
  func slowIssuer() {
    workers[0].start(unknown)
    #expect(transport.waitUntilAsked())
    for worker in workers.dropFirst() {
      #expect(worker.decide(known) == nil)
      worker.authorizer.refreshKeys(at: InvocationTime(unixSeconds: TestIssuers.now))
    }
    #expect(transport.fetches == 1)
    transport.answer()
    #expect(workers[0].finish() == nil)
  }

  @Test("a worker without time for another's fetch has no verdict and uses up no rate limit")
  func tooLate() {
    workers[0].start(unknown)
    #expect(transport.waitUntilAsked())
    for _ in 0..<5 { #expect(workers[1].decide(unknown, milliseconds: 620) == .keysUnavailable) }
    #expect(workers[1].decide(known) == nil)
    transport.answer()
    #expect(workers[0].finish() == nil)
    #expect(workers[1].decide(unknown, milliseconds: 620) == nil)
    #expect(transport.fetches == 1)
  }

  @Test("workers check a mismatched signature again with the keys of a fetch in progress")
  func otherMaterial() throws {
    let token = try TestKeys.token(signedWith: TestKeys.otherA, kid: "a", now: TestIssuers.now)
    let event = TestEvent.bytes(.restToken, token: token)
    workers[0].start(unknown)
    #expect(transport.waitUntilAsked())
    workers[1].start(event)
    workers[2].start(event)
    transport.answer()
    #expect(workers[0].finish() == nil)
    // A worker that arrives after the end of the fetch starts one more.
    transport.answer()
    transport.answer()
    #expect(workers[1].finish() == .signatureMismatch)
    #expect(workers[2].finish() == .signatureMismatch)
  }

  @Test("workers share notices, and each is returned once")
  func notices() throws {
    let broken = HeldTransport([])
    let source = InMemorySource(variables: [
      "AUTHORIZER_CONFIG": """
      {"issuers":[{"name":"partner","issuer":"https://id.example.com","audiences":["api"],
      "algorithms":["ES256"],"keys":{"url":"\(KeyHarness.address)"}}]}
      """
    ])
    broken.answer()
    let first = Authorizer(settings: try Settings(reading: source), transport: broken, at: TestIssuers.now)
    let second = try #require(first.forAnotherWorker())
    #expect(second.takeNotices().map(\.code) == ["keyFetchFailed"])
    #expect(first.takeNotices() == [])
    #expect(second.keyFetches == 0)
  }
}
