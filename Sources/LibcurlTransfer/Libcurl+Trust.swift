import CLibcurl

extension Libcurl {
  /// Sets the security options, which are the same for all transfers.
  ///
  /// - Parameters:
  ///   - certificateFile: certificates in PEM that are trusted instead of the system's.
  ///   - proxy: the proxy; nil for none. The environment is ignored.
  ///   - allowsHTTP: whether plain HTTP is allowed. The caller must ensure that the host is loopback.
  package func trust(certificateFile: String?, proxy: String?, allowsHTTP: Bool) {
    // An empty proxy disables the proxy variables of the environment (CURLOPT_PROXY(3)); an empty list disables the
    // no_proxy variable.
    set(CURLOPT_PROXY, proxy ?? "")
    set(CURLOPT_NOPROXY, "")
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // Disables all other schemes of libcurl.
    setProtocols(allowsHTTP: allowsHTTP)
    // With redirects, anyone who can set one on the host could choose the answer.
    set(CURLOPT_FOLLOWLOCATION, 0)
    // RFC 8996: TLS 1.0 and 1.1 must not be used.
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    set(CURLOPT_SSL_VERIFYPEER, 1)
    // 2 means that the certificate must match the host; in old versions 1 accepted any name
    // (CURLOPT_SSL_VERIFYHOST(3)).
    set(CURLOPT_SSL_VERIFYHOST, 2)
    // Only the curl tool reads these OpenSSL variables; libcurl uses the store of its build (curl(1)).
    if let file = certificateFile ?? HostProcess.variable("SSL_CERT_FILE") {
      set(CURLOPT_CAINFO, file)
    }
    if certificateFile != nil {
      // Only the file must be trusted, so the store of the build is removed.
      clear(CURLOPT_CAPATH)
    } else if let folder = HostProcess.variable("SSL_CERT_DIR") {
      set(CURLOPT_CAPATH, folder)
    }
    // No credentials: no .netrc, no user in the URL. Cookies are disabled by default.
    set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
  }
}
