@testable import Authorizer

/// Decisions for tests of what is written about them.
extension Decision {
  init(allowing policy: [UInt8]) { self.init(policy, refusing: nil) }

  /// A decision with this reason, and the answer that goes with it by default.
  init(_ reason: ReasonCode, detail: String = "") {
    switch reason.outcome {
    case .unauthorized: self.init(unauthorized: reason, .unauthorized)
    case .allowed, .forbidden: self.init([], refusing: reason)
    case .failure: self.init(failure: reason, detail: detail)
    }
  }
}
