import UserStore

extension StoreRule {
  static let nonces = [
    StoreRule("a nonce can be used once, by any user") { rule in
      let nonce = Fresh.nonce()
      let first = SignIn(Fresh.subject(), nonce: nonce)
      let other = SignIn(Fresh.subject(), nonce: nonce)
      rule.expect(try rule.keep(first), .created(first.newUser), "the first")
      rule.expect(try rule.keep(first), .nonceUsedBefore, "the first again")
      rule.expect(try rule.keep(other), .nonceUsedBefore, "another")
    },
    StoreRule("a sign-in with a used nonce stores nothing") { rule in
      let used = Fresh.nonce()
      let first = SignIn(Fresh.subject(), nonce: used)
      _ = try rule.keep(first)
      let stranger = SignIn(Fresh.subject(), .full, nonce: used)
      _ = try rule.keep(stranger)
      rule.expect(try rule.user(stranger.subject), nil, "the stranger")
      _ = try rule.keep(SignIn(first.subject, .full, nonce: used))
      rule.expect(try rule.user(first.subject), first.newUser, "the user")
      let fresh = SignIn(stranger.subject, nonce: Fresh.nonce())
      rule.expect(try rule.keep(fresh), .created(fresh.newUser), "the stranger with another nonce")
    },
    StoreRule("nonces differ if any byte of their digests differs") { rule in
      let nonce = Fresh.nonce()
      let subject = Fresh.subject()
      _ = try rule.keep(SignIn(subject, nonce: nonce))
      for index in [0, 15, 31] {
        var digest = nonce.digest
        digest[index] ^= 1
        let use = NonceUse(digest: digest, expiresAt: nonce.expiresAt)
        rule.expect(try rule.keep(SignIn(subject, nonce: use)) == .nonceUsedBefore, false, "byte \(index)")
      }
    },
  ]

  static let events = [
    StoreRule("a revocation is stored, also for an unknown subject") { rule in
      let known = SignIn(Fresh.subject())
      _ = try rule.keep(known)
      for subject in [known.subject, Fresh.subject("unknown")] {
        rule.expect(try rule.store.revocationMilliseconds(subject), nil, "before")
        rule.expect(
          try rule.record(AccountEvent(.revocation, of: subject, at: 5001)), .recorded, "the answer")
        rule.expect(try rule.store.revocationMilliseconds(subject), 5001, "afterwards")
      }
      rule.expect(try rule.user(known.subject), known.newUser, "the user")
    },
    StoreRule("a token issued before or at its user's revocation is refused and nothing is stored") {
      rule in
      let known = SignIn(Fresh.subject(), issuedAt: 4000)
      _ = try rule.keep(known)
      let unknown = Fresh.subject()
      for subject in [known.subject, unknown] {
        _ = try rule.record(AccountEvent(.revocation, of: subject, at: 5000))
        let nonce = Fresh.nonce()
        for issued in [4000, 5000, nil] as [Int64?] {
          let refused = SignIn(subject, .full, nonce: nonce, issuedAt: issued)
          rule.expect(try rule.keep(refused), .revoked, "issued at \(String(describing: issued))")
        }
        rule.expect(try rule.user(subject), subject == unknown ? nil : known.newUser, "the user")
        let later = SignIn(subject, nonce: nonce, issuedAt: 5001)
        rule.expect(
          try rule.keep(later), subject == unknown ? .created(later.newUser) : .found(known.newUser), "later")
      }
    },
    StoreRule("an event is recorded once for each identifier") { rule in
      let subject = Fresh.subject()
      let event = AccountEvent(.revocation, of: subject, at: 5000)
      rule.expect(try rule.record(event), .recorded, "first")
      rule.expect(try rule.record(event), .seenBefore, "again")
      let other = AccountEvent(.revocation, of: subject, at: 9000, identifier: event.identifier)
      rule.expect(try rule.record(other), .seenBefore, "with another time")
      rule.expect(try rule.store.revocationMilliseconds(subject), 5000, "the time")
      let stranger = AccountEvent(.revocation, of: Fresh.subject(), at: 5000, identifier: event.identifier)
      rule.expect(try rule.record(stranger), .seenBefore, "of another subject")
      rule.expect(try rule.store.revocationMilliseconds(stranger.subject), nil, "the other subject")
    },
    StoreRule("the latest revocation applies in any order of arrival, and each is recorded") { rule in
      for times in [[1, 2, 3], [3, 2, 1], [2, 3, 1], [3, 3, 3], [-1, 0, 3]] as [[Int64]] {
        let subject = Fresh.subject()
        for time in times {
          let event = AccountEvent(.revocation, of: subject, at: time)
          rule.expect(try rule.record(event), .recorded, "\(time) of \(times)")
          rule.expect(try rule.record(event), .seenBefore, "\(time) of \(times) again")
        }
        rule.expect(try rule.store.revocationMilliseconds(subject), 3, "\(times)")
      }
    },
    StoreRule("the latest relay event applies, and a sign-in does not change it") { rule in
      let signIn = SignIn(Fresh.subject(), .full)
      _ = try rule.keep(signIn)
      let changes: [(at: Int64, forwards: Bool, expected: Bool)] = [
        (10, true, true), (30, false, false), (20, true, false), (40, true, true), (5, false, true),
      ]
      for change in changes {
        let event = AccountEvent(.relay(forwards: change.forwards), of: signIn.subject, at: change.at)
        rule.expect(try rule.record(event), .recorded, "at \(change.at)")
        rule.expect(try rule.record(event), .seenBefore, "at \(change.at) again")
        var user = signIn.newUser
        user.relayForwards = change.expected
        rule.expect(try rule.user(signIn.subject), user, "after \(change.at)")
        rule.expect(try rule.keep(SignIn(signIn.subject)), .found(user), "sign-in after \(change.at)")
      }
    },
    StoreRule("a relay event of an unknown subject creates no user") { rule in
      let subject = Fresh.subject()
      let event = AccountEvent(.relay(forwards: true), of: subject, at: 10)
      rule.expect(try rule.record(event), .recorded, "first")
      rule.expect(try rule.record(event), .seenBefore, "again")
      rule.expect(try rule.user(subject), nil, "the user")
      rule.expect(try rule.keep(SignIn(subject)).isCreation, true, "a creation afterwards")
    },
    StoreRule("the kinds of events are independent") { rule in
      let signIn = SignIn(Fresh.subject())
      _ = try rule.keep(signIn)
      _ = try rule.record(AccountEvent(.relay(forwards: false), of: signIn.subject, at: 100))
      rule.expect(try rule.store.revocationMilliseconds(signIn.subject), nil, "revoked by the relay")
      _ = try rule.record(AccountEvent(.revocation, of: signIn.subject, at: 50))
      rule.expect(try rule.store.revocationMilliseconds(signIn.subject), 50, "the revocation")
      _ = try rule.record(AccountEvent(.relay(forwards: true), of: signIn.subject, at: 99))
      rule.expect(try rule.user(signIn.subject)?.relayForwards, false, "the relay")
    },
  ]
}
