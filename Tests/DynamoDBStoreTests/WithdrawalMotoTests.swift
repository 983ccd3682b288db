import DynamoDB
import Testing
import Withdrawals

@Suite("Withdrawals with moto", .serialized, .enabled(if: Moto.isThere, "make check-moto"))
struct WithdrawalMotoTests {
  private static let seconds: Int64 = 1_795_000_000

  private static func withdrawal(
    _ kind: WithdrawalKey.Kind, _ value: String, _ event: Int64
  ) -> Withdrawal {
    let issuer = Array("https://id.example.com".utf8)
    return Withdrawal(
      WithdrawalKey(issuer: issuer, kind: kind, value: Array(value.utf8)), eventMilliseconds: event)
  }

  @Test(
    "what was acknowledged is read in one batch, and an older event never replaces a later one",
    arguments: ["MOTO_ENDPOINT", "MOTO_FAULTY_ENDPOINT"])
  func writesAndReads(_ endpoint: String) throws {
    var client = Moto.client(endpoint: endpoint)
    let (user, session) = ("user of \(endpoint)", "session of \(endpoint)")
    let first = try #require(WithdrawalKey.firstItemKey(of: Array(user.utf8)))
    let keys = try [
      #require(Self.withdrawal(.subject, user, 0).key.itemKey), first,
      #require(Self.withdrawal(.session, session, 0).key.itemKey),
      #require(Self.withdrawal(.token, session, 0).key.itemKey),
    ]
    func events() throws -> [Int64?] {
      try client.batchGetItem(keys, deadline: Moto.deadline(client)).map { item in
        try item.flatMap { try Withdrawal.eventMilliseconds(in: $0, at: Self.seconds) }
      }
    }
    func withdraw(_ withdrawal: Withdrawal) throws {
      let writes = try #require(withdrawal.writes(at: Self.seconds, isApple: true))
      _ = try client.withdraw(writes, deadline: Moto.deadline(client))
    }
    #expect(try events() == [nil, nil, nil, nil])
    try withdraw(Self.withdrawal(.subject, user, 7))
    try withdraw(Self.withdrawal(.session, session, 9))
    #expect(try events() == [7, 7, 9, nil])
    try withdraw(Self.withdrawal(.subject, user, 6))
    #expect(try events() == [7, 7, 9, nil])
    try withdraw(Self.withdrawal(.subject, user, 8))
    #expect(try events() == [8, 8, 9, nil])
    let deletions = try #require(Self.withdrawal(.subject, user, 0).deletions(isApple: true))
    try client.transactWrite(deletions, deadline: Moto.deadline(client))
    #expect(try events() == [nil, nil, 9, nil])
  }

  @Test("an expired session is absent, and is withdrawn again by an older event")
  func expiry() throws {
    var client = Moto.client(endpoint: "MOTO_ENDPOINT")
    let late = Self.withdrawal(.session, "expired", 9)
    let key = try #require(late.key.itemKey)
    let then = Self.seconds - Withdrawal.keptSeconds - 1
    _ = try client.withdraw(
      try #require(late.writes(at: then, isApple: false)), deadline: Moto.deadline(client))
    func event() throws -> Int64? {
      let item = try client.batchGetItem([key], deadline: Moto.deadline(client))[0]
      return try item.flatMap { try Withdrawal.eventMilliseconds(in: $0, at: Self.seconds) }
    }
    #expect(try event() == nil)
    let old = Self.withdrawal(.session, "expired", 5)
    #expect(
      try client.withdraw(
        try #require(old.writes(at: Self.seconds, isApple: false)), deadline: Moto.deadline(client)))
    #expect(try event() == 5)
  }
}

extension Moto {
  static func deadline(_ client: DynamoDBClient<LongTimeoutTransport, SystemPace>) -> Int64 {
    client.deadline(afterMilliseconds: LongTimeoutTransport.hangMilliseconds)
  }
}
