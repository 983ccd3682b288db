import UserStore

extension StoreRule {
  static let users = [
    StoreRule("an unknown subject has no user") { rule in
      rule.expect(try rule.user(Fresh.subject()), nil, "the user")
    },
    StoreRule("the first sign-in creates the user with its profile, visible to every client") { rule in
      for profile in [UserProfile(), .full] {
        for nonce in [nil, Fresh.nonce()] {
          let signIn = SignIn(Fresh.subject(), profile, nonce: nonce)
          rule.expect(try rule.keep(signIn), .created(signIn.newUser), "the outcome")
          rule.expect(try rule.user(signIn.subject), signIn.newUser, "the user")
        }
      }
    },
    StoreRule("a later sign-in finds the user with the first identifier and time") { rule in
      let first = SignIn(Fresh.subject(), .full, nonce: Fresh.nonce())
      _ = try rule.keep(first)
      for nonce in [nil, Fresh.nonce()] {
        let later = SignIn(first.subject, nonce: nonce, after: 1000)
        rule.expect(try rule.keep(later), .found(first.newUser), "the outcome")
      }
      rule.expect(try rule.user(first.subject), first.newUser, "the user")
    },
    StoreRule("a client sees its own writes") { rule in
      var client = try rule.store.open()
      let signIn = SignIn(Fresh.subject())
      for outcome in [SignInOutcome.created(signIn.newUser), .found(signIn.newUser)] {
        rule.expect(
          try client.keep(signIn, deadlineMilliseconds: rule.deadline), outcome, "the outcome")
      }
      rule.expect(
        try client.user(subject: signIn.subject, deadlineMilliseconds: rule.deadline), signIn.newUser,
        "the user")
    },
    StoreRule("subjects are compared as bytes") { rule in
      let name = Fresh.subject()
      // Upper and lower case, one letter in two Unicode forms, a zero byte, special characters of queries, 255 bytes.
      let endings = [
        "", "a", "A", " ", "a ", "\u{E9}", "e\u{301}", "\u{0}", "\u{0}b", "#", "user#", "%", "_", "'", "\"",
        "\\", ";--", "\u{1F600}", String(repeating: "x", count: 255 - name.count),
      ]
      let signIns = endings.map { SignIn(name + Array($0.utf8)) }
      for signIn in signIns {
        rule.expect(try rule.keep(signIn), .created(signIn.newUser), "the outcome")
      }
      for signIn in signIns {
        rule.expect(try rule.user(signIn.subject), signIn.newUser, "the user")
      }
    },
  ]

  static let profiles = [
    StoreRule("texts are stored byte for byte, and an empty text differs from an absent one") { rule in
      for text in [
        "", " ", "\u{0}", "a\u{0}b", "e\u{301}", "\u{E9}", "\u{1F468}\u{200D}\u{1F469}", "\"\\\r\n\t/",
        "NULL",
        "'; DROP TABLE users; --", String(repeating: "\u{3042}", count: 1000),
      ] {
        let profile = UserProfile {
          $0.email = Array(text.utf8)
          $0.relayEmail = Array(text.utf8)
          $0.givenName = Array(text.utf8)
          $0.familyName = Array(text.utf8)
          $0.transferSubject = Array(text.utf8)
        }
        let signIn = SignIn(Fresh.subject(), profile)
        _ = try rule.keep(signIn)
        rule.expect(try rule.user(signIn.subject), signIn.newUser, "the user")
      }
    },
    StoreRule("a later sign-in updates the profile by its rules, durably") { rule in
      for first in UserProfile.stages {
        for second in UserProfile.stages {
          let creation = SignIn(Fresh.subject(), first)
          _ = try rule.keep(creation)
          var user = creation.newUser
          for isEmailClaimed in [false, true] {
            let later = SignIn(
              creation.subject, second, nonce: Fresh.nonce(), after: 1000, isEmailClaimed: isEmailClaimed)
            user.profile = user.profile.updated(by: later)
            rule.expect(try rule.keep(later), .found(user), "the outcome")
            rule.expect(try rule.user(creation.subject), user, "the user")
          }
        }
      }
    },
  ]
}

extension UserProfile {
  /// A profile with all values.
  static let full = UserProfile {
    $0.email = Array("marie@example.com".utf8)
    $0.isEmailVerified = true
    $0.relayEmail = Array("abc@privaterelay.appleid.com".utf8)
    $0.givenName = Array("Marie".utf8)
    $0.familyName = Array("Curie".utf8)
    $0.transferSubject = Array("001234.transfer".utf8)
  }

  /// Profiles of successive sign-ins.
  fileprivate static let stages = [
    UserProfile(), full,
    UserProfile { $0.givenName = Array("Pierre".utf8) },
    UserProfile { $0.familyName = Array("Joliot".utf8) },
    UserProfile { $0.email = Array("body@example.com".utf8) },
    UserProfile {
      $0.email = Array("token@example.com".utf8)
      $0.isEmailVerified = true
    },
    UserProfile { $0.relayEmail = Array("def@privaterelay.appleid.com".utf8) },
    UserProfile { $0.transferSubject = Array("005678.transfer".utf8) },
  ]
}
