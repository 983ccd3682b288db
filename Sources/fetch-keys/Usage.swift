extension Command {
  static let usage = """
    usage: fetch-keys [OPTIONS] URL

    Fetches one key set (a JWKS) by one GET and prints a line with status and age, then the body as it came:

      $ fetch-keys https://appleid.apple.com/auth/keys | head -n 1
      200 900

    With - in place of the URL it reads the URL from standard input: arguments can be read by every process of the machine.

    The age is the seconds for which the answer stays fresh, by Cache-Control and Age, or - where it does not say.

    OPTIONS
      --connect-timeout-ms N  time for name, connection and TLS handshake [2000]
      --timeout-ms N          time for everything [3000]
      --ca-file FILE          trust the certificates (PEM) in FILE, and no others
      --proxy URL             http://host:port or https://host:port; none is used without it
      --allow-loopback-http   plain http, to 127.0.0.0/8, [::1] and localhost only
      --version               print the versions of libcurl and of its TLS library
      --help                  print this

    What it keeps to, whatever the server says: HTTPS with TLS 1.2 or later, certificate and host name verified, no
    redirection followed, at most 262144 bytes, nothing decompressed, no cookies, no .netrc, no proxy of the environment.
    Without --ca-file it trusts what SSL_CERT_FILE and SSL_CERT_DIR name, else the store that libcurl was built for,
    which Amazon Linux 2023, Debian and Ubuntu fill by ca-certificates.

    EXIT STATUS
       0  status 200, the whole body is on standard output
      10  the host, or the proxy, has no address
      11  no connection
      12  the time was over
      13  TLS was refused: certificate, host name or version
      14  the body or the head is too large
      15  a status other than 200: its line is on standard output
      16  a redirection, not followed: its line is on standard output
      17  the answer is not HTTP, or broke off
      64  wrong arguments
      69  libcurl is not installed or not usable: apt-get install libcurl4, dnf install libcurl-minimal
      74  standard output cannot be written

    """
}
