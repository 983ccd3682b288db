import CLibcurl

/// The reason why there is no answer.
package struct TransferFailure: Error {
  /// The classes of libcurl's errors (libcurl-errors(3)).
  package enum Reason {
    /// The name of the host, or of the proxy, could not be resolved.
    case nameResolution
    /// The connection failed.
    case connect
    /// The time limit was exceeded.
    case timeout
    /// TLS failed: a certificate that is untrusted, expired or for another host, or a version below 1.2.
    case tls
    /// The answer exceeds the limit.
    case tooLarge
    /// The answer is not HTTP, or incomplete.
    case transfer
    /// libcurl cannot be loaded.
    case libraryNotLoaded
    /// libcurl is loaded, but lacks a required feature.
    case libraryUnusable
  }

  package let reason: Reason
  /// One line; for an error of libcurl in the form `curl N: TEXT` with its code.
  package let text: String

  package init(_ reason: Reason, _ text: String) {
    self.reason = reason
    self.text = text
  }

  /// Creates a failure from libcurl's code.
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
