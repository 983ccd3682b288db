extension Command {
  static let usage = """
    usage: fetch-keys [OPTIONS] URL

    Fetches one key set (JWKS) with one GET. Prints a line with status and age, then the unchanged body:

      $ fetch-keys https://appleid.apple.com/auth/keys | head -n 1
      200 900

    Use - to read the URL from standard input: every process of the machine can read arguments.

    The age is the number of seconds for which the answer stays fresh (Cache-Control and Age), or - if unknown.

    OPTIONS
      --connect-timeout-ms N  limit for name resolution, connection and TLS handshake [2000]
      --timeout-ms N          limit for the whole fetch [3000]
      --ca-file FILE          trust only the certificates (PEM) in FILE
      --proxy URL             http://host:port or https://host:port; default: no proxy
      --allow-loopback-http   allow plain http, only to 127.0.0.0/8, [::1] and localhost
      --version               print the versions of libcurl and its TLS library
      --help                  print this help

    Fixed rules: HTTPS with TLS 1.2 or later, certificate and host name are verified, redirects are not followed, at
    most 262144 bytes, no decompression, no cookies, no .netrc. Proxy variables of the environment are ignored.
    Without --ca-file, the certificates of SSL_CERT_FILE and SSL_CERT_DIR are trusted; without these variables, the
    store of libcurl's build, which the package ca-certificates fills on Amazon Linux 2023, Debian and Ubuntu.

    EXIT STATUS
       0  status 200; the complete body is on standard output
      10  the name of the host or proxy could not be resolved
      11  the connection failed
      12  the time limit was exceeded
      13  TLS failed: certificate, host name or version
      14  the body or the head is too large
      15  a status other than 200; its line is on standard output
      16  a redirect, which is not followed; its line is on standard output
      17  the answer is not HTTP, or incomplete
      64  wrong arguments
      69  libcurl is not installed or not usable: apt-get install libcurl4, dnf install libcurl-minimal
      74  standard output cannot be written

    """
}
