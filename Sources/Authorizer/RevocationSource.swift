/// Where it is written down who has withdrawn. The authorizer knows no files and no sockets; the function passes in a file
/// or a table, tests pass in a script.
public protocol RevocationSource {
  /// What is known of a subject.
  ///
  /// - Parameter endMilliseconds: when the answer has to be there, in Unix milliseconds of the machine's clock; `nil` where
  ///   nobody says.
  mutating func answer(about subject: [UInt8], endMilliseconds: Int64?) -> RevocationAnswer

  /// A source for another worker, which asks beside this one; before its thread is made.
  func forAnotherWorker() -> Self
}

/// What a source knows of a subject.
public enum RevocationAnswer: Equatable, Sendable {
  /// He has not withdrawn.
  case notRevoked
  /// He has: the time of the latest event, in Unix milliseconds.
  case revoked(eventMilliseconds: Int64)
  /// Nobody can know; why, for an operator. Nothing of the subject is in it.
  case unavailable(String)
}

/// Stands where the settings name a source and none was given.
struct NoRevocationSource: RevocationSource {
  mutating func answer(about subject: [UInt8], endMilliseconds: Int64?) -> RevocationAnswer {
    .unavailable("no store was given")
  }

  func forAnotherWorker() -> NoRevocationSource { self }
}
