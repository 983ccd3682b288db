import CLibcurl
import DynamoDB
import KeyFetcher
import LibcurlTransfer

/// One handle of libcurl that is kept, and with it the connection and the TLS session.
///
/// A connection that the server closed while nobody looked is replaced by libcurl itself, as long as nothing came back on
/// it; whether the server did what it was asked to is then not known, as with every answer that is lost.
struct Connection {
  private let libcurl: Libcurl
  private let account: Account

  /// The seconds for which an idle connection is used again: our own, half of libcurl's. What sits between may forget
  /// one without a word, and a handshake costs less than the time until that is noticed.
  private static let idleSeconds = 60
  /// The seconds after which an idle connection is probed, so that what sits between remembers it.
  private static let keepAliveSeconds = 30

  /// A handle for the account of the environment.
  static func opened(_ options: Command.Options) -> Result<Connection, CallFailure> {
    let account: Account
    do {
      account = try Account(
        variable: { HostProcess.variable($0) }, allowsLoopbackHTTP: options.allowsLoopbackHTTP)
    } catch {
      return .failure(error)
    }
    do throws(TransferFailure) {
      let connection = Connection(libcurl: try Libcurl(), account: account)
      connection.aim()
      connection.libcurl.trust(
        certificateFile: options.certificateFile, proxy: options.proxy,
        // For loopback, which `Account` has seen to.
        allowsHTTP: account.endpoint.scheme == .http)
      connection.keep()
      if let refusal = connection.libcurl.refusal { throw refusal }
      return .success(connection)
    } catch {
      return .failure(CallFailure(error))
    }
  }

  /// Sends one request; the answer is a frame.
  mutating func answer(_ request: Request) -> [UInt8] {
    var headers = [
      "Content-Type: application/x-amz-json-1.0", "X-Amz-Target: " + request.target,
    ]
    // Signed with the rest, as every header that is given here (CURLOPT_AWS_SIGV4(3)).
    if let token = account.sessionToken { headers.append("X-Amz-Security-Token: " + token) }
    libcurl.set(CURLOPT_CONNECTTIMEOUT_MS, request.connectMilliseconds)
    libcurl.set(CURLOPT_TIMEOUT_MS, request.totalMilliseconds)
    var answer = Answer()
    do {
      try libcurl.post(request.body, headers: headers, into: &answer)
    } catch {
      return answer.isTooLarge
        ? CallFailure(.tooLarge, "the answer is too large").frame : CallFailure(error).frame
    }
    guard answer.status > 0 else { return CallFailure(.transfer, "the answer has no status").frame }
    return CallFrame.answer(.answered, status: answer.status, body: answer.body)
  }

  /// What is asked, and of whom.
  private func aim() {
    libcurl.set(CURLOPT_URL, account.endpoint.text)
    libcurl.set(CURLOPT_PATH_AS_IS, 1)
    libcurl.set(CURLOPT_AWS_SIGV4, "aws:amz:" + account.region + ":dynamodb")
    libcurl.set(CURLOPT_USERNAME, account.accessKeyIdentifier)
    libcurl.set(CURLOPT_PASSWORD, account.secretAccessKey)
    libcurl.set(CURLOPT_USERAGENT, "api-gateway-authorizer")
    // One request at a time: HTTP/2 would add nothing, and writes the names of what is signed in another way.
    libcurl.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    libcurl.set(CURLOPT_HTTP09_ALLOWED, 0)
    // A small answer that is unpacked can become a huge one.
    libcurl.set(CURLOPT_ACCEPT_ENCODING, "identity")
    libcurl.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
  }

  /// For how much, and for how long a connection is good.
  private func keep() {
    // Ends at Content-Length, before a byte is read; `Answer` counts what a server sends without saying so.
    libcurl.set(CURLOPT_MAXFILESIZE_LARGE, offset: Int64(CallLimit.answerBodyBytes))
    // No SIGALRM: libcurl would jump out of a handler while a name is looked up.
    libcurl.set(CURLOPT_NOSIGNAL, 1)
    libcurl.set(CURLOPT_MAXAGE_CONN, Self.idleSeconds)
    libcurl.set(CURLOPT_TCP_KEEPALIVE, 1)
    libcurl.set(CURLOPT_TCP_KEEPIDLE, Self.keepAliveSeconds)
    libcurl.set(CURLOPT_TCP_KEEPINTVL, Self.keepAliveSeconds)
  }
}

/// What a server has sent, up to the limits.
struct Answer: AnswerReceiver {
  /// Of the last status line; 0 before one came that can be read.
  private(set) var status = 0
  private(set) var body: [UInt8] = []
  private(set) var isTooLarge = false
  private var headBytes = 0

  /// Takes one line of a head; false where no more is wanted. A second status line follows an interim answer (RFC 9110
  /// §15.2).
  mutating func take(line: [UInt8]) -> Bool {
    headBytes += line.count
    isTooLarge = headBytes > CallLimit.headBytes
    if line.after("HTTP/") != nil { status = Self.status(in: line) }
    return !isTooLarge
  }

  /// Takes the next piece of the body; false where no more is wanted.
  mutating func take(piece: [UInt8]) -> Bool {
    isTooLarge = body.count + piece.count > CallLimit.answerBodyBytes
    if !isTooLarge { body.append(contentsOf: piece) }
    return !isTooLarge
  }

  /// The three digits after the version (RFC 9112 §4); 0 for anything else.
  private static func status(in line: [UInt8]) -> Int {
    let digits = line.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix(3)
    guard digits.count == 3, digits.allSatisfy({ $0.isDecimalDigit }) else { return 0 }
    let status = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    return status >= 100 ? status : 0
  }
}
