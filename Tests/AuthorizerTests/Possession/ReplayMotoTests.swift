import DynamoDB
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Authorizer

/// `make check-moto`: many requests with one proof at the same time.
@Suite(
  "Replayed proofs with moto", .serialized,
  .enabled(if: ProcessInfo.processInfo.environment["MOTO_ENDPOINT"] != nil, "make check-moto"))
struct ReplayMotoTests {
  /// Gives each request minutes, because moto answers one at a time. Real limits are tested without moto.
  struct LongTimeoutTransport: DynamoDBTransport {
    var transport: ProcessTransport

    mutating func send(_ call: DynamoDBCall) -> Result<DynamoDBAnswer, CallFailure> {
      transport.send(
        DynamoDBCall(
          operation: call.operation, body: call.body, connectMilliseconds: Int64(HangLimit.milliseconds),
          totalMilliseconds: Int64(HangLimit.milliseconds)))
    }
  }

  /// A clock that stands still, so that no deadline passes.
  struct StandingPace: DynamoDBPace {
    private var system = SystemPace()
    let monotonicMilliseconds: Int64 = 5000
    let unixMilliseconds: Int64 = 1_795_255_200_000
    func pause(milliseconds: Int64) {}
    mutating func randomBits() -> UInt64 { system.randomBits() }
  }

  private static func tables(_ endpoint: String) -> ProofTables<LongTimeoutTransport, StandingPace> {
    ProofTables { table in
      let transport = ProcessTransport(
        executable: ProcessTransport.executable(beside: CommandLine.arguments[0]), allowsLoopbackHTTP: true
      ) { name in
        ProcessInfo.processInfo.environment[name == "AWS_ENDPOINT_URL_DYNAMODB" ? endpoint : name]
      }
      return DynamoDBClient(
        table: table.name, transport: LongTimeoutTransport(transport: transport), pace: StandingPace())
    }
  }

  @Test(
    "of 50 requests with one proof, one is allowed; also if a quarter of the writes fail, half of them after they were performed",
    arguments: ["MOTO_ENDPOINT", "MOTO_FAULTY_ENDPOINT"])
  func race(endpoint: String) throws {
    let table = ProcessInfo.processInfo.environment["MOTO_TABLE"] ?? ""
    let settings = try TestRules.settings(
      #""gatewayCache":"off""#,
      partner: #","proofOfPossession":{"dpop":{"replay":{"dynamoDB":{"table":"\#(table)"}}}}"#)
    let client = try ProvingClient.owner()
    let token = try TestRules.partnerToken(try client.binding())
    let proof = try client.proof(for: token, identifier: "race-" + endpoint + UUID().uuidString)
    let event = ProvenRequest("DPoP", token, [proof]).event(.http2)
    let reasons = Mutex<[ReasonCode?]>([])
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<50 {
      Thread.detachNewThread {
        var authorizer = Authorizer(
          settings: settings, transport: ScriptedTransport(), revocations: NoRevocationSource(),
          proofs: Self.tables(endpoint), at: TestIssuers.now)
        let reason = authorizer.decide(on: event, at: TestIssuers.now).reason
        reasons.withLock { $0.append(reason) }
        done.signal()
      }
    }
    for _ in 0..<50 { #expect(done.wait(timeout: HangLimit.dispatchTime) == .success) }
    let found = reasons.withLock { $0 }
    #expect(found.count { $0 == nil } == 1)
    #expect(found.count { $0 == .replayedProof } == 49)
  }
}
