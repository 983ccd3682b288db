package import IssuerKeys

/// Clock, deadlines and randomness of one invocation.
package struct InvocationInputs: Sendable {
  package let time: InvocationTime
  /// Unix milliseconds, for nonces and for the store.
  package let unixMilliseconds: Int64
  /// The deadline of the store, in Unix milliseconds of the machine's clock.
  package let deadlineMilliseconds: Int64
  /// Sixteen random bytes; empty if the kernel has none.
  package let randomBytes: [UInt8]

  /// Creates the values of one invocation.
  package init(
    time: InvocationTime, unixMilliseconds: Int64, deadlineMilliseconds: Int64, randomBytes: [UInt8]
  ) {
    self.time = time
    self.unixMilliseconds = unixMilliseconds
    self.deadlineMilliseconds = deadlineMilliseconds
    self.randomBytes = randomBytes
  }
}
