/// A store for users, used nonces, Apple's notifications and withdrawals. One instance belongs to one thread; any number of
/// processes may share the data.
///
/// What a call returned is durable, even if the process is killed right after. A call that throws has stored all or
/// nothing, and may be repeated.
package protocol UserStore {
  /// Stores a sign-in atomically: consumes its nonce, and creates the user or finds them by subject.
  ///
  /// Of concurrent sign-ins with one subject, one creates the user and the others find it. Of sign-ins with one
  /// nonce, one succeeds. An existing user's profile is updated by ``UserProfile/updated(by:)``. If a revocation
  /// refuses the token, nothing is stored and the nonce stays unused.
  ///
  /// - Parameter deadlineMilliseconds: when the call must end, in Unix milliseconds.
  mutating func keep(_ signIn: SignIn, deadlineMilliseconds: Int64) throws(StoreError) -> SignInOutcome

  /// The user with this subject; `nil` if they never signed in.
  mutating func user(subject: [UInt8], deadlineMilliseconds: Int64) throws(StoreError) -> User?

  /// Stores an event of Apple's, once for each identifier. Of events of one kind, the one with the latest
  /// `eventMilliseconds` applies, in any order of arrival. Revocations of unknown subjects are stored too.
  ///
  /// A revocation is also a withdrawal of the user.
  mutating func record(_ event: AccountEvent, deadlineMilliseconds: Int64) throws(StoreError) -> Recording

  /// Stores withdrawals, once for each identifier, and users of Apple in both forms. The latest event of a key applies,
  /// in any order of arrival.
  mutating func withdraw(_ order: WithdrawalOrder, deadlineMilliseconds: Int64) throws(StoreError)
    -> Recording
}

/// Why the store failed; never a decision about the caller.
package enum StoreError: Error, Equatable, Sendable {
  /// It cannot be reached, or did not answer in time.
  case unavailable(String)
  /// It refused the call: permissions, a missing table, a full disk.
  case refused(String)
  /// Its data is not in the format that this version writes.
  case unreadable(String)

  /// A stable name for logs and tests.
  package var code: String {
    switch self {
    case .unavailable: "storeUnavailable"
    case .refused: "storeRefused"
    case .unreadable: "storeUnreadable"
    }
  }

  /// What happened, for an operator. Contains no stored data.
  package var detail: String {
    switch self {
    case .unavailable(let text), .refused(let text), .unreadable(let text): text
    }
  }
}
