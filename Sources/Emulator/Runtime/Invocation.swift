/// One event on its way to a function.
struct Invocation: Equatable, Sendable {
  /// `Lambda-Runtime-Aws-Request-Id`: the same on a retry, a lower-case UUID on AWS.
  let requestID: String
  /// `Lambda-Runtime-Invocation-Id`: unique per attempt, echoed by the runtime on its posts.
  let attemptID: String
  /// The event as the function shall read it; any bytes.
  let event: [UInt8]
  /// `Lambda-Runtime-Invoked-Function-Arn`, with the qualifier that was called.
  let functionARN: String
  /// The version that runs: `START … Version`.
  var version = LambdaVariables.functionVersion
  /// `Lambda-Runtime-Trace-Id`, an X-Ray trace header.
  let traceID: String
  /// `Lambda-Runtime-Client-Context`, JSON; absent unless the caller sent one.
  var clientContext: String?
  /// How long the function may take, in milliseconds.
  let timeoutMilliseconds: Int
}

/// An error document as a function posts it to `/error` or `/init/error`.
public struct FunctionErrorReport: Equatable, Sendable {
  /// `Lambda-Runtime-Function-Error-Type` as Lambda takes it: what does not look like `Runtime.Word` or
  /// `Function.Word` is `Runtime.Unknown` (or `Function.Unknown` where it begins with `Function.`).
  public let headerType: String
  /// The body as posted; where there was none, `{"errorType":…}` made from the header.
  public let document: [UInt8]

  /// A report from the header's value and the body of a post.
  public init(headerType: String?, document: [UInt8]) {
    let type = Self.accepted(headerType ?? "")
    self.headerType = type
    self.document = document.isEmpty ? Self.document(ofType: type) : document
  }

  /// A contains-match of `(Runtime|Function)\.[A-Z][a-zA-Z]+`, as Lambda's own supervisor
  /// (`fatalerror.go` of aws-lambda-runtime-interface-emulator) has it.
  private static func accepted(_ text: String) -> String {
    let bytes = Array(text.utf8)
    for prefix in ["Runtime.", "Function."] {
      var start = 0
      while let place = bytes[start...].firstRange(of: prefix.utf8) {
        let rest = bytes[place.upperBound...]
        if let first = rest.first, isUpper(first), let second = rest.dropFirst().first,
          isUpper(second) || isLower(second)
        {
          return text
        }
        start = place.upperBound
      }
    }
    return text.hasPrefix("Function.") ? "Function.Unknown" : "Runtime.Unknown"
  }

  private static func isUpper(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
  private static func isLower(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }

  private static func document(ofType type: String) -> [UInt8] {
    RuntimeReply.errorBody(message: "", type: type)
  }
}

/// How one invocation ended.
public enum InvocationAnswer: Equatable, Sendable {
  /// The function posted this to `/response`.
  case response([UInt8])
  /// The function posted this to `/error`, or Lambda made it from a post that it refused.
  case error(FunctionErrorReport)
  /// The process ended before it answered.
  case died(ProcessExit)
  /// No answer within this many milliseconds; the process was killed.
  case timedOut(milliseconds: Int)
  /// The process never came to ask for an event.
  case initializationFailed(InitializationFailure)
}

/// Why a function never asked for its first event.
public enum InitializationFailure: Equatable, Sendable {
  /// It said so on `/init/error`.
  case reported(FunctionErrorReport)
  /// It ended.
  case died(ProcessExit)
  /// It was still busy after this many milliseconds; the process was killed.
  case timedOut(milliseconds: Int)
  /// The system would not start the command, for this reason.
  case notStarted(String)
}
