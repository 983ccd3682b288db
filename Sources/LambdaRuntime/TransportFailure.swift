/// Why a request to the Runtime API got no answer that could be read.
public enum TransportFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// No address of the endpoint took a connection; the `errno` of the last one.
  case connectFailed(errorNumber: Int32)
  /// The request did not go out whole: the `errno`, and the bytes of it that had gone out.
  case sendFailed(errorNumber: Int32, bytesSent: Int)
  /// The connection ended before the whole answer had come: the `errno`, or 0 where the server closed it in order.
  case connectionLost(errorNumber: Int32)
  /// The head, or the lines around the chunks of a body, are longer than this client reads.
  case headTooLarge(byteLimit: Int)
  /// The body is longer than this client reads.
  case answerTooLarge(byteLimit: Int)
  /// The answer is not HTTP/1.1 as RFC 9112 has it.
  case malformedAnswer(HTTPDefect)

  /// The stable name of this failure, for logs and tests.
  public var code: String {
    switch self {
    case .connectFailed: "connectFailed"
    case .sendFailed: "sendFailed"
    case .connectionLost: "connectionLost"
    case .headTooLarge: "headTooLarge"
    case .answerTooLarge: "answerTooLarge"
    case .malformedAnswer: "malformedAnswer"
    }
  }

  /// One sentence with the evidence.
  public var description: String {
    switch self {
    case .connectFailed(let number):
      "no connection: \(SystemError.text(of: number))"
    case .sendFailed(let number, let bytesSent):
      "the request broke off after \(bytesSent) bytes: \(SystemError.text(of: number))"
    case .connectionLost(let number) where number == 0:
      "the server closed the connection before its answer was whole"
    case .connectionLost(let number):
      "the connection broke before the answer was whole: \(SystemError.text(of: number))"
    case .headTooLarge(let limit):
      "the head of the answer has more than \(limit) bytes"
    case .answerTooLarge(let limit):
      "the body of the answer has more than \(limit) bytes"
    case .malformedAnswer(let defect):
      "the answer is not HTTP/1.1: \(defect.rawValue)"
    }
  }
}

/// What is wrong with an answer that breaks RFC 9112; the raw value says it in words.
public enum HTTPDefect: String, Error, Equatable, Sendable {
  /// RFC 9112 §4.
  case statusLine = "bad status line"
  /// RFC 9112 §5: no colon, a space before it, a folded line, a control character, a line that does not end in CRLF.
  case fieldLine = "bad header line"
  /// RFC 9112 §6.2: not a number, or two that differ.
  case contentLength = "bad Content-Length"
  /// RFC 9112 §6.1: not exactly `chunked`, beside a Content-Length, or from an HTTP/1.0 server.
  case transferEncoding = "bad Transfer-Encoding"
  /// Two request ids or invocation ids that differ.
  case repeatedField = "two ids that differ"
  /// RFC 9112 §7.1.
  case chunkSize = "bad chunk size"
  /// RFC 9112 §7.1: a chunk is longer or shorter than it said.
  case chunkEnd = "bad end of a chunk"
  /// RFC 9112 §7.1.2.
  case trailer = "bad trailer line"
  /// RFC 9110 §15.2: more interim answers than this client reads.
  case interimAnswers = "too many interim answers"
}
