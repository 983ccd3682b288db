import CLibcurl
import KeyFetcher
import LibcurlTransfer

/// Makes the GET with all options of libcurl.
enum Transfer {
  static func run(_ plan: Command.Plan) -> Result<Answer, TransferFailure> {
    var answer = Answer()
    do {
      let libcurl = try Libcurl()
      setRequest(libcurl, plan)
      libcurl.trust(
        certificateFile: plan.certificateFile, proxy: plan.proxy,
        // `Command` has ensured that the host is loopback.
        allowsHTTP: plan.address.scheme == .http)
      limit(libcurl, plan)
      try libcurl.perform(into: &answer)
    } catch {
      // If the transfer was ended early on purpose, the answer is still valid.
      guard answer.end != nil || answer.isRefusal else { return .failure(error) }
    }
    if answer.end == .tooLarge {
      return .failure(
        TransferFailure(.tooLarge, "the answer has more than \(FetchLimit.bodyBytes) bytes"))
    }
    return .success(answer)
  }

  private static func setRequest(_ libcurl: Libcurl, _ plan: Command.Plan) {
    libcurl.set(CURLOPT_URL, plan.address.text)
    // Without this option libcurl removes `/../` and fetches another path than the configured one.
    libcurl.set(CURLOPT_PATH_AS_IS, 1)
    libcurl.set(CURLOPT_HTTPGET, 1)
    libcurl.set(CURLOPT_USERAGENT, "api-gateway-authorizer")
    // libcurl and the server choose the HTTP version: builds without HTTP/2 refuse that option.
    libcurl.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_NONE))
    libcurl.set(CURLOPT_HTTP09_ALLOWED, 0)
    // If a server compresses despite "identity", libcurl must not decompress: a small answer can become a huge one.
    libcurl.set(CURLOPT_ACCEPT_ENCODING, "identity")
    libcurl.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
  }

  /// Sets the limits for time and size.
  private static func limit(_ libcurl: Libcurl, _ plan: Command.Plan) {
    libcurl.set(CURLOPT_CONNECTTIMEOUT_MS, plan.connectMilliseconds)
    libcurl.set(CURLOPT_TIMEOUT_MS, plan.totalMilliseconds)
    // Checks Content-Length before the body is read; `Answer` counts the bytes of answers without it.
    libcurl.set(CURLOPT_MAXFILESIZE_LARGE, offset: Int64(FetchLimit.bodyBytes))
    // Without this option libcurl would use SIGALRM and longjmp for a timeout of the name resolution.
    libcurl.set(CURLOPT_NOSIGNAL, 1)
    // The process makes only one transfer, so no connection is reused.
    libcurl.set(CURLOPT_FRESH_CONNECT, 1)
    libcurl.set(CURLOPT_FORBID_REUSE, 1)
  }
}
