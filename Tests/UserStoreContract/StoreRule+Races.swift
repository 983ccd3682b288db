import UserStore

extension StoreRule {
  static let races = [
    StoreRule("of 200 concurrent first sign-ins of one subject, one creates the user") { rule in
      let subject = Fresh.subject()
      let deadline = rule.deadline
      let results = rule.race(200) { client, _ in
        try client.keep(SignIn(subject, nonce: Fresh.nonce()), deadlineMilliseconds: deadline)
      }
      let outcomes = rule.outcomes(results)
      rule.expect(outcomes.count, 200, "sign-ins")
      rule.expect(outcomes.count { $0.isCreation }, 1, "creations")
      rule.expect(outcomes.count { $0.user == nil }, 0, "nonces used before")
      rule.expect(Set(outcomes.compactMap(\.user?.identifier)).count, 1, "identifiers")
      rule.expect(try rule.user(subject)?.identifier, outcomes.first?.user?.identifier, "the user")
    },
    StoreRule("of 50 concurrent sign-ins with one nonce, one succeeds and creates a user") { rule in
      let nonce = Fresh.nonce()
      let subjects = (0..<50).map { Fresh.subject("\($0)") }
      let deadline = rule.deadline
      let results = rule.race(50) { client, index in
        try client.keep(SignIn(subjects[index], nonce: nonce), deadlineMilliseconds: deadline)
      }
      let outcomes = rule.outcomes(results)
      rule.expect(outcomes.count { $0.isCreation }, 1, "creations")
      rule.expect(outcomes.count { $0 == .nonceUsedBefore }, 49, "refusals")
      rule.expect(try subjects.count { try rule.user($0) != nil }, 1, "users")
    },
    StoreRule("of 50 concurrent sign-ins of a known user with one nonce, one succeeds") { rule in
      let nonce = Fresh.nonce()
      let subject = Fresh.subject()
      _ = try rule.keep(SignIn(subject))
      let deadline = rule.deadline
      let outcomes = rule.outcomes(
        rule.race(50) { client, _ in
          try client.keep(SignIn(subject, nonce: nonce), deadlineMilliseconds: deadline)
        })
      rule.expect(outcomes.count { $0.user != nil }, 1, "successes")
      rule.expect(outcomes.count { $0 == .nonceUsedBefore }, 49, "refusals")
    },
    StoreRule("concurrent sign-ins lose no data: the first name stays, other values are added") {
      rule in
      let subject = Fresh.subject()
      _ = try rule.keep(SignIn(subject))
      let deadline = rule.deadline
      let outcomes = rule.outcomes(
        rule.race(30) { client, index in
          let profile = UserProfile {
            switch index % 3 {
            case 0: $0.givenName = Array("Name \(index)".utf8)
            case 1: $0.relayEmail = Array("\(index)@privaterelay.appleid.com".utf8)
            default: $0.transferSubject = Array("transfer \(index)".utf8)
            }
          }
          return try client.keep(SignIn(subject, profile), deadlineMilliseconds: deadline)
        })
      let names = Set(outcomes.compactMap(\.user?.profile.givenName))
      rule.expect(names.count, 1, "returned first names")
      let user = try rule.user(subject)
      rule.expect(user?.profile.givenName, names.first, "the first name")
      rule.expect(user?.profile.relayEmail != nil, true, "the relay address exists")
      rule.expect(user?.profile.transferSubject != nil, true, "the transfer subject exists")
    },
    StoreRule("of 50 concurrent deliveries of one event, one is recorded") { rule in
      let event = AccountEvent(.revocation, of: Fresh.subject(), at: 5000)
      let deadline = rule.deadline
      let answers = rule.outcomes(
        rule.race(50) { client, _ in try client.record(event, deadlineMilliseconds: deadline) })
      rule.expect(answers.count { $0 == .recorded }, 1, "records")
      rule.expect(answers.count { $0 == .seenBefore }, 49, "repetitions")
      rule.expect(try rule.store.revocationMilliseconds(event.subject), 5000, "the time")
    },
    StoreRule("of 50 concurrent events the latest applies") { rule in
      let signIn = SignIn(Fresh.subject())
      _ = try rule.keep(signIn)
      let deadline = rule.deadline
      let answers = rule.outcomes(
        rule.race(50) { client, index in
          let kind = index % 2 == 0 ? AccountEvent.Kind.revocation : .relay(forwards: index == 49)
          return try client.record(
            AccountEvent(kind, of: signIn.subject, at: Int64(index)), deadlineMilliseconds: deadline)
        })
      rule.expect(answers.count { $0 == .recorded }, 50, "records")
      rule.expect(try rule.store.revocationMilliseconds(signIn.subject), 48, "the revocation")
      rule.expect(try rule.user(signIn.subject)?.relayForwards, true, "the relay")
    },
  ]
}

extension Examination {
  /// The outcomes of a race. A call that throws is a finding: a store under load may be slow, but must not fail.
  fileprivate mutating func outcomes<Value>(_ results: [Result<Value, any Error>]) -> [Value] {
    results.compactMap { result in
      switch result {
      case .success(let value): return value
      case .failure(let error):
        expect("\(error)", "an answer", "a call")
        return nil
      }
    }
  }
}
