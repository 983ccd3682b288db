import CLibcurl

extension Libcurl {
  /// Whom to believe, and what not to follow: the same for whatever is transferred.
  ///
  /// - Parameters:
  ///   - certificateFile: certificates in PEM that are trusted in place of the system's.
  ///   - proxy: none is used where it is nil, whatever the environment says.
  ///   - allowsHTTP: for loopback, which the caller has seen to.
  package func trust(certificateFile: String?, proxy: String?, allowsHTTP: Bool) {
    // An empty name keeps the proxies of the environment out (CURLOPT_PROXY(3)); so does the empty list with the
    // exceptions from them.
    set(CURLOPT_PROXY, proxy ?? "")
    set(CURLOPT_NOPROXY, "")
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // No other scheme that libcurl speaks is of use.
    setProtocols(allowsHTTP: allowsHTTP)
    // A redirection would let whoever can set one on the host choose what is answered.
    set(CURLOPT_FOLLOWLOCATION, 0)
    // RFC 8996: TLS 1.0 and 1.1 must not be used.
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    set(CURLOPT_SSL_VERIFYPEER, 1)
    // 2 means that the certificate names the host; 1 once meant that it names any (CURLOPT_SSL_VERIFYHOST(3)).
    set(CURLOPT_SSL_VERIFYHOST, 2)
    // The variables of OpenSSL, which libcurl itself does not read: it has a store of its build (curl(1)).
    if let file = certificateFile ?? HostProcess.variable("SSL_CERT_FILE") {
      set(CURLOPT_CAINFO, file)
    }
    if certificateFile != nil {
      // A store of the build must not stand beside the file.
      clear(CURLOPT_CAPATH)
    } else if let folder = HostProcess.variable("SSL_CERT_DIR") {
      set(CURLOPT_CAPATH, folder)
    }
    // Nobody's credentials, and none kept: no .netrc, no user in the URL; cookies are off until they are asked for.
    set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
  }
}
