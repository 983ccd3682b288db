/// The exit statuses of the executable `fetch-keys`, and the format of its output.
///
/// After exit 0, standard output is one line and the body: `STATUS AGE` (the HTTP status, and the seconds for which the
/// answer stays fresh or `-` if unknown), a line feed, then the unchanged bytes of the body. After ``status`` and
/// ``redirect`` it is only the line; after any other exit it is empty.
///
/// After any exit other than 0, standard error is one line `fetch-keys: CODE: TEXT`, or `fetch-keys: CODE: curl N:
/// TEXT` for an error of libcurl; a second line may begin with `hint: `. It never contains a part of the body.
package enum FetchExitStatus: Int32, Sendable {
  /// Status 200 with a complete body.
  case done = 0
  /// The name of the host, or of the proxy, could not be resolved.
  case nameResolution = 10
  /// The connection failed.
  case connect = 11
  /// The time limit was exceeded.
  case timeout = 12
  /// TLS failed: a certificate that is untrusted, expired or for another host, or a version below 1.2.
  case tls = 13
  /// The body or the head exceeds the limit.
  case tooLarge = 14
  /// A status other than 200, except a redirect.
  case status = 15
  /// A status from 300 to 399. Redirects are not followed.
  case redirect = 16
  /// The answer is not HTTP, or incomplete.
  case transfer = 17
  /// The arguments are wrong: EX_USAGE of sysexits(3).
  case usage = 64
  /// libcurl is missing or lacks a required feature: EX_UNAVAILABLE.
  case libraryMissing = 69
  /// Standard output could not be written: EX_IOERR.
  case output = 74

  /// The stable name, also of the corresponding ``KeyFetchError``.
  package var code: String {
    switch self {
    case .done: "done"
    case .nameResolution: "fetchNameResolution"
    case .connect: "fetchConnect"
    case .timeout: "fetchTimeout"
    case .tls: "fetchTLS"
    case .tooLarge: "fetchTooLarge"
    case .status: "fetchStatus"
    case .redirect: "fetchRedirect"
    case .transfer: "fetchTransfer"
    case .usage: "fetchUsage"
    case .libraryMissing: "fetchLibraryMissing"
    case .output: "fetchOutput"
    }
  }
}

package enum FetchLimit {
  /// The maximum bytes of a key set: 256 KiB. The largest known key sets have 15 KB; the limit of AWS is 150,000 bytes.
  package static let bodyBytes = 256 << 10
  /// The maximum bytes of all lines of a head. libcurl allows 300 KiB; servers send less than 8 KiB.
  package static let headBytes = 32 << 10
  /// The maximum bytes of the line before the body: three digits, a space, at most ten digits, a line feed.
  package static let statusLineBytes = 16
  /// The maximum bytes of standard error. A line from libcurl has at most 256 (CURL_ERROR_SIZE).
  package static let diagnosisBytes = 1024
  /// The maximum value of a time option in milliseconds: one hour.
  package static let milliseconds = 3_600_000
}
