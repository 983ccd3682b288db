import Bytes
import CLibcurl
import DynamoDB
import KeyFetcher
import LibcurlTransfer

/// A libcurl handle that is reused for all requests, with its connection and TLS session.
///
/// libcurl itself replaces a connection that the server closed meanwhile, if no byte of an answer came. It is then
/// unknown whether the server performed the request, as with every lost answer.
struct Connection {
  private let libcurl: Libcurl
  private let account: Account

  /// The seconds for which an idle connection is reused. Our own limit, half of libcurl's default. Network devices
  /// may drop an idle connection silently, and a handshake costs less than the timeout that detects it.
  private static let idleSeconds = 60
  /// The seconds after which an idle connection is probed, so that network devices do not drop it.
  private static let keepAliveSeconds = 30

  /// Opens a handle for the account of the environment.
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
      connection.setRequestOptions()
      connection.libcurl.trust(
        certificateFile: options.certificateFile, proxy: options.proxy,
        // Plain http is only for loopback, which `Account` ensures.
        allowsHTTP: account.endpoint.scheme == .http)
      connection.setLimits()
      if let refusal = connection.libcurl.refusal { throw refusal }
      return .success(connection)
    } catch {
      return .failure(CallFailure(error))
    }
  }

  /// Sends one request; returns the answer frame.
  mutating func answer(_ request: Request) -> [UInt8] {
    var headers = [
      "Content-Type: application/x-amz-json-1.0", "X-Amz-Target: " + request.target,
    ]
    // libcurl signs all headers given here, including this one (CURLOPT_AWS_SIGV4(3)).
    if let token = account.sessionToken { headers.append("X-Amz-Security-Token: " + token) }
    libcurl.set(CURLOPT_CONNECTTIMEOUT_MS, request.connectMilliseconds)
    libcurl.set(CURLOPT_TIMEOUT_MS, request.totalMilliseconds)
    var answer = Answer()
    do {
      try libcurl.send(request.body, headers: headers, into: &answer)
    } catch {
      return answer.isTooLarge
        ? CallFailure(.tooLarge, "the answer is too large").frame : CallFailure(error).frame
    }
    guard answer.status > 0 else { return CallFailure(.transfer, "the answer has no status").frame }
    return CallFrame.answer(.answered, status: answer.status, body: answer.body)
  }

  /// Sets the endpoint, the credentials and the protocol.
  private func setRequestOptions() {
    libcurl.set(CURLOPT_URL, account.endpoint.text)
    libcurl.set(CURLOPT_PATH_AS_IS, 1)
    libcurl.set(CURLOPT_AWS_SIGV4, "aws:amz:" + account.region + ":dynamodb")
    libcurl.set(CURLOPT_USERNAME, account.accessKeyIdentifier)
    libcurl.set(CURLOPT_PASSWORD, account.secretAccessKey)
    libcurl.set(CURLOPT_USERAGENT, "api-gateway-authorizer")
    // HTTP/2 has no benefit for one request at a time, and spells the signed header names differently.
    libcurl.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    libcurl.set(CURLOPT_HTTP09_ALLOWED, 0)
    // A small compressed answer can become huge.
    libcurl.set(CURLOPT_ACCEPT_ENCODING, "identity")
    libcurl.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
  }

  /// Sets the size limit and the lifetime of the connection.
  private func setLimits() {
    // Refuses a large Content-Length before the body is read; `Answer` counts bodies without Content-Length.
    libcurl.set(CURLOPT_MAXFILESIZE_LARGE, offset: Int64(CallLimit.answerBodyBytes))
    // No SIGALRM: libcurl would jump out of the signal handler during a name lookup.
    libcurl.set(CURLOPT_NOSIGNAL, 1)
    libcurl.set(CURLOPT_MAXAGE_CONN, Self.idleSeconds)
    libcurl.set(CURLOPT_TCP_KEEPALIVE, 1)
    libcurl.set(CURLOPT_TCP_KEEPIDLE, Self.keepAliveSeconds)
    libcurl.set(CURLOPT_TCP_KEEPINTVL, Self.keepAliveSeconds)
  }
}

/// The server's response, up to the limits.
struct Answer: AnswerReceiver {
  /// The status of the last status line; 0 before a valid one.
  private(set) var status = 0
  private(set) var body: [UInt8] = []
  private(set) var isTooLarge = false
  private var headBytes = 0

  /// Takes one header line; returns false to stop the transfer. A second status line follows an interim answer (RFC
  /// 9110 §15.2).
  mutating func take(line: [UInt8]) -> Bool {
    headBytes += line.count
    isTooLarge = headBytes > CallLimit.headBytes
    if line.after("HTTP/") != nil { status = Self.status(in: line) }
    return !isTooLarge
  }

  /// Takes the next piece of the body; returns false to stop the transfer.
  mutating func take(piece: [UInt8]) -> Bool {
    isTooLarge = body.count + piece.count > CallLimit.answerBodyBytes
    if !isTooLarge { body.append(contentsOf: piece) }
    return !isTooLarge
  }

  /// The three digits after the version (RFC 9112 §4); 0 for anything else.
  private static func status(in line: [UInt8]) -> Int {
    let digits = line.drop { $0 != .space }.dropFirst().prefix(3)
    guard digits.count == 3, digits.allSatisfy({ $0.isDecimalDigit }) else { return 0 }
    let status = digits.reduce(0) { $0 * 10 + Int($1 - UInt8.digitZero) }
    return status >= 100 ? status : 0
  }
}
