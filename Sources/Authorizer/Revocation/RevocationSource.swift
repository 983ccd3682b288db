/// The source of revocations. The authorizer has no files and no sockets: the function passes in a file or a table,
/// tests pass in a script.
package protocol RevocationSource {
  /// Returns the revocation of a subject.
  ///
  /// - Parameter endMilliseconds: the deadline of the answer, in Unix milliseconds of the machine's clock; `nil` if
  ///   unknown.
  mutating func answer(about subject: [UInt8], endMilliseconds: Int64?) -> RevocationAnswer

  /// Returns a source for another worker that runs in parallel. Call it before the worker's thread starts.
  func forAnotherWorker() -> Self
}

/// The answer of a source about a subject.
package enum RevocationAnswer: Equatable, Sendable {
  /// The subject is not revoked.
  case notRevoked
  /// The subject is revoked: the time of the latest event, in Unix milliseconds.
  case revoked(eventMilliseconds: Int64)
  /// Unknown, with the cause for the operator. Contains nothing about the subject.
  case unavailable(String)
}

/// Used if the settings name a store but no source was given.
struct NoRevocationSource: RevocationSource {
  mutating func answer(about subject: [UInt8], endMilliseconds: Int64?) -> RevocationAnswer {
    .unavailable("no store was given")
  }

  func forAnotherWorker() -> NoRevocationSource { self }
}
