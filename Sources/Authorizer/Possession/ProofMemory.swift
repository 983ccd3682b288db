/// Remembers used proofs. The authorizer has no sockets: the function passes in tables, tests pass in a script.
package protocol ProofMemory {
  /// Remembers a proof, unless it is already remembered; one of several calls at the same time is the first.
  ///
  /// - Parameters:
  ///   - use: the proof, and where and how long it is remembered.
  ///   - endMilliseconds: the deadline of the answer, in Unix milliseconds of the machine's clock; `nil` if unknown.
  mutating func remember(_ use: ProofUse, endMilliseconds: Int64?) -> ProofMemoryAnswer

  /// Returns a memory for another worker that runs in parallel. Call it before the worker's thread starts.
  func forAnotherWorker() -> Self
}

package struct ProofUse: Equatable, Sendable {
  /// The SHA-256 of key, identifier and URL of the proof.
  package let fingerprint: [UInt8]
  /// The table that remembers it.
  package let table: TableReference
  /// When the memory may end, in Unix seconds.
  package let expiresAt: Int64
}

package enum ProofMemoryAnswer: Equatable, Sendable {
  /// This is the first use.
  case first
  /// The proof was used before.
  case repeated
  /// Unknown, with the cause for the operator. Contains nothing from the proof.
  case unavailable(String)
}

/// Used if the settings name a table but no memory was given.
struct NoProofMemory: ProofMemory {
  mutating func remember(_ use: ProofUse, endMilliseconds: Int64?) -> ProofMemoryAnswer {
    .unavailable("no table was given")
  }

  func forAnotherWorker() -> NoProofMemory { self }
}

/// The memory of one worker, without its type.
final class ReplayCheck {
  private let ask: (ProofUse, Int64?) -> ProofMemoryAnswer
  private let another: () -> ReplayCheck

  fileprivate init(
    ask: @escaping (ProofUse, Int64?) -> ProofMemoryAnswer, another: @escaping () -> ReplayCheck
  ) {
    self.ask = ask
    self.another = another
  }

  func forAnotherWorker() -> ReplayCheck { another() }

  func remember(_ use: ProofUse, endMilliseconds: Int64?) -> ProofMemoryAnswer { ask(use, endMilliseconds) }
}

extension ProofMemory {
  /// Returns a check with this memory. Not an initializer, since classes in Embedded Swift have no generic ones.
  func check() -> ReplayCheck {
    var memory = self
    return ReplayCheck(
      ask: { memory.remember($0, endMilliseconds: $1) }, another: { forAnotherWorker().check() })
  }
}
