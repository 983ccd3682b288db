import CLibcurl

/// Why there is no answer.
package struct TransferFailure: Error {
  /// What a caller can tell apart: the classes of libcurl's errors (libcurl-errors(3)).
  package enum Reason {
    /// No address was found for the host, or for the proxy.
    case nameResolution
    /// No connection was made.
    case connect
    /// The time was over.
    case timeout
    /// TLS was refused: an untrusted, expired or foreign certificate, or no version from 1.2 on.
    case tls
    /// The answer is longer than the limit.
    case tooLarge
    /// The answer is not HTTP, or broke off.
    case transfer
    /// The system has no libcurl that can be loaded.
    case libraryNotLoaded
    /// libcurl is there, and cannot do what is needed.
    case libraryUnusable
  }

  package let reason: Reason
  /// One line; from libcurl as `curl N: TEXT` with its code.
  package let text: String

  package init(_ reason: Reason, _ text: String) {
    self.reason = reason
    self.text = text
  }

  /// What libcurl's code means.
  init(_ code: CURLcode, _ text: String) {
    reason =
      switch code {
      case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .nameResolution
      case CURLE_COULDNT_CONNECT: .connect
      case CURLE_OPERATION_TIMEDOUT: .timeout
      case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
        CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
        CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        .tls
      case CURLE_FILESIZE_EXCEEDED: .tooLarge
      case CURLE_FAILED_INIT, CURLE_NOT_BUILT_IN, CURLE_UNKNOWN_OPTION, CURLE_SSL_ENGINE_NOTFOUND,
        CURLE_SSL_ENGINE_INITFAILED:
        .libraryUnusable
      default: .transfer
      }
    self.text = "curl \(code.rawValue): \(text)"
  }
}
