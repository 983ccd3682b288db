import CLibcurl
import KeyFetcher
import LibcurlTransfer

/// The one GET, with every option of libcurl that bears on it.
enum Transfer {
  static func run(_ plan: Command.Plan) -> Result<Answer, TransferFailure> {
    var answer = Answer()
    do {
      let libcurl = try Libcurl()
      aim(libcurl, plan)
      libcurl.trust(
        certificateFile: plan.certificateFile, proxy: plan.proxy,
        // For loopback, which `Command` has seen to.
        allowsHTTP: plan.address.scheme == .http)
      limit(libcurl, plan)
      try libcurl.perform(into: &answer)
    } catch {
      // An answer that was not wanted whole is an answer all the same.
      guard answer.end != nil || answer.isRefusal else { return .failure(error) }
    }
    if answer.end == .tooLarge {
      return .failure(
        TransferFailure(.tooLarge, "the answer has more than \(FetchLimit.bodyBytes) bytes"))
    }
    return .success(answer)
  }

  /// What is asked, and of whom.
  private static func aim(_ libcurl: Libcurl, _ plan: Command.Plan) {
    libcurl.set(CURLOPT_URL, plan.address.text)
    // libcurl would take `/../` out, and fetch something else than what was configured.
    libcurl.set(CURLOPT_PATH_AS_IS, 1)
    libcurl.set(CURLOPT_HTTPGET, 1)
    libcurl.set(CURLOPT_USERAGENT, "api-gateway-authorizer")
    // The version of HTTP is left to libcurl and the server: builds without HTTP/2 refuse to be asked for it.
    libcurl.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_NONE))
    libcurl.set(CURLOPT_HTTP09_ALLOWED, 0)
    // With "identity" asked for, a server that compresses all the same must not make libcurl decompress: a small
    // answer can become a huge one.
    libcurl.set(CURLOPT_ACCEPT_ENCODING, "identity")
    libcurl.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
  }

  /// For how long, and how much.
  private static func limit(_ libcurl: Libcurl, _ plan: Command.Plan) {
    libcurl.set(CURLOPT_CONNECTTIMEOUT_MS, plan.connectMilliseconds)
    libcurl.set(CURLOPT_TIMEOUT_MS, plan.totalMilliseconds)
    // Ends at Content-Length, before a byte is read; `Answer` counts what a server sends without saying so.
    libcurl.set(CURLOPT_MAXFILESIZE_LARGE, offset: Int64(FetchLimit.bodyBytes))
    // No SIGALRM: libcurl would jump out of a handler while a name is looked up.
    libcurl.set(CURLOPT_NOSIGNAL, 1)
    // One transfer, one connection.
    libcurl.set(CURLOPT_FRESH_CONNECT, 1)
    libcurl.set(CURLOPT_FORBID_REUSE, 1)
  }
}
