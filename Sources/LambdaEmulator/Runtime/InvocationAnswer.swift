internal import Bytes
internal import Text

package enum InvocationAnswer: Equatable, Sendable {
  /// The function posted this to `/response`.
  case response([UInt8])
  /// The function posted this to `/error`, or Lambda created it from a post that it refused.
  case error(FunctionErrorReport)
  /// The process exited before it answered.
  case died(ProcessExit)
  /// No answer within this many milliseconds; the process was killed.
  case timedOut(milliseconds: Int)
  /// The process never requested an event.
  case initializationFailed(InitializationFailure)

  package var response: [UInt8]? { if case .response(let bytes) = self { bytes } else { nil } }
}

/// The reason why a function never requested its first event.
package enum InitializationFailure: Equatable, Sendable {
  /// It reported an error to `/init/error`.
  case reported(FunctionErrorReport)
  case died(ProcessExit)
  /// It did not finish within this many milliseconds; the process was killed.
  case timedOut(milliseconds: Int)
  /// The system could not start the command, for this reason.
  case notStarted(String)
}

/// An error that a function posts to `/error` or `/init/error`.
package struct FunctionErrorReport: Equatable, Sendable {
  /// `Lambda-Runtime-Function-Error-Type` as Lambda interprets it: a value without a `Runtime.Word` or
  /// `Function.Word` becomes `Runtime.Unknown` (or `Function.Unknown` if it begins with `Function.`).
  package let headerType: String
  /// The posted body; if it is empty, `{"errorType":…}` from the header.
  package let document: [UInt8]

  /// Creates a report from the header and the body of a post.
  package init(headerType: String?, document: [UInt8]) {
    let type = Self.accepted(headerType ?? "")
    self.headerType = type
    self.document = document.isEmpty ? RuntimeReply.errorBody(message: "", type: type) : document
  }

  /// Returns the text if it contains a match of `(Runtime|Function)\.[A-Z][a-zA-Z]+`, as in Lambda's own supervisor
  /// (`fatalerror.go` of aws-lambda-runtime-interface-emulator).
  private static func accepted(_ text: String) -> String {
    let bytes = Array(text.utf8)
    for prefix in ["Runtime.", "Function."] {
      var start = 0
      while let found = bytes[start...].firstRange(of: prefix.utf8) {
        let rest = bytes[found.upperBound...]
        if rest.first?.isUppercaseLetter == true, rest.dropFirst().first?.isLetter == true { return text }
        start = found.upperBound
      }
    }
    return text.hasBytePrefix("Function.") ? "Function.Unknown" : "Runtime.Unknown"
  }
}
