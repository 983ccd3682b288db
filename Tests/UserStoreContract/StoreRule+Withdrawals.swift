import UserStore
import Withdrawals

extension StoreRule {
  static let withdrawals = [
    StoreRule("a withdrawal ends its key, and no other issuer, kind or value") { rule in
      for kind in WithdrawalKey.Kind.allCases {
        let key = WithdrawalKey.fresh(kind)
        let others =
          WithdrawalKey.Kind.allCases.filter { $0 != kind }.map {
            WithdrawalKey(issuer: key.issuer, kind: $0, value: key.value)
          } + [
            WithdrawalKey(issuer: key.issuer + [0x2F], kind: kind, value: key.value),
            WithdrawalKey(issuer: key.issuer, kind: kind, value: key.value + [0x61]),
          ]
        rule.expect(try rule.withdraw([key], at: 5001), .recorded, "the answer")
        rule.expect(try rule.store.withdrawnMilliseconds(key), 5001, "\(kind)")
        for other in others { rule.expect(try rule.store.withdrawnMilliseconds(other), nil, "\(other)") }
      }
    },
    StoreRule("an order withdraws all of its keys, once for each identifier") { rule in
      let keys = [WithdrawalKey.fresh(.subject), .fresh(.subject), .fresh(.session)]
      let identifier = Fresh.identifier()
      rule.expect(try rule.withdraw(keys, at: 5000, identifier), .recorded, "first")
      rule.expect(try rule.withdraw(keys, at: 9000, identifier), .seenBefore, "again")
      let stranger = WithdrawalKey.fresh(.session)
      rule.expect(try rule.withdraw([stranger], at: 9000, identifier), .seenBefore, "another key")
      for key in keys { rule.expect(try rule.store.withdrawnMilliseconds(key), 5000, "\(key)") }
      rule.expect(try rule.store.withdrawnMilliseconds(stranger), nil, "the other key")
    },
    StoreRule("the latest event of a key applies in any order of arrival, with and without an identifier") {
      rule in
      for times in [[1, 2, 3], [3, 2, 1], [2, 3, 1], [3, 3, 3]] as [[Int64]] {
        for key in [WithdrawalKey.fresh(.subject), .fresh(.session), .apple(Fresh.subject())] {
          for (index, time) in times.enumerated() {
            let identifier = index == 1 ? nil : Fresh.identifier()
            rule.expect(try rule.withdraw([key], at: time, identifier), .recorded, "\(time) of \(times)")
          }
          rule.expect(try rule.store.withdrawnMilliseconds(key), 3, "\(times)")
        }
      }
    },
    StoreRule("an older event of one key does not keep that of another from being stored") { rule in
      let keys = [WithdrawalKey.fresh(.subject), .fresh(.subject)]
      _ = try rule.withdraw([keys[0]], at: 9000)
      rule.expect(try rule.withdraw(keys, at: 5000, Fresh.identifier()), .recorded, "the answer")
      rule.expect(try rule.store.withdrawnMilliseconds(keys[0]), 9000, "the later")
      rule.expect(try rule.store.withdrawnMilliseconds(keys[1]), 5000, "the other")
    },
    StoreRule("a user of Apple is withdrawn in both forms, whoever tells it, and cannot sign in") { rule in
      for isNotified in [true, false] {
        let subject = Fresh.subject()
        if isNotified {
          _ = try rule.record(AccountEvent(.revocation, of: subject, at: 5000))
        } else {
          _ = try rule.withdraw([.apple(subject)], at: 5000)
        }
        rule.expect(try rule.store.revocationMilliseconds(subject), 5000, "the first form")
        // A file keeps to the first form until it needs the second.
        _ = try rule.withdraw([.fresh(.session)], at: 1)
        rule.expect(try rule.store.withdrawnMilliseconds(.apple(subject)), 5000, "the second form")
        rule.expect(try rule.keep(SignIn(subject, issuedAt: 5000)), .revoked, "an older token")
        rule.expect(try rule.keep(SignIn(subject, issuedAt: 5001)).isCreation, true, "a later one")
      }
    },
    StoreRule("the forms of one user are independent: each has the latest event") { rule in
      let subject = Fresh.subject()
      _ = try rule.record(AccountEvent(.revocation, of: subject, at: 9000))
      _ = try rule.withdraw([.apple(subject), .fresh(.session)], at: 5000)
      rule.expect(try rule.store.revocationMilliseconds(subject), 9000, "the first form")
      rule.expect(try rule.store.withdrawnMilliseconds(.apple(subject)), 9000, "the second form")
    },
    StoreRule("a subject that begins with 2# has the second form only, and cannot sign in either") { rule in
      let subject = Array("2#".utf8) + Fresh.subject()
      _ = try rule.withdraw([.apple(subject)], at: 5000)
      rule.expect(try rule.store.revocationMilliseconds(subject), nil, "the first form")
      rule.expect(try rule.store.withdrawnMilliseconds(.apple(subject)), 5000, "the second form")
      rule.expect(try rule.keep(SignIn(subject, issuedAt: 5000)), .revoked, "an older token")
    },
    StoreRule("a user of another issuer has the second form only, and can sign in at Apple") { rule in
      let key = WithdrawalKey.fresh(.subject)
      _ = try rule.withdraw([key], at: 5000)
      rule.expect(try rule.store.revocationMilliseconds(key.value), nil, "the first form")
      rule.expect(try rule.keep(SignIn(key.value, issuedAt: 1)).isCreation, true, "the sign-in")
    },
    StoreRule("a withdrawal of a session expires 400 days after it was written, one of a user never") {
      rule in
      for (days, isExpired) in [(400, false), (401, true)] as [(Int64, Bool)] {
        let keys = [WithdrawalKey.fresh(.session), .fresh(.token), .fresh(.lineage), .fresh(.subject)]
        _ = try rule.withdraw(keys, at: 9000)
        // An older event replaces only what counts as absent.
        _ = try rule.withdraw(keys, at: 5000, afterSeconds: days * 86_400)
        for key in keys {
          let expected: Int64 = isExpired && key.kind != .subject ? 5000 : 9000
          rule.expect(try rule.store.withdrawnMilliseconds(key), expected, "\(key.kind) after \(days) days")
        }
      }
    },
    StoreRule("of 50 concurrent deliveries of one message, one is recorded") { rule in
      let order = WithdrawalOrder([.fresh(.session)], at: 5000, Fresh.identifier())
      let deadline = rule.deadline
      let results = rule.race(50) { client, _ in try client.withdraw(order, deadlineMilliseconds: deadline) }
      let answers = results.compactMap { try? $0.get() }
      rule.expect(answers.count { $0 == .recorded }, 1, "records")
      rule.expect(answers.count { $0 == .seenBefore }, 49, "repetitions")
    },
    StoreRule("of 50 concurrent writers of one key, the latest event applies") { rule in
      let subject = Fresh.subject()
      let deadline = rule.deadline
      let results = rule.race(50) { client, index in
        if index % 2 == 0 {
          return try client.record(
            AccountEvent(.revocation, of: subject, at: Int64(index)), deadlineMilliseconds: deadline)
        }
        let identifier = index % 3 == 0 ? nil : Fresh.identifier()
        return try client.withdraw(
          WithdrawalOrder([.apple(subject), .fresh(.session)], at: Int64(index), identifier),
          deadlineMilliseconds: deadline)
      }
      rule.expect(results.count { (try? $0.get()) == .recorded }, 50, "records")
      rule.expect(try rule.store.revocationMilliseconds(subject), 49, "the first form")
      rule.expect(try rule.store.withdrawnMilliseconds(.apple(subject)), 49, "the second form")
    },
  ]
}

extension WithdrawalKey {
  fileprivate static func fresh(_ kind: Kind) -> WithdrawalKey {
    WithdrawalKey(issuer: Array("https://id.example.com".utf8), kind: kind, value: Fresh.subject())
  }
}

extension WithdrawalOrder {
  fileprivate init(
    _ keys: [WithdrawalKey], at milliseconds: Int64, _ identifier: [UInt8]?, afterSeconds: Int64 = 0
  ) {
    self.init(
      identifier: identifier, keys.map { Withdrawal($0, eventMilliseconds: milliseconds) },
      receivedMilliseconds: Examination.time + afterSeconds * 1000)
  }
}

extension Examination {
  /// Stores withdrawals with a new client.
  fileprivate func withdraw(
    _ keys: [WithdrawalKey], at milliseconds: Int64, _ identifier: [UInt8]? = nil, afterSeconds: Int64 = 0
  ) throws -> Recording {
    var client = try store.open()
    return try client.withdraw(
      WithdrawalOrder(keys, at: milliseconds, identifier, afterSeconds: afterSeconds),
      deadlineMilliseconds: deadline)
  }
}
