/// Why the development keys cannot be had.
public enum DevelopmentKeysError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The system refused to read or write `path`.
  case inaccessible(path: String, reason: String)
  /// The file is there and is not what this module writes.
  case damaged(path: String, reason: String)
  /// A key could not be made.
  case notMade(SigningKeyError)

  /// A stable name for tests and for `--json` output.
  public var code: String {
    switch self {
    case .inaccessible: "keysInaccessible"
    case .damaged: "keysDamaged"
    case .notMade: "keysNotMade"
    }
  }

  /// One sentence for a person, without key material.
  public var description: String {
    switch self {
    case .inaccessible(let path, let reason): "\(path): \(reason)"
    case .damaged(let path, let reason): "\(path) is damaged: \(reason)"
    case .notMade(let error): "no development key could be made: \(error.description)"
    }
  }

  /// What the person can do about it.
  public var hint: String {
    switch self {
    case .inaccessible: "choose a folder that you can write to; its parent must exist"
    case .damaged(let path, _): "delete \(path); new keys are made on the next run"
    case .notMade: "check the OpenSSL installation: version 3.0 or later is needed"
    }
  }
}
