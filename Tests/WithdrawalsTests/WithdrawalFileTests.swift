import Testing
import Withdrawals

@Suite("Withdrawals in a file")
struct WithdrawalFileTests {
  private static func key(_ kind: WithdrawalKey.Kind, _ value: String) -> WithdrawalKey {
    WithdrawalKey(issuer: Array("https://id.example.com".utf8), kind: kind, value: Array(value.utf8))
  }

  static let rows: [(String, [WithdrawalEntry])] = [
    (#"{"revocations":[]}"#, []),
    (
      #"{"revocations":[{"sub":"a\"b","eventMilliseconds":1700000000000}]}"#,
      [.subject(Array("a\"b".utf8), eventMilliseconds: 1_700_000_000_000)]
    ),
    (
      #"{"revocations":[{"issuer":"https://id.example.com","kind":"sid","value":"s1","eventMilliseconds":2},"#
        + #"{"sub":"2#x","eventMilliseconds":-1},"#
        + #"{"issuer":"https://id.example.com","kind":"origin_jti","value":"","eventMilliseconds":3}]}"#,
      [
        .withdrawal(Withdrawal(key(.session, "s1"), eventMilliseconds: 2)),
        .subject(Array("2#x".utf8), eventMilliseconds: -1),
        .withdrawal(Withdrawal(key(.lineage, ""), eventMilliseconds: 3)),
      ]
    ),
  ]

  @Test("both forms are read and written", arguments: rows)
  func forms(_ text: String, _ entries: [WithdrawalEntry]) {
    #expect(WithdrawalFile.entries(parsing: Array(text.utf8)) == entries)
    let bytes = WithdrawalFile.bytes(of: entries)
    #expect(String(decoding: bytes, as: UTF8.self) == text + "\n")
    #expect(bytes.starts(with: WithdrawalFile.beginning.utf8) == !entries.isEmpty)
  }

  @Test("members may have any order")
  func order() {
    let text =
      #"{"revocations":[{"value":"v","eventMilliseconds":2,"kind":"jti","issuer":"https://id.example.com"}]}"#
    #expect(
      WithdrawalFile.entries(parsing: Array(text.utf8))
        == [.withdrawal(Withdrawal(Self.key(.token, "v"), eventMilliseconds: 2))])
  }

  @Test(
    "a file with an entry of neither form is refused whole",
    arguments: [
      #"{"eventMilliseconds":1}"#, #"{"sub":"a"}"#, #"{"sub":"","eventMilliseconds":1}"#,
      #"{"sub":1,"eventMilliseconds":1}"#, #"{"sub":"a","eventMilliseconds":"1"}"#,
      #"{"sub":"a","eventMilliseconds":1.5}"#, #"{"sub":"a","eventMilliseconds":1,"until":2}"#, "null",
      #""a""#, "[]",
      #"{"issuer":"i","kind":"sid","value":"v"}"#, #"{"issuer":"i","kind":"sid","eventMilliseconds":1}"#,
      #"{"issuer":"","kind":"sid","value":"v","eventMilliseconds":1}"#,
      #"{"issuer":"i","kind":"SID","value":"v","eventMilliseconds":1}"#,
      #"{"issuer":"i","kind":"email","value":"v","eventMilliseconds":1}"#,
      #"{"issuer":"i","kind":"sid","value":1,"eventMilliseconds":1}"#,
      #"{"issuer":"i","kind":"sid","value":"v","eventMilliseconds":1,"sub":"a"}"#,
      #"{"issuer":"i","kind":"sid","sub":"v","eventMilliseconds":1}"#,
    ])
  func neither(_ entry: String) {
    let text = #"{"revocations":[{"sub":"good","eventMilliseconds":1},\#(entry)]}"#
    #expect(WithdrawalFile.entries(parsing: Array(text.utf8)) == nil)
  }

  @Test(
    "another text is no file of withdrawals",
    arguments: [
      "", "{}", "[]", #"{"revocations":{}}"#, #"{"revocations":[],"more":1}"#, #"{"revocations":[]"#,
    ])
  func another(_ text: String) {
    #expect(WithdrawalFile.entries(parsing: Array(text.utf8)) == nil)
  }
}
