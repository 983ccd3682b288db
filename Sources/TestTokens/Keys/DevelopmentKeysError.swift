/// The reason why the development keys are not available.
package enum DevelopmentKeysError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The system refused to read or write `path`.
  case inaccessible(path: String, reason: String)
  /// `path` belongs to another user, can be changed by other users, or is a link.
  case untrusted(path: String, reason: String)
  /// The file exists, but this module has not written it in this form.
  case damaged(path: String, reason: String)
  /// A key could not be generated.
  case notMade(SigningKeyError)

  /// A description of the error, without key material.
  package var description: String {
    switch self {
    case .inaccessible(let path, let reason): "\(path): \(reason)"
    case .untrusted(let path, let reason): "\(path) \(reason)"
    case .damaged(let path, let reason): "\(path) is damaged: \(reason)"
    case .notMade(let error): "development keys could not be generated: \(error.description)"
    }
  }

  /// The action that solves the problem.
  package var hint: String {
    switch self {
    case .inaccessible: "development keys are stored there: run the command in a folder that you can write to"
    case .untrusted(let path, _): "delete \(path), or use a folder that only you can write to"
    case .damaged(let path, _): "delete \(path); the next run generates new keys"
    case .notMade: "check the OpenSSL installation: version 3.0 or later is needed"
    }
  }
}
