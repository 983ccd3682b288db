internal import TestSupport
public import UserStore

/// A store as the contract sees it: any number of clients of what is stored in one place.
public struct StoreUnderTest: Sendable {
  /// Opens another client, as another process of the function would: it shares nothing with the others but what is stored.
  public let open: @Sendable () throws -> any UserStore
  /// The event time of a subject's revocation as the authorizer would read it, in Unix milliseconds; `nil` where there is
  /// none.
  public let revocationMilliseconds: @Sendable (_ subject: [UInt8]) throws -> Int64?
  /// How many clients race; the calls of a race are shared out among them.
  public let clients: Int
  /// When each call has to end, in milliseconds from its start.
  public let callMilliseconds: Int64

  /// A store to hold to the contract. What is stored need not be empty: every rule takes names of its own.
  public init(
    clients: Int = 200, callMilliseconds: Int64? = nil,
    open: @escaping @Sendable () throws -> any UserStore,
    revocationMilliseconds: @escaping @Sendable (_ subject: [UInt8]) throws -> Int64?
  ) {
    self.open = open
    self.revocationMilliseconds = revocationMilliseconds
    self.clients = clients
    self.callMilliseconds = callMilliseconds ?? Int64(HangLimit.milliseconds)
  }
}

/// One rule that every store of users keeps.
public struct StoreRule: Sendable, CustomStringConvertible {
  /// What is so.
  public let name: String
  /// What is not so: one line for each finding, none where the store keeps the rule.
  public let findings: @Sendable (StoreUnderTest) throws -> [String]

  init(_ name: String, _ check: @escaping @Sendable (inout Examination) throws -> Void) {
    self.name = name
    findings = { store in
      var examination = Examination(store)
      try check(&examination)
      return examination.findings
    }
  }

  /// What is so.
  public var description: String { name }

  /// Every rule.
  public static let all = users + profiles + nonces + events + races
}
