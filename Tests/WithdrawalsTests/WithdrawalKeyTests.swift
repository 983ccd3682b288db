import Testing
import Withdrawals

@Suite("What a withdrawal ends")
struct WithdrawalKeyTests {
  /// A key, and its digest by Python's hashlib over `struct.pack(">I", len(x)) + x` of each part.
  struct Row: Sendable {
    let (issuer, kind, value): (String, WithdrawalKey.Kind, String)
    let digest: String

    init(_ issuer: String, _ kind: WithdrawalKey.Kind, _ value: String, _ digest: String) {
      (self.issuer, self.kind, self.value, self.digest) = (issuer, kind, value, digest)
    }
  }

  static let rows = [
    Row(
      "https://id.example.com", .subject, "alice",
      "b49729428b8dd4ff432368f4ab70b22d018834a35709998d257fab0ac5e235a1"),
    Row(
      "https://id.example.com", .session, "alice",
      "0a17490686549d708cb249be58700ab9cd7da870de8e8e1221a7665a4bd744aa"),
    Row(
      "https://id.example.com", .token, "alice",
      "0a8803b9f11f3beff65492f26eb7823dff87b787f1f3a700be6a166d117f7c4a"),
    Row(
      "https://id.example.com", .lineage, "alice",
      "3594a04e229b645443393ec4ecb203678692d786fe8c6b8e8733d2918e2b16b9"),
    Row(
      "https://id.example.com/", .subject, "alice",
      "6828eae57aeda1716a368f81748a36656badee5b575cf14d784fffb443469b49"),
    Row(
      "https://id.example.com", .subject, "",
      "4e14cfde3df301ac488d6faa6a60a05eadaddba517b923edce6ab6ec36d2c29d"),
    Row(
      "https://id.example.com", .subject, "Zoë\0𝄞",
      "01e307cc45a981d0c98d6443d57f6a7db2563dc8d1ef8217e6405eb9fd0aa948"),
    Row("a", .subject, "bc", "583383bdc853dad89d16f9c46ad9855c84e2fd715252fb5b2f7fd335d50b0cf7"),
    Row("as", .subject, "bc", "3f1d523e20c5f1a22f60076f28e2bf09dae8af8913e3837d576324482deffa74"),
    Row(
      "https://id.example.com", .subject, String(repeating: "x", count: 70_000),
      "b11adf7ac3e50c82a016b2fc2cd82f4f4dc63639c6eb95d3094cc90f8dcfc207"),
  ]

  @Test("the item's key is the digest of issuer, kind and value with their lengths", arguments: rows)
  func itemKey(_ row: Row) {
    let key = WithdrawalKey(issuer: Array(row.issuer.utf8), kind: row.kind, value: Array(row.value.utf8))
    #expect(key.itemKey == Array("revocation#2#\(row.digest)".utf8))
  }

  @Test(
    "a subject's item of the first form cannot be one of the second form",
    arguments: [
      ("001482.5f2b.0917", "revocation#001482.5f2b.0917"), ("2", "revocation#2"), ("#2#", "revocation##2#"),
      ("2#", nil), ("2#b49729428b8dd4ff432368f4ab70b22d018834a35709998d257fab0ac5e235a1", nil),
    ] as [(String, String?)])
  func firstItemKey(_ subject: String, _ key: String?) {
    #expect(WithdrawalKey.firstItemKey(of: Array(subject.utf8)) == key.map { Array($0.utf8) })
  }

  @Test(
    "a kind is named after its claim",
    arguments: [
      ("sub", .subject), ("sid", .session), ("jti", .token), ("origin_jti", .lineage), ("SUB", nil),
      ("", nil),
      ("sub ", nil), ("event_id", nil),
    ] as [(String, WithdrawalKey.Kind?)])
  func kind(_ name: String, _ kind: WithdrawalKey.Kind?) {
    #expect(WithdrawalKey.Kind(claim: Array(name.utf8)) == kind)
    if let kind { #expect(kind.claim == name) }
  }
}
