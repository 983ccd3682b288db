import CLibcurl
import KeyFetcher

/// The one GET, with every option of libcurl that bears on it.
enum Transfer {
  static func run(_ plan: Command.Plan) -> Result<Answer, TransferFailure> {
    do {
      var libcurl = try Libcurl()
      aim(&libcurl, plan)
      distrust(&libcurl, plan)
      limit(&libcurl, plan)
      var answer = Answer()
      try libcurl.perform(into: &answer)
      if answer.end == .tooLarge {
        return .failure(
          TransferFailure(status: .tooLarge, text: "the answer has more than \(FetchLimit.bodyBytes) bytes"))
      }
      return .success(answer)
    } catch {
      return .failure(error)
    }
  }

  /// What is asked, and of whom.
  private static func aim(_ libcurl: inout Libcurl, _ plan: Command.Plan) {
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
    // An empty name keeps the proxies of the environment out (CURLOPT_PROXY(3)); so does the empty list with the
    // exceptions from them.
    libcurl.set(CURLOPT_PROXY, plan.proxy ?? "")
    libcurl.set(CURLOPT_NOPROXY, "")
    libcurl.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
  }

  /// Whom to believe, and what not to follow.
  private static func distrust(_ libcurl: inout Libcurl, _ plan: Command.Plan) {
    // HTTP is for loopback, which `Command` has seen to; no other scheme that libcurl speaks is of use.
    libcurl.setProtocols(allowsHTTP: plan.address.scheme == .http)
    // A redirection would let whoever can set one on the issuer's host choose the keys.
    libcurl.set(CURLOPT_FOLLOWLOCATION, 0)
    // RFC 8996: TLS 1.0 and 1.1 must not be used.
    libcurl.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    libcurl.set(CURLOPT_SSL_VERIFYPEER, 1)
    // 2 means that the certificate names the host; 1 once meant that it names any (CURLOPT_SSL_VERIFYHOST(3)).
    libcurl.set(CURLOPT_SSL_VERIFYHOST, 2)
    // The variables of OpenSSL, which libcurl itself does not read: it has a store of its build (curl(1)).
    if let file = plan.certificateFile ?? HostProcess.variable("SSL_CERT_FILE") {
      libcurl.set(CURLOPT_CAINFO, file)
    }
    if plan.certificateFile != nil {
      // A store of the build must not stand beside the file.
      libcurl.clear(CURLOPT_CAPATH)
    } else if let folder = HostProcess.variable("SSL_CERT_DIR") {
      libcurl.set(CURLOPT_CAPATH, folder)
    }
    // Nobody's credentials, and none kept: no .netrc, no user in the URL; cookies are off until they are asked for.
    libcurl.set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    libcurl.set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
  }

  /// For how long, and how much.
  private static func limit(_ libcurl: inout Libcurl, _ plan: Command.Plan) {
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
