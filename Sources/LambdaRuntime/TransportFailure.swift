import POSIX

/// The reason why a request to the Runtime API got no readable answer.
package enum TransportFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// No address of the endpoint accepted a connection; the `errno` of the last one.
  case connectFailed(errorNumber: Int32)
  /// The request was not sent completely: the `errno`, and the number of bytes sent.
  case sendFailed(errorNumber: Int32, bytesSent: Int)
  /// The connection ended before the answer was complete: the `errno`, or 0 if the server closed it.
  case connectionLost(errorNumber: Int32)
  /// The head, or the lines around the chunks of a body, exceed the limit.
  case headTooLarge(byteLimit: Int)
  /// The body exceeds the limit.
  case answerTooLarge(byteLimit: Int)
  /// The answer is not valid HTTP/1.1 (RFC 9112).
  case malformedAnswer(HTTPDefect)

  /// The stable name of this failure, for logs and tests.
  package var code: String {
    switch self {
    case .connectFailed: "connectFailed"
    case .sendFailed: "sendFailed"
    case .connectionLost: "connectionLost"
    case .headTooLarge: "headTooLarge"
    case .answerTooLarge: "answerTooLarge"
    case .malformedAnswer: "malformedAnswer"
    }
  }

  /// A description of the failure.
  package var description: String {
    switch self {
    case .connectFailed(let number):
      "no connection: \(SystemCalls.text(ofError: number))"
    case .sendFailed(let number, let bytesSent):
      "the request failed after \(bytesSent) bytes: \(SystemCalls.text(ofError: number))"
    case .connectionLost(let number) where number == 0:
      "the server closed the connection before the answer was complete"
    case .connectionLost(let number):
      "the connection failed before the answer was complete: \(SystemCalls.text(ofError: number))"
    case .headTooLarge(let limit):
      "the head of the answer has more than \(limit) bytes"
    case .answerTooLarge(let limit):
      "the body of the answer has more than \(limit) bytes"
    case .malformedAnswer(let defect):
      "the answer is not HTTP/1.1: \(defect.rawValue)"
    }
  }
}

/// A violation of RFC 9112 in an answer; the raw value is its description.
package enum HTTPDefect: String, Error, Equatable, Sendable {
  /// RFC 9112 §4.
  case statusLine = "bad status line"
  /// RFC 9112 §5: no colon, a space before it, a folded line, a control character, a line that does not end in CRLF.
  case fieldLine = "bad header line"
  /// RFC 9112 §6.2: not a number, or two different numbers.
  case contentLength = "bad Content-Length"
  /// RFC 9112 §6.1: not exactly `chunked`, together with a Content-Length, or from an HTTP/1.0 server.
  case transferEncoding = "bad Transfer-Encoding"
  /// Two different request IDs or invocation IDs.
  case repeatedField = "two different IDs"
  /// RFC 9112 §7.1.
  case chunkSize = "bad chunk size"
  /// RFC 9112 §7.1: a chunk is longer or shorter than its size.
  case chunkEnd = "bad end of a chunk"
  /// RFC 9112 §7.1.2.
  case trailer = "bad trailer line"
  /// RFC 9110 §15.2: more interim answers than the limit.
  case interimAnswers = "too many interim answers"
}
