@testable import EmulatorTestSupport
@testable import GatewayEmulator
import Synchronization
import Testing

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

  /// What happens at times in seconds since the handshake.
  struct Course: Sendable {
    /// When messages are sent.
    var messages: [Int64] = []
    /// When the connection is looked at.
    let end: Int64
    let isOpen: Bool
  }

  private static let courses: [Course] = [
    Course(end: 599, isOpen: true), Course(end: 600, isOpen: false),
    Course(messages: [599], end: 1198, isOpen: true), Course(messages: [599], end: 1199, isOpen: false),
    // A connection that is always in use ends after two hours.
    Course(messages: (1...14).map { $0 * 500 }, end: 7199, isOpen: true),
    Course(messages: (1...14).map { $0 * 500 }, end: 7200, isOpen: false),
    // The clock was moved back.
    Course(end: -3600, isOpen: true),
  ]

  @Test(arguments: courses) func expiresAfterTenIdleMinutesOrTwoHours(_ course: Course) throws {
    var connections = WebSocketConnections()
    connections.open(Stage.session(try Stage.api([]), connectedAt: 1_000_000), Stage.link())
    for seconds in course.messages {
      let now = 1_000_000 + seconds * 1000
      #expect(connections.takeExpired(at: now).isEmpty)
      connections.touch(Stage.identifier, at: now)
    }
    let expired = connections.takeExpired(at: 1_000_000 + course.end * 1000)
    #expect(expired.isEmpty == course.isOpen)
    #expect((connections.count == 1) == course.isOpen)
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
