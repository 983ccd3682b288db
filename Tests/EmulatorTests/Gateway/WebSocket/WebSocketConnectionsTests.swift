import Synchronization
import Testing

@testable import Emulator

/// The registry of open connections, without a server.
@Suite struct WebSocketConnectionsTests {
  typealias Stage = WebSocketStage

  @Test func findsAConnectionOfTheSameAPIAndStageOnly() throws {
    let apis = try ["Live", "Other"].map { try Stage.api([], name: $0) } + [Stage.api([], stage: "test")]
    var connections = WebSocketConnections()
    connections.open(Stage.session(apis[0]), Stage.link())
    #expect(apis.map { connections.entry(Stage.identifier, of: $0) != nil } == [true, false, false])
    #expect(connections.entry("CqT7gcXzDoECJuQ=") == nil)
    #expect(connections.remove(Stage.identifier) != nil)
    #expect(connections.remove(Stage.identifier) == nil)
    #expect(connections.count == 0)
  }

  /// Each step is a time in seconds since the handshake, and whether a message is sent then.
  @Test(
    arguments: [
      ([(599, false)], true), ([(600, false)], false), ([(599, true), (1198, false)], true),
      ([(599, true), (1199, false)], false),
      // A connection that is always in use ends after two hours.
      ((1...14).map { ($0 * 500, true) } + [(7199, false)], true),
      ((1...14).map { ($0 * 500, true) } + [(7200, false)], false),
      // The clock was moved back.
      ([(-3600, false)], true),
    ] as [([(Int64, Bool)], Bool)])
  func expiresAfterTenIdleMinutesOrTwoHours(_ steps: [(Int64, Bool)], _ isOpen: Bool) throws {
    var connections = WebSocketConnections()
    connections.open(Stage.session(try Stage.api([]), connectedAt: 1_000_000), Stage.link())
    for (seconds, isMessage) in steps {
      let now = 1_000_000 + seconds * 1000
      let expired = connections.takeExpired(at: now)
      #expect(expired.count == (connections.count == 0 ? 1 : 0))
      if isMessage { connections.touch(Stage.identifier, at: now) }
    }
    #expect((connections.count == 1) == isOpen)
  }

  @Test func aThousandConnectionsLeaveNothing() throws {
    let api = try Stage.api([])
    var connections = WebSocketConnections()
    for _ in 0..<1000 {
      let identifier = GatewayService.extendedRequestID()
      #expect(ConnectionsAPI.isConnectionID(identifier))
      connections.open(Stage.session(api, identifier), Stage.link())
      connections.touch(identifier, at: 1)
      connections.remove(identifier)
      connections.touch(identifier, at: 2)
    }
    #expect(connections.count == 0)
  }

  // MARK: Links

  @Test func aLinkHoldsABoundedNumberOfOutputsForASlowClient() async {
    let aborts = Mutex(0)
    let link = Stage.link { aborts.withLock { $0 += 1 } }
    let isSent = (0...WebSocketLink.waitingOutputs).map { link.send(.message([UInt8($0)])) }
    #expect(isSent == Array(repeating: true, count: WebSocketLink.waitingOutputs) + [false])
    // There is no room for the close frame either, so the connection is cut.
    link.close(.deleted)
    #expect(aborts.withLock { $0 } == 1)
    var outputs: [WebSocketLink.Output] = []
    for await output in link.outputs { outputs.append(output) }
    #expect(outputs == (0..<WebSocketLink.waitingOutputs).map { .message([UInt8($0)]) })
  }

  @Test func onlyTheFirstReasonToCloseCounts() async {
    let (aborted, announce) = AsyncStream.makeStream(of: Void.self)
    let link = Stage.link { announce.yield() }
    #expect(link.closure == nil)
    link.close(.expired)
    link.close(.lost)
    #expect(!link.send(.message([1])))
    #expect(link.closure == .expired)
    var outputs: [WebSocketLink.Output] = []
    for await output in link.outputs { outputs.append(output) }
    #expect(outputs == [.close(.expired)])
    // A client that does not close its connection is cut off.
    #expect(await aborted.first { _ in true } != nil)
  }
}
