import DynamoDB
import DynamoDBStore
import Foundation
import Testing
import TestSupport
import UserStore
import UserStoreContract
import Withdrawals

/// A transport that gives each request minutes instead of ``Retry``'s two seconds.
///
/// moto answers one request at a time and copies the table for each transaction. On a busy machine the last of 200
/// requests waits longer than two seconds, and retries would make the queue longer. Timeouts are tested without moto
/// (`DynamoDBClientTests`, `ConnectionTests`), so here the limit only ends a hang.
struct LongTimeoutTransport: DynamoDBTransport {
  private var transport: ProcessTransport

  static let hangMilliseconds = Int64(HangLimit.milliseconds)

  init(_ transport: ProcessTransport) { self.transport = transport }

  mutating func send(_ call: DynamoDBCall) -> Result<DynamoDBAnswer, CallFailure> {
    transport.send(
      DynamoDBCall(
        operation: call.operation, body: call.body, connectMilliseconds: Self.hangMilliseconds,
        totalMilliseconds: Self.hangMilliseconds))
  }
}

/// The table of `make check-moto`.
enum Moto {
  static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

  static let isThere = variable("MOTO_ENDPOINT") != nil

  /// A client with its own process.
  static func client(endpoint: String) -> DynamoDBClient<LongTimeoutTransport, SystemPace> {
    let endpointVariable = endpoint
    let transport = ProcessTransport(
      executable: ProcessTransport.executable(beside: CommandLine.arguments[0]), allowsLoopbackHTTP: true
    ) { name in
      name == "AWS_ENDPOINT_URL_DYNAMODB" ? variable(endpointVariable) : variable(name)
    }
    return DynamoDBClient(
      table: variable("MOTO_TABLE") ?? "", transport: LongTimeoutTransport(transport), pace: SystemPace())
  }

  /// The store at this endpoint, for this many concurrent clients.
  static func store(endpoint: String, clients: Int) -> StoreUnderTest {
    StoreUnderTest(
      clients: clients, callMilliseconds: LongTimeoutTransport.hangMilliseconds,
      open: { DynamoDBStore(client(endpoint: endpoint)) },
      revocationMilliseconds: { subject in
        var client = client(endpoint: "MOTO_ENDPOINT")
        let key = Array("revocation#".utf8) + subject
        let deadline = client.deadline(afterMilliseconds: LongTimeoutTransport.hangMilliseconds)
        return try client.getItem(key, isConsistent: false, deadline: deadline)?.number("eventMilliseconds")
      },
      withdrawnMilliseconds: { key in
        var client = client(endpoint: "MOTO_ENDPOINT")
        let deadline = client.deadline(afterMilliseconds: LongTimeoutTransport.hangMilliseconds)
        let item = try client.getItem(try #require(key.itemKey), isConsistent: false, deadline: deadline)
        return item?.number("eventMilliseconds")
      })
  }

  /// All rules, or those whose names contain the text of `MOTO_RULE`.
  static let rules = StoreRule.all.filter { rule in variable("MOTO_RULE").map(rule.name.contains) ?? true }
}

@Suite(
  "DynamoDB store with moto", .serialized, .enabled(if: Moto.isThere, "make check-moto"))
struct MotoTests {
  @Test("MOTO_RULE, if set, matches rules")
  func rules() { #expect(!Moto.rules.isEmpty) }

  @Test("It follows the contract", arguments: Moto.rules)
  func keepsContract(_ rule: StoreRule) throws {
    #expect(try rule.findings(Moto.store(endpoint: "MOTO_ENDPOINT", clients: 200)) == [])
  }

  @Test(
    "It follows the contract with 24 % failing requests, half of them after they were performed",
    arguments: Moto.rules)
  func keepsContractWithFaults(_ rule: StoreRule) throws {
    #expect(try rule.findings(Moto.store(endpoint: "MOTO_FAULTY_ENDPOINT", clients: 200)) == [])
  }

  @Test("A nonce whose item has expired can be used again, even before DynamoDB deletes the item")
  func expiredNonce() throws {
    var store = DynamoDBStore(Moto.client(endpoint: "MOTO_ENDPOINT"))
    let digest = (0..<32).map { _ in UInt8.random(in: 0...255) }
    let expiry: Int64 = 1_795_000_000
    for (offset, isUsed) in [(-1, false), (0, true), (1, false)] {
      let signIn = SignIn(
        subject: Array("expiring".utf8), profile: UserProfile(), newIdentifier: Array("1".utf8),
        nonce: NonceUse(digest: digest, expiresAt: expiry), milliseconds: (expiry + Int64(offset)) * 1000)
      let deadline = Int64(Date().timeIntervalSince1970 * 1000) + LongTimeoutTransport.hangMilliseconds
      let outcome = try store.keep(signIn, deadlineMilliseconds: deadline)
      #expect((outcome == .nonceUsedBefore) == isUsed, "\(offset) s after its expiry")
    }
  }

  @Test("A missing table has its own error")
  func tableMissing() throws {
    let transport = ProcessTransport(
      executable: ProcessTransport.executable(beside: CommandLine.arguments[0]), allowsLoopbackHTTP: true
    ) { $0 == "AWS_ENDPOINT_URL_DYNAMODB" ? Moto.variable("MOTO_ENDPOINT") : Moto.variable($0) }
    var client = DynamoDBClient(table: "nowhere", transport: transport, pace: SystemPace())
    let deadline = client.deadline(afterMilliseconds: LongTimeoutTransport.hangMilliseconds)
    #expect(throws: DynamoDBError.tableMissing) {
      try client.getItem([0x61], isConsistent: false, deadline: deadline)
    }
  }
}
