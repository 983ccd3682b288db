internal import TestSupport
package import UserStore
package import Withdrawals

/// A store under test: any number of clients of the same data.
package struct StoreUnderTest: Sendable {
  /// Opens another client, like another process of the function: it shares only the stored data.
  package let open: @Sendable () throws -> any UserStore
  /// The event time of a subject's revocation as the authorizer reads it, in Unix milliseconds; `nil` for none.
  package let revocationMilliseconds: @Sendable (_ subject: [UInt8]) throws -> Int64?
  /// The event time of a withdrawal of the second form as it is stored, in Unix milliseconds; `nil` for none.
  package let withdrawnMilliseconds: @Sendable (_ key: WithdrawalKey) throws -> Int64?
  /// The number of clients in a race, among which the calls are distributed.
  package let clients: Int
  /// The time limit of each call in milliseconds.
  package let callMilliseconds: Int64

  /// Creates a store under test. It need not be empty: every rule uses unique names.
  package init(
    clients: Int = 200, callMilliseconds: Int64? = nil,
    open: @escaping @Sendable () throws -> any UserStore,
    revocationMilliseconds: @escaping @Sendable (_ subject: [UInt8]) throws -> Int64?,
    withdrawnMilliseconds: @escaping @Sendable (_ key: WithdrawalKey) throws -> Int64?
  ) {
    self.open = open
    self.revocationMilliseconds = revocationMilliseconds
    self.withdrawnMilliseconds = withdrawnMilliseconds
    self.clients = clients
    self.callMilliseconds = callMilliseconds ?? Int64(HangLimit.milliseconds)
  }
}

/// One rule of the contract of user stores.
package struct StoreRule: Sendable, CustomStringConvertible {
  /// The statement of the rule.
  package let name: String
  /// Returns one line for each violation; empty if the store follows the rule.
  package let findings: @Sendable (StoreUnderTest) throws -> [String]

  init(_ name: String, _ check: @escaping @Sendable (inout Examination) throws -> Void) {
    self.name = name
    findings = { store in
      var examination = Examination(store)
      try check(&examination)
      return examination.findings
    }
  }

  /// The statement of the rule.
  package var description: String { name }

  /// All rules.
  package static let all = users + profiles + nonces + events + withdrawals + races
}
