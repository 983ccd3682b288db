import POSIX

/// The reason why a fetch failed.
package enum KeyFetchError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The reason from libcurl: its code (libcurl-errors(3)) and one line of text; or 0 and the text of `fetch-keys`.
  package struct Diagnosis: Equatable, Sendable {
    /// The CURLcode, or 0.
    package let curlCode: Int
    /// One line of printable ASCII, at most 1,024 bytes. It may contain the host, but never a part of the body.
    package let text: String

    package init(curlCode: Int, text: String) {
      self.curlCode = curlCode
      self.text = text
    }
  }

  /// The name of the host, or of the proxy, could not be resolved.
  case nameResolution(Diagnosis)
  /// The connection failed: refused, unreachable, or an error of the proxy.
  case connect(Diagnosis)
  /// The time limit of the request was exceeded.
  case timeout(Diagnosis)
  /// The deadline of the call has passed; a running fetch was ended.
  case deadlineExceeded
  /// TLS failed: a certificate that is untrusted, expired or for another host, or a version below 1.2.
  case tls(Diagnosis)
  /// The body has more than 256 KiB, or the head more than 32 KiB.
  case tooLarge
  /// The status is neither 200 nor a redirect.
  case status(Int)
  /// The answer is a redirect. It is not followed, because only the configured host is trusted.
  case redirect(status: Int)
  /// The answer is not HTTP, or incomplete.
  case transfer(Diagnosis)
  /// `fetch-keys` found no usable libcurl.
  case libraryMissing(Diagnosis)
  /// `fetch-keys` is not at the expected path, or is not executable: the path and the `errno`.
  case executableMissing(path: String, errorNumber: Int32)
  /// The process could not be started: the `errno`.
  case startFailed(errorNumber: Int32)
  /// `fetch-keys` did not accept its arguments.
  case usage(Diagnosis)
  /// The output or exit status is not that of a `fetch-keys` of this version.
  case malformedOutput

  /// The stable name of this error, for logs and tests.
  package var code: String {
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

  /// A description of the error, in some cases with a line with a hint.
  package var description: String {
    switch self {
    case .nameResolution(let diagnosis): "the host has no address\(diagnosis.clause)"
    case .connect(let diagnosis): "no connection\(diagnosis.clause)"
    case .timeout(let diagnosis): "no answer in time\(diagnosis.clause)"
    case .deadlineExceeded: "no answer before the deadline"
    case .tls(let diagnosis): "no trusted connection\(diagnosis.clause)"
    case .tooLarge: "the answer has more than \(FetchLimit.bodyBytes) bytes, or its head is too large"
    case .status(let status): "the issuer answered with status \(status)"
    case .redirect(let status):
      "the issuer answered with status \(status); redirects are not followed\n"
        + "hint: configure the final address of the key set"
    case .transfer(let diagnosis): "the answer could not be read\(diagnosis.clause)"
    case .libraryMissing(let diagnosis):
      "no usable libcurl\(diagnosis.clause)\n"
        + "hint: install libcurl4 (Debian, Ubuntu) or libcurl-minimal (Amazon Linux)"
    case .executableMissing(let path, let number):
      "\(path) cannot be executed: \(SystemCalls.text(ofError: number))\n"
        + "hint: `make bootstrap` writes fetch-keys to the folder of bootstrap; deploy both"
    case .startFailed(let number): "no process could be started: \(SystemCalls.text(ofError: number))"
    case .usage(let diagnosis): "fetch-keys did not accept its arguments\(diagnosis.clause)"
    case .malformedOutput:
      "the output of fetch-keys does not have the format of this version\n"
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
