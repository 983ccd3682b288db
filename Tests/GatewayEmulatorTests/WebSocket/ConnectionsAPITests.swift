@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
import JSON
import Synchronization
import Testing

/// `@connections`, compared with recorded answers.
@Suite struct ConnectionsAPITests {
  typealias Stage = WebSocketStage

  private struct Scene {
    let service: GatewayService
    let apis: [GatewayAPI]
    let link = Stage.link()
    private let lines = Lines()

    private final class Lines: Sendable { let records = Mutex<[AccessRecord]>([]) }

    init() throws {
      apis = try [Stage.api([]), Stage.api([], name: "Other")]
      let lines = lines
      service = GatewayService(gateway: Stage.gateway(apis), functions: [:]) { record in
        lines.records.withLock { $0.append(record) }
      }
      service.openSocket(Stage.session(apis[0], connectedAt: service.unixMilliseconds), link)
    }

    var records: [AccessRecord] { lines.records.withLock { $0 } }

    func send(
      _ method: String, _ path: String = "/live/%40connections/CqT7gcXzDoECJuw%3D", body: [UInt8] = [],
      origin: String? = nil, api: Int = 0
    ) throws -> GatewayResponse {
      let request = GatewayRequest(
        method: method, path: path, headers: origin.map { [.init("Origin", $0)] } ?? [], body: body)
      let identifier = try #require(ConnectionsAPI.connectionID(in: path, of: apis[api]))
      return ConnectionsAPI(service: service).answer(request, to: apis[api], identifier)
    }

    func outputs() async -> [WebSocketLink.Output] {
      link.close(.lost)
      var outputs: [WebSocketLink.Output] = []
      for await output in link.outputs { outputs.append(output) }
      return outputs
    }
  }

  @Test func postsAMessage() async throws {
    let scene = try Scene()
    let response = try scene.send("POST", body: Array("hello".utf8))
    #expect(response.status == 200)
    #expect(response.body == [])
    #expect(response.header("x-amzn-errortype") == nil)
    #expect(response.header("x-amz-apigw-id") != nil)
    #expect(scene.records.map(\.status) == [200])
    #expect(scene.records[0].line.contains("/live/%40connections/"))
    #expect(await scene.outputs().first == .message(Array("hello".utf8)))
  }

  @Test func describesAConnection() throws {
    let scene = try Scene()
    let response = try scene.send("GET", "/live/@connections/CqT7gcXzDoECJuw=")
    #expect(response.status == 200)
    let tree = try JSONTree(parsing: response.body)
    #expect(tree.names == ["identity", "connectedAt", "lastActiveAt"])
    #expect(tree["identity"] == .members(["sourceIp": .string("192.0.2.1"), "userAgent": .string("wscat")]))
  }

  @Test func deletesAConnection() async throws {
    let scene = try Scene()
    let response = try scene.send("DELETE")
    #expect(response.status == 204)
    #expect(response.body == [])
    for method in ["POST", "GET", "DELETE"] {
      let gone = try scene.send(method)
      #expect(gone.status == 410)
      #expect(gone.header("x-amzn-ErrorType") == "GoneException")
      #expect(gone.body == [])
    }
    #expect(await scene.outputs() == [.close(.deleted)])
  }

  @Test(arguments: [
    ("/live/%40connections/CqT7gcXzDoECJuQ%3D", 410, "GoneException"),
    ("/live/@connections/CqT7gcXzDoECJuw=test", 400, "BadRequestException"),
    ("/live/@connections/", 400, "BadRequestException"), ("/live/@connections/x", 400, "BadRequestException"),
    ("/live/@connections/CqT7gcXzDo%2FCJuw=", 400, "BadRequestException"),
  ]) func refusesOtherIDs(_ path: String, _ status: Int, _ type: String) throws {
    let response = try Scene().send("POST", path)
    #expect(response.status == status)
    #expect(response.header("x-amzn-errortype") == type)
  }

  @Test func namesAnInvalidID() throws {
    let response = try Scene().send("POST", "/live/@connections/WDGT8fY4joECJrQ=test")
    #expect(
      String(decoding: response.body, as: UTF8.self)
        == #"{"message":"Invalid connectionId: WDGT8fY4joECJrQ=test"}"#)
  }

  @Test func theConnectionOfAnotherAPIDoesNotExist() throws {
    let scene = try Scene()
    for method in ["POST", "GET", "DELETE"] { #expect(try scene.send(method, api: 1).status == 410) }
    #expect(scene.link.closure == nil)
    #expect(try scene.send("GET").status == 200)
  }

  @Test(arguments: [
    "/live/@connections", "/live/connections/x", "/test/@connections/CqT7gcXzDoECJuw=", "/",
    "/@connections/CqT7gcXzDoECJuw=", "/live/@connections/a/b",
  ]) func otherPathsAreNotItsOwn(_ path: String) throws {
    #expect(ConnectionsAPI.connectionID(in: path, of: try Stage.api([])) == nil)
  }

  @Test func limitsTheSizeOfAMessage() throws {
    let scene = try Scene()
    #expect(try scene.send("POST", body: [UInt8](repeating: 0x61, count: 128 << 10)).status == 200)
    let response = try scene.send("POST", body: [UInt8](repeating: 0x61, count: (128 << 10) + 1))
    #expect(response.status == 413)
    #expect(response.header("x-amzn-ErrorType") == "PayloadTooLargeException")
  }

  @Test func refusesMoreThanASlowClientCanTake() throws {
    let scene = try Scene()
    for _ in 0..<WebSocketLink.waitingOutputs {
      #expect(try scene.send("POST", body: [1]).status == 200)
    }
    let response = try scene.send("POST", body: [1])
    #expect(response.status == 429)
    #expect(response.header("x-amzn-ErrorType") == "LimitExceededException")
  }

  @Test(arguments: [
    ("https://evil.example", 403), ("null", 403), ("http://localhost.evil.example", 403),
    ("http://localhost:5173", 200),
  ]) func refusesPagesOfOtherMachines(_ origin: String, _ status: Int) async throws {
    let scene = try Scene()
    #expect(try scene.send("POST", body: [1], origin: origin).status == status)
    #expect(await scene.outputs().count == (status == 200 ? 2 : 1))
  }

  @Test func refusesOtherMethods() throws {
    #expect(try Scene().send("PUT").status == 404)
  }

  // MARK: The clock

  @Test func aMovedClockClosesAnIdleConnection() async throws {
    let scene = try Scene()
    #expect(scene.service.moveClock(bySeconds: 540))
    #expect(scene.link.closure == nil)
    #expect(scene.service.moveClock(bySeconds: 60))
    #expect(scene.link.closure == .expired)
    #expect(try scene.send("POST").status == 410)
    #expect(await scene.outputs() == [.close(.expired)])
  }
}
