import DynamoDB
import LibcurlTransfer

/// Why there is no answer, as reported to the caller.
struct CallFailure: Error {
  let outcome: CallOutcomeCode
  /// One line; a line from libcurl begins with its code.
  let text: String

  init(_ outcome: CallOutcomeCode, _ text: String) {
    self.outcome = outcome
    self.text = text
  }

  init(_ failure: TransferFailure) {
    outcome =
      switch failure.reason {
      case .nameResolution: .nameResolution
      case .connect: .connect
      case .timeout: .timeout
      case .tls: .tls
      case .tooLarge: .tooLarge
      case .transfer: .transfer
      case .libraryNotLoaded, .libraryUnusable: .libraryMissing
      }
    text =
      failure.reason == .libraryNotLoaded
      ? "\(failure.text); install libcurl4 (Debian, Ubuntu) or libcurl-minimal (Amazon Linux)" : failure.text
  }

  /// The answer frame for the caller.
  var frame: [UInt8] {
    CallFrame.answer(outcome, body: Array(text.utf8.prefix(CallLimit.diagnosisBytes)))
  }
}
