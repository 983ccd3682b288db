@testable import Authorizer

/// Decisions for tests of log lines and metrics.
extension Decision {
  init(allowing policy: [UInt8]) { self.init(policy, refusing: nil) }

  /// A decision with this reason and its default answer.
  init(_ reason: ReasonCode, detail: String = "") {
    switch reason.outcome {
    case .unauthorized: self.init(unauthorized: reason, .unauthorized)
    case .allowed, .forbidden: self.init([], refusing: reason)
    case .failure: self.init(failure: reason, detail: detail)
    }
  }
}
