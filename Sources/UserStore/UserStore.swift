/// Where users, used nonces and Apple's notifications are kept. Belongs to one thread of one process; any number of
/// processes share what is stored.
///
/// Whatever a call returned is durable: a process that is killed right after it loses nothing. A call that throws may or may
/// not have stored what it was asked to, never a part of it, and may be repeated.
public protocol UserStore {
  /// Keeps a sign-in: uses up its nonce, and creates the user or finds him by his subject, all or nothing.
  ///
  /// Of any number of sign-ins of one subject at the same time one creates the user and all others find him; of any number
  /// that use one nonce one succeeds. A user who is found gets what ``UserProfile/updated(by:)`` says. A token that a revocation
  /// refuses signs nobody in, and leaves its nonce unused.
  ///
  /// - Parameter deadlineMilliseconds: when the call has to end, in Unix milliseconds.
  mutating func keep(_ signIn: SignIn, deadlineMilliseconds: Int64) throws(StoreError) -> SignInOutcome

  /// The user with this subject; `nil` where nobody has signed in with it.
  mutating func user(subject: [UInt8], deadlineMilliseconds: Int64) throws(StoreError) -> User?

  /// Keeps what Apple told, once for each identifier. The latest event of a kind by `eventMilliseconds` holds, in whichever
  /// order they come. A revocation is kept also for a subject that is not known.
  mutating func record(_ event: AccountEvent, deadlineMilliseconds: Int64) throws(StoreError) -> Recording
}

/// Why a store could not do what it was asked to: never a verdict about the caller.
public enum StoreError: Error, Equatable, Sendable {
  /// It cannot be reached, or did not answer in time.
  case unavailable(String)
  /// It answers, and refuses: permissions, a missing table, a full disk.
  case refused(String)
  /// What it holds is not as this version of the function writes it.
  case unreadable(String)

  /// A stable name for logs and tests.
  public var code: String {
    switch self {
    case .unavailable: "storeUnavailable"
    case .refused: "storeRefused"
    case .unreadable: "storeUnreadable"
    }
  }

  /// What happened, for an operator; quotes nothing of what is stored.
  public var detail: String {
    switch self {
    case .unavailable(let text), .refused(let text), .unreadable(let text): text
    }
  }
}
