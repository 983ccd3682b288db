/// What the executable `fetch-keys` and its caller agree on.
///
/// Standard output after exit 0 is one line and the body: `STATUS AGE`, the HTTP status and the seconds for which the
/// answer stays fresh, or `-` where it does not say; then a line feed; then the bytes of the body as they came. After
/// ``status`` and ``redirect`` it is that line alone; after any other exit it is empty.
///
/// Standard error after any other exit is one line `fetch-keys: CODE: TEXT`, or `fetch-keys: CODE: curl N: TEXT` where
/// libcurl gave the reason; a second line may begin with `hint: `. The body never appears there.
package enum FetchExitStatus: Int32, Sendable {
  /// Status 200 came with a whole body.
  case done = 0
  /// No address was found for the host, or for the proxy.
  case nameResolution = 10
  /// No connection was made.
  case connect = 11
  /// The time was over.
  case timeout = 12
  /// TLS was refused: an untrusted, expired or foreign certificate, or no version from 1.2 on.
  case tls = 13
  /// The body or the head is longer than the limit.
  case tooLarge = 14
  /// A status other than 200 and other than a redirection.
  case status = 15
  /// A status from 300 to 399; it is not followed.
  case redirect = 16
  /// The answer is not HTTP, or broke off.
  case transfer = 17
  /// The arguments are wrong: EX_USAGE of sysexits(3).
  case usage = 64
  /// libcurl is missing or cannot do what is needed: EX_UNAVAILABLE.
  case libraryMissing = 69
  /// Standard output could not be written: EX_IOERR.
  case output = 74

  /// The stable name, also of the ``KeyFetchError`` that it becomes.
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

/// The limits of one fetch.
package enum FetchLimit {
  /// The bytes of a key set (DESIGN: 256 KiB). The largest known are 15 KB; AWS reads 150,000 bytes.
  package static let bodyBytes = 256 << 10
  /// The bytes of all lines of a head, as libcurl gives them. libcurl allows 300 KiB; servers send below 8.
  package static let headBytes = 32 << 10
  /// The bytes of the line before the body: three digits, a blank, at most ten digits, a line feed.
  package static let statusLineBytes = 16
  /// The bytes of standard error that are kept; a line of libcurl's has at most 256 (CURL_ERROR_SIZE).
  package static let diagnosisBytes = 1024
  /// The milliseconds that an option may ask for: one hour.
  package static let milliseconds = 3_600_000
}
