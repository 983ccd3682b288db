/// Why there is no key set.
public enum KeyFetchError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Why libcurl gave up: its code (libcurl-errors(3)) and one line of text, or 0 and the text of `fetch-keys`.
  public struct Diagnosis: Equatable, Sendable {
    /// The CURLcode, or 0.
    public let curlCode: Int
    /// One line of printable ASCII, at most 1,024 bytes. It may name the host, never anything of the body.
    public let text: String

    /// A reason; also for a cache's tests.
    public init(curlCode: Int, text: String) {
      self.curlCode = curlCode
      self.text = text
    }
  }

  /// The host, or the proxy, has no address.
  case nameResolution(Diagnosis)
  /// No connection was made: refused, unreachable, or by the proxy.
  case connect(Diagnosis)
  /// The request's own time was over.
  case timeout(Diagnosis)
  /// The deadline of the call was over; a fetch under way was ended.
  case deadlineExceeded
  /// TLS was refused: an untrusted, expired or foreign certificate, or no version from 1.2 on.
  case tls(Diagnosis)
  /// The body has more than 256 KiB, or the head more than 32.
  case tooLarge
  /// The status is neither 200 nor a redirection.
  case status(Int)
  /// The status asks to go elsewhere, which is not done: the configured host alone is trusted.
  case redirect(status: Int)
  /// The answer is not HTTP, or broke off.
  case transfer(Diagnosis)
  /// `fetch-keys` found no libcurl that it can use.
  case libraryMissing(Diagnosis)
  /// `fetch-keys` is not where it was looked for, or may not be executed: the path and the `errno`.
  case executableMissing(path: String, errorNumber: Int32)
  /// No process could be started: the `errno`.
  case startFailed(errorNumber: Int32)
  /// `fetch-keys` did not accept its arguments.
  case usage(Diagnosis)
  /// What ran is not a `fetch-keys` of this version: its output has another form, or it ended otherwise than agreed.
  case malformedOutput

  /// The stable name of this error, for logs and tests.
  public var code: String {
    switch self {
    case .nameResolution: FetchExitStatus.nameResolution.code
    case .connect: FetchExitStatus.connect.code
    case .timeout: FetchExitStatus.timeout.code
    case .deadlineExceeded: "fetchDeadline"
    case .tls: FetchExitStatus.tls.code
    case .tooLarge: FetchExitStatus.tooLarge.code
    case .status: FetchExitStatus.status.code
    case .redirect: FetchExitStatus.redirect.code
    case .transfer: FetchExitStatus.transfer.code
    case .libraryMissing: FetchExitStatus.libraryMissing.code
    case .executableMissing: "fetchExecutableMissing"
    case .startFailed: "fetchStart"
    case .usage: FetchExitStatus.usage.code
    case .malformedOutput: FetchExitStatus.output.code
    }
  }

  /// One sentence with the evidence and, where there is more to say, a line with a hint.
  public var description: String {
    switch self {
    case .nameResolution(let diagnosis): "the host has no address\(diagnosis.clause)"
    case .connect(let diagnosis): "no connection\(diagnosis.clause)"
    case .timeout(let diagnosis): "no answer in time\(diagnosis.clause)"
    case .deadlineExceeded: "no answer before the deadline"
    case .tls(let diagnosis): "no trusted connection\(diagnosis.clause)"
    case .tooLarge: "the answer has more than \(FetchLimit.bodyBytes) bytes, or too large a head"
    case .status(let status): "the issuer answered with status \(status)"
    case .redirect(let status):
      "the issuer answered with status \(status), which is not followed\n"
        + "hint: configure the address at which the key set lies"
    case .transfer(let diagnosis): "the answer could not be read\(diagnosis.clause)"
    case .libraryMissing(let diagnosis):
      "no usable libcurl\(diagnosis.clause)\n"
        + "hint: install libcurl4 (Debian, Ubuntu) or libcurl-minimal (Amazon Linux)"
    case .executableMissing(let path, let number):
      "\(path) cannot be executed: \(SystemCalls.text(ofError: number))\n"
        + "hint: `make bootstrap` puts fetch-keys beside bootstrap; deploy both"
    case .startFailed(let number): "no process could be started: \(SystemCalls.text(ofError: number))"
    case .usage(let diagnosis): "fetch-keys did not accept its arguments\(diagnosis.clause)"
    case .malformedOutput:
      "what fetch-keys printed is not what this version of it prints\n"
        + "hint: `make bootstrap` builds both; deploy both"
    }
  }
}

extension KeyFetchError.Diagnosis {
  fileprivate var clause: String {
    if text.utf8.isEmpty { return "" }
    return curlCode == 0 ? ": \(text)" : ": \(text) (libcurl's error \(curlCode))"
  }
}
